#pragma once

#include "core/quality/luma.h"

#include <array>
#include <cstdint>
#include <vector>

namespace dailies::quality {

/// Finds straight lines across the whole picture that stay where they are: where the tiles of a VAE meet.
///
/// Each third of a clip is looked at by the mean of some of its frames, in which what moves has become
/// smooth. A seam is a column (or row) of pixels where brightness makes the same step in all thirds, of 1.5
/// levels or more and twice as much as beside it, over at least 70 % of its length and half of its first and
/// last tenth: things in a picture seldom stand still and reach from edge to edge. Not taken for seams: steps
/// of more than 40 levels and edges of black bars (those are of the picture), the outermost 4 %, and
/// patterns: more than six such lines, or others that step over half as much of their length.
class TileSeamDetector {
public:
    static constexpr int kThirds = 3;

    /// Frames of one size; two dozen of a clip suffice. `third` is that of the clip from which the frame is:
    /// 0, 1, 2.
    void add(const Luma& luma, int third);

    struct Lines {
        std::vector<int> columns;  ///< x of the first column right of each seam
        std::vector<int> rows;     ///< y of the first row below
    };
    Lines find() const;

private:
    struct Sum {
        int frames = 0;
        std::vector<std::uint32_t> levels;
    };
    int m_width = 0, m_height = 0;
    std::array<Sum, kThirds> m_thirds;
};

}  // namespace dailies::quality
