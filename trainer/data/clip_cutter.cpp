#include "trainer/data/clip_cutter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ranges>

namespace dailies::trainer {

namespace {

constexpr double kTimeRounding = 0.002;  // seconds; containers round times, Matroska to whole milliseconds

void cropMiddle(const std::vector<std::uint8_t>& covering, int coveringHeight, int coveringWidth,
                const RgbClip& size, std::uint8_t* into) {
    const auto left = static_cast<std::size_t>(coveringWidth - size.width) / 2;
    const auto top = static_cast<std::size_t>(coveringHeight - size.height) / 2;
    const auto rowBytes = static_cast<std::size_t>(size.width) * 3;
    for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
        std::memcpy(into + y * rowBytes,
                    covering.data() + ((top + y) * static_cast<std::size_t>(coveringWidth) + left) * 3,
                    rowBytes);
}

}  // namespace

std::vector<int> framesByTime(const video::ClipReader& reader, double start, double fps, int count) {
    std::vector<int> frames;
    const auto all = std::views::iota(0, reader.info().frames);
    for (int i = 0; i < count; ++i) {
        const double time = start + i / fps + kTimeRounding;
        const auto later = std::ranges::upper_bound(all, time, {}, [&](int n) { return reader.seconds(n); });
        frames.push_back(std::max(0, static_cast<int>(later - all.begin()) - 1));
    }
    return frames;
}

RgbClip cutClip(video::ClipReader& reader, const std::vector<int>& frames, int height, int width) {
    const auto& info = reader.info();
    const double cover =
        std::max(width / static_cast<double>(info.width), height / static_cast<double>(info.height));
    const int coveringWidth = std::max(width, static_cast<int>(std::lround(info.width * cover)));
    const int coveringHeight = std::max(height, static_cast<int>(std::lround(info.height * cover)));
    const bool fits = coveringWidth == width && coveringHeight == height;

    RgbClip clip{static_cast<int>(frames.size()), height, width, {}};
    clip.rgb.resize(clip.frameBytes() * frames.size());
    std::vector<std::uint8_t> covering(
        fits ? 0 : static_cast<std::size_t>(coveringWidth) * static_cast<std::size_t>(coveringHeight) * 3);
    for (int t = 0; t < clip.frames; ++t) {
        const auto number = frames[static_cast<std::size_t>(t)];
        if (t > 0 && number == frames[static_cast<std::size_t>(t) - 1]) {
            std::memcpy(clip.frame(t), clip.frame(t - 1), clip.frameBytes());
            continue;
        }
        reader.drawFrame(number, {.pixels = fits ? clip.frame(t) : covering.data(),
                                  .width = coveringWidth,
                                  .height = coveringHeight,
                                  .rowBytes = std::ptrdiff_t{3} * coveringWidth,
                                  .averaged = true});
        if (!fits) cropMiddle(covering, coveringHeight, coveringWidth, clip, clip.frame(t));
    }
    return clip;
}

}  // namespace dailies::trainer
