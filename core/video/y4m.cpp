#include "core/video/y4m.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/colour.h"

#include <algorithm>
#include <cmath>

namespace dailies::video {

namespace {

/// Limited-range Y'CbCr from full-range R'G'B' (ITU-R BT.601-7 §2.5.1, BT.709-6 §3.2), rounded.
struct YuvMatrix {
    double kr, kb;

    void convert(const std::uint8_t* rgb, char& y, char& cb, char& cr) const {
        const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
        const double luma = kr * r + (1 - kr - kb) * g + kb * b;
        y = static_cast<char>(std::lround(16 + 219 * luma));
        cb = static_cast<char>(std::lround(128 + 112 * (b - luma) / (1 - kb)));
        cr = static_cast<char>(std::lround(128 + 112 * (r - luma) / (1 - kr)));
    }
};

void appendPlanes(std::string& bytes, const Frame& frame) {
    const YuvMatrix matrix =
        usesBt709(frame.width, frame.height) ? YuvMatrix{0.2126, 0.0722} : YuvMatrix{0.299, 0.114};
    const std::size_t plane = static_cast<std::size_t>(frame.width) * frame.height;
    const std::size_t begin = bytes.size();
    bytes.resize(begin + 3 * plane);
    char* out = bytes.data() + begin;
    for (std::size_t i = 0; i < plane; ++i)
        matrix.convert(&frame.rgb[3 * i], out[i], out[plane + i], out[2 * plane + i]);
}

}  // namespace

void checkFrames(const std::filesystem::path& file, const std::vector<Frame>& frames,
                 const ClipEncoding& encoding) {
    const std::string where = "Cannot write the clip " + file.string() + ": ";
    if (frames.empty()) throw Error(where + "it has no frames.");
    if (!(encoding.fps > 0) || !std::isfinite(encoding.fps))
        throw Error(where + "its rate is " + std::to_string(encoding.fps) + " frames per second.",
                    "Give a positive number.");
    if (encoding.scale < 1)
        throw Error(where + "its scale is " + std::to_string(encoding.scale) + ".", "Give 1 or more.");
    const int width = frames.front().width, height = frames.front().height;
    const auto size = [](int w, int h) { return std::to_string(w) + "x" + std::to_string(h); };
    if (width < 1 || height < 1 || (width * encoding.scale) % 2 != 0 || (height * encoding.scale) % 2 != 0)
        throw Error(where + "H.264 needs an even width and height, these frames are " + size(width, height) +
                        " at scale " + std::to_string(encoding.scale) + ".",
                    "Use an even size or an even scale.");
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const Frame& frame = frames[i];
        if (frame.width != width || frame.height != height)
            throw Error(where + "frame " + std::to_string(i) + " is " + size(frame.width, frame.height) +
                        ", frame 0 is " + size(width, height) + ".");
        if (frame.rgb.size() != std::size_t{3} * width * height)
            throw Error(where + "frame " + std::to_string(i) + " holds " + std::to_string(frame.rgb.size()) +
                        " bytes where " + size(width, height) + " RGB needs " +
                        std::to_string(std::size_t{3} * width * height) + ".");
    }
}

Frame enlarge(const Frame& frame, int factor) {
    if (factor == 1) return frame;
    Frame large{frame.width * factor, frame.height * factor, {}};
    const std::size_t rowBytes = std::size_t{3} * large.width;
    large.rgb.resize(rowBytes * large.height);
    for (int y = 0; y < frame.height; ++y) {
        std::uint8_t* row = &large.rgb[rowBytes * y * factor];
        const std::uint8_t* source = &frame.rgb[std::size_t{3} * frame.width * y];
        for (int x = 0; x < large.width; ++x) std::copy_n(source + 3 * (x / factor), 3, row + 3 * x);
        for (int copy = 1; copy < factor; ++copy) std::copy_n(row, rowBytes, row + rowBytes * copy);
    }
    return large;
}

void writeY4m(const std::filesystem::path& file, const std::vector<Frame>& frames,
              const ClipEncoding& encoding) {
    constexpr int kRateDenominator = 1000;
    const Frame& first = frames.front();
    std::string bytes = "YUV4MPEG2 W" + std::to_string(first.width * encoding.scale) + " H" +
                        std::to_string(first.height * encoding.scale) + " F" +
                        std::to_string(std::lround(encoding.fps * kRateDenominator)) + ":" +
                        std::to_string(kRateDenominator) + " Ip A1:1 C444\n";
    for (const Frame& frame : frames) {
        bytes += "FRAME\n";
        appendPlanes(bytes, enlarge(frame, encoding.scale));
    }
    writeFileAtomically(file, bytes);
}

}  // namespace dailies::video
