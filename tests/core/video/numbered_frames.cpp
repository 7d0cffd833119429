#include "tests/core/video/numbered_frames.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"

#include <cstdlib>

namespace dailies::video {

namespace {

constexpr int kBits = 8;

const std::uint8_t* pixelAt(const Frame& frame, int x, int y) {
    return &frame.rgb[std::size_t{3} * (static_cast<std::size_t>(y) * frame.width + x)];
}

}  // namespace

Frame numberedFrame(int number, int width, int height) {
    Frame frame{width, height, std::vector<std::uint8_t>(std::size_t{3} * width * height)};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x)
            for (int channel = 0; channel < 3; ++channel)
                frame.rgb[3 * (static_cast<std::size_t>(y) * width + x) + channel] =
                    (number >> (x * kBits / width)) & 1 ? 255 : 0;
    return frame;
}

std::vector<Frame> numberedFrames(int count, int width, int height) {
    std::vector<Frame> frames;
    for (int n = 0; n < count; ++n) frames.push_back(numberedFrame(n, width, height));
    return frames;
}

int shownNumber(const Frame& frame) {
    int number = 0;
    for (int bit = 0; bit < kBits; ++bit) {
        const auto* pixel = pixelAt(frame, (2 * bit + 1) * frame.width / (2 * kBits), frame.height / 2);
        if (pixel[1] > 127) number |= 1 << bit;
    }
    return number;
}

std::string colourAt(const Frame& frame, int column, int columns, int row, int rows) {
    const auto* pixel = pixelAt(frame, (2 * column + 1) * frame.width / (2 * columns),
                                (2 * row + 1) * frame.height / (2 * rows));
    std::string colour = "#";
    for (int channel = 0; channel < 3; ++channel)
        colour += pixel[channel] < 64 ? "00" : pixel[channel] < 192 ? "80" : "ff";
    return colour;
}

void makeWithFfmpeg(const std::filesystem::path& file, const std::vector<Frame>& frames,
                    const std::string& arguments) {
    const TemporaryFolder folder;
    const auto raw = folder.path() / "frames.rgb";
    std::string bytes;
    for (const Frame& frame : frames) bytes.append(frame.rgb.begin(), frame.rgb.end());
    writeFileAtomically(raw, bytes);
    const std::string size =
        std::to_string(frames.front().width) + "x" + std::to_string(frames.front().height);
    runFfmpeg("-f rawvideo -pix_fmt rgb24 -r 24 -s " + size + " -i " + shellQuote(raw.string()) + " " +
              arguments + " " + shellQuote(file.string()));
}

void runFfmpeg(const std::string& arguments) {
    const TemporaryFolder folder;
    const auto log = folder.path() / "log";
    const std::string command =
        "ffmpeg -nostdin -y -v error -threads 1 " + arguments + " >" + shellQuote(log.string()) + " 2>&1";
    if (std::system(command.c_str()) != 0) throw Error(command + "\n" + readFile(log));
}

}  // namespace dailies::video
