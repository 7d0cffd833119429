#include "ui/datasets/histogram.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

double HistogramAxis::shareOf(double value) const {
    const double share = std::clamp((value - begin) / (end - begin), 0.0, 1.0);
    return root ? std::sqrt(share) : share;
}

double HistogramAxis::valueAt(double share) const {
    const double inside = std::clamp(share, 0.0, 1.0);
    return begin + (end - begin) * (root ? inside * inside : inside);
}

HistogramAxis axisFromZero(std::span<const double> numbers, double leastEnd, bool root) {
    constexpr double kShown = 0.995, kRoomBehind = 1.06;
    double end = 0;
    std::vector<double> values(numbers.begin(), numbers.end());
    if (!values.empty()) {
        const auto place =
            values.begin() + static_cast<std::ptrdiff_t>(kShown * static_cast<double>(values.size() - 1));
        std::ranges::nth_element(values, place);
        end = *place;
    }
    return {0, std::max(kRoomBehind * end, leastEnd), root};
}

Histogram::Histogram(std::span<const double> numbers, const HistogramAxis& axis) : m_axis(axis) {
    m_bins.reserve(numbers.size());
    for (const double number : numbers) {
        if (std::isnan(number)) {
            m_bins.push_back(kNoBin);
            continue;
        }
        const int bin = std::clamp(static_cast<int>(axis.shareOf(number) * kBins), 0, kBins - 1);
        m_bins.push_back(static_cast<std::uint8_t>(bin));
        ++m_all[static_cast<std::size_t>(bin)];
    }
}

Histogram::Counts Histogram::countKept(const std::vector<curation::ReasonSet>& reasons) const {
    std::array<std::uint32_t, kBins + 1> kept = {};  // the last: of no bin
    for (std::size_t i = 0; i < m_bins.size(); ++i) kept[m_bins[i]] += reasons[i] == 0;
    Counts inBins;
    std::copy_n(kept.begin(), kBins, inBins.begin());
    return inBins;
}

}  // namespace dailies::ui
