#pragma once

#include "core/curation/clip_set.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dailies::ui {

/// Where numbers lie from left to right: 0 to 1. Where most are near 0 it is of their root.
struct HistogramAxis {
    double begin = 0, end = 1;
    bool root = false;

    double shareOf(double value) const;
    double valueAt(double share) const;
};

/// From 0 to where 995 of 1,000 numbers end, and to `leastEnd` at least.
HistogramAxis axisFromZero(std::span<const double> numbers, double leastEnd, bool root);

/// The clips of a set by one of their numbers, in equal parts of an axis; the outermost have all beyond.
/// Clips without that number (NaN) are left out.
class Histogram {
public:
    static constexpr int kBins = 72;
    using Counts = std::array<std::uint32_t, kBins>;

    Histogram() = default;
    Histogram(std::span<const double> numbers, const HistogramAxis& axis);

    const Counts& all() const { return m_all; }
    Counts countKept(const std::vector<curation::ReasonSet>& reasons) const;
    const HistogramAxis& axis() const { return m_axis; }

private:
    static constexpr std::uint8_t kNoBin = kBins;
    HistogramAxis m_axis;
    std::vector<std::uint8_t> m_bins;  ///< one a clip
    Counts m_all = {};
};

}  // namespace dailies::ui
