#pragma once

#include "core/quality/picture_view.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dailies::quality {

/// How many pixels have each level.
struct Histogram {
    std::array<std::uint32_t, 256> red{}, green{}, blue{}, luma{};
};

Histogram histogramOf(const PictureView& picture);

/// A waveform monitor's picture: how often each level of luma occurs in each of `columns` upright stripes of
/// the picture.
struct Waveform {
    static constexpr int kLevels = 256;
    int columns = 0;
    std::vector<std::uint32_t> counts;  ///< column by column, level 0 first
    std::uint32_t at(int column, int level) const {
        return counts[static_cast<std::size_t>(column) * kLevels + static_cast<std::size_t>(level)];
    }
};

/// At most as many columns as the picture has.
Waveform waveformOf(const PictureView& picture, int columns);

}  // namespace dailies::quality
