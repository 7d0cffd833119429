#include "core/curation/crop.h"

#include <algorithm>
#include <cmath>

namespace dailies::curation {

namespace {

/// The even size nearest to it.
int evenSize(double size) {
    return std::max(2, 2 * static_cast<int>(std::lround(size / 2)));
}

}  // namespace

SmallCrop smallCrop(const video::ClipInfo& film, const Box& crop, int side) {
    const double scale = std::min(1.0, side / static_cast<double>(std::max(crop.width, crop.height)));
    SmallCrop small{evenSize(scale * film.width), evenSize(scale * film.height), {}};
    small.box.x = std::min(static_cast<int>(scale * crop.x), small.width - 2);
    small.box.y = std::min(static_cast<int>(scale * crop.y), small.height - 2);
    small.box.width = std::min(evenSize(scale * crop.width), small.width - small.box.x);
    small.box.height = std::min(evenSize(scale * crop.height), small.height - small.box.y);
    return small;
}

video::Frame cropped(const video::Frame& frame, const Box& box) {
    video::Frame part{box.width & ~1, box.height & ~1, {}};
    part.rgb.reserve(std::size_t{3} * part.width * part.height);
    for (int y = box.y; y < box.y + part.height; ++y) {
        const auto row = frame.rgb.begin() + std::ptrdiff_t{3} * (std::ptrdiff_t{y} * frame.width + box.x);
        part.rgb.insert(part.rgb.end(), row, row + std::ptrdiff_t{3} * part.width);
    }
    return part;
}

}  // namespace dailies::curation
