#pragma once

#include "core/curation/clip_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dailies::ui {

/// The clips of a set by one of their numbers, in equal parts of an axis from 0; the last part has all
/// beyond. Where most clips lie near 0 the axis is of the number's root.
class Histogram {
public:
    static constexpr int kBins = 72;
    using Counts = std::array<std::uint32_t, kBins>;

    Histogram() = default;
    /// `axisEnd`: 0 for where 995 of 1,000 clips end, and `leastEnd` at least.
    Histogram(const curation::ClipSet& clips, curation::Measure measure, double axisEnd, double leastEnd,
              bool root);

    const Counts& all() const { return m_all; }
    Counts countKept(const std::vector<curation::ReasonSet>& reasons) const;
    double end() const { return m_end; }
    double shareOf(double value) const;  ///< 0 to 1 along the axis
    double valueAt(double share) const;

private:
    double m_end = 1;
    bool m_root = false;
    std::vector<std::uint8_t> m_bins;  ///< one a clip
    Counts m_all = {};
};

}  // namespace dailies::ui
