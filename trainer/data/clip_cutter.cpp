#include "trainer/data/clip_cutter.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ranges>

namespace dailies::trainer {

namespace {

constexpr double kTimeRounding = 0.002;  // seconds; containers round times, Matroska to whole milliseconds

/// A picture that covers a clip's size, and where in it the clip lies.
struct Covering {
    int width = 0, height = 0, left = 0, top = 0;
};

Covering coveringOf(const video::ClipInfo& film, const curation::Box& part, int height, int width) {
    const double scale =
        std::max(width / static_cast<double>(part.width), height / static_cast<double>(part.height));
    const auto scaled = [scale](int size) { return static_cast<int>(std::lround(size * scale)); };
    Covering covering{std::max(width, scaled(film.width)), std::max(height, scaled(film.height))};
    const auto middle = [](int begin, int size, int wanted, int all) {
        return std::clamp(begin + (size - wanted) / 2, 0, all - wanted);
    };
    covering.left = middle(scaled(part.x), scaled(part.width), width, covering.width);
    covering.top = middle(scaled(part.y), scaled(part.height), height, covering.height);
    return covering;
}

void cropInto(const std::vector<std::uint8_t>& picture, const Covering& covering, const RgbClip& size,
              std::uint8_t* into) {
    const auto left = static_cast<std::size_t>(covering.left), top = static_cast<std::size_t>(covering.top);
    const auto rowBytes = static_cast<std::size_t>(size.width) * 3;
    for (std::size_t y = 0; y < static_cast<std::size_t>(size.height); ++y)
        std::memcpy(into + y * rowBytes,
                    picture.data() + ((top + y) * static_cast<std::size_t>(covering.width) + left) * 3,
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

RgbClip cutClip(video::ClipReader& reader, const std::vector<int>& frames, int height, int width,
                const std::optional<curation::Box>& part) {
    const auto& info = reader.info();
    const auto covering =
        coveringOf(info, part.value_or(curation::Box{0, 0, info.width, info.height}), height, width);
    const bool fits = covering.width == width && covering.height == height;

    RgbClip clip{static_cast<int>(frames.size()), height, width, {}};
    clip.rgb.resize(clip.frameBytes() * frames.size());
    std::vector<std::uint8_t> picture(
        fits ? 0 : static_cast<std::size_t>(covering.width) * static_cast<std::size_t>(covering.height) * 3);
    for (int t = 0; t < clip.frames; ++t) {
        const auto number = frames[static_cast<std::size_t>(t)];
        if (t > 0 && number == frames[static_cast<std::size_t>(t) - 1]) {
            std::memcpy(clip.frame(t), clip.frame(t - 1), clip.frameBytes());
            continue;
        }
        reader.drawFrame(number, {.pixels = fits ? clip.frame(t) : picture.data(),
                                  .width = covering.width,
                                  .height = covering.height,
                                  .rowBytes = std::ptrdiff_t{3} * covering.width,
                                  .averaged = true});
        if (!fits) cropInto(picture, covering, clip, clip.frame(t));
    }
    return clip;
}

}  // namespace dailies::trainer
