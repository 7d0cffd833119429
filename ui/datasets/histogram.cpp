#include "ui/datasets/histogram.h"

#include <algorithm>
#include <cmath>

namespace dailies::ui {

Histogram::Histogram(const curation::ClipSet& clips, curation::Measure measure, double axisEnd,
                     double leastEnd, bool root)
    : m_end(axisEnd), m_root(root) {
    const auto column = clips.column(measure);
    if (m_end <= 0) {
        constexpr double kShown = 0.995;
        std::vector<double> values(column.begin(), column.end());
        if (!values.empty()) {
            const auto place =
                values.begin() + static_cast<std::ptrdiff_t>(kShown * static_cast<double>(values.size() - 1));
            std::ranges::nth_element(values, place);
            m_end = *place;
        }
        constexpr double kRoomBehind = 1.06;
        m_end = std::max(kRoomBehind * m_end, leastEnd);
    }
    m_bins.reserve(column.size());
    for (const double value : column) {
        const int bin = std::clamp(static_cast<int>(shareOf(value) * kBins), 0, kBins - 1);
        m_bins.push_back(static_cast<std::uint8_t>(bin));
        ++m_all[static_cast<std::size_t>(bin)];
    }
}

Histogram::Counts Histogram::countKept(const std::vector<curation::ReasonSet>& reasons) const {
    Counts kept = {};
    for (std::size_t i = 0; i < m_bins.size(); ++i) kept[m_bins[i]] += reasons[i] == 0;
    return kept;
}

double Histogram::shareOf(double value) const {
    const double share = std::clamp(value / m_end, 0.0, 1.0);
    return m_root ? std::sqrt(share) : share;
}

double Histogram::valueAt(double share) const {
    const double inside = std::clamp(share, 0.0, 1.0);
    return m_end * (m_root ? inside * inside : inside);
}

}  // namespace dailies::ui
