#include "core/quality/scopes.h"

#include "core/quality/luma.h"

#include <algorithm>

namespace dailies::quality {

Histogram histogramOf(const PictureView& picture) {
    Histogram histogram;
    const LumaWeights weights = lumaWeights(picture.width, picture.height);
    for (int y = 0; y < picture.height; ++y) {
        const std::uint32_t* row = picture.row(y);
        for (int x = 0; x < picture.width; ++x) {
            ++histogram.red[static_cast<std::size_t>(redOf(row[x]))];
            ++histogram.green[static_cast<std::size_t>(greenOf(row[x]))];
            ++histogram.blue[static_cast<std::size_t>(blueOf(row[x]))];
            ++histogram.luma[static_cast<std::size_t>(weights.of(row[x]))];
        }
    }
    return histogram;
}

Waveform waveformOf(const PictureView& picture, int columns) {
    Waveform waveform{std::clamp(columns, 1, std::max(picture.width, 1)), {}};
    waveform.counts.resize(static_cast<std::size_t>(waveform.columns) * Waveform::kLevels);
    const LumaWeights weights = lumaWeights(picture.width, picture.height);
    std::vector<std::size_t> beginOfColumn(static_cast<std::size_t>(picture.width));
    for (int x = 0; x < picture.width; ++x)
        beginOfColumn[static_cast<std::size_t>(x)] =
            static_cast<std::size_t>(std::int64_t{x} * waveform.columns / picture.width) * Waveform::kLevels;
    for (int y = 0; y < picture.height; ++y) {
        const std::uint32_t* row = picture.row(y);
        for (int x = 0; x < picture.width; ++x)
            ++waveform.counts[beginOfColumn[static_cast<std::size_t>(x)] +
                              static_cast<std::size_t>(weights.of(row[x]))];
    }
    return waveform;
}

}  // namespace dailies::quality
