#include "trainer/optim/loss_spikes.h"

#include <algorithm>
#include <cmath>

namespace dailies::trainer {

namespace {

double medianOf(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

}  // namespace

std::optional<LossSpikes::Spike> LossSpikes::observe(std::int64_t step, double loss) {
    std::optional<Spike> spike;
    if (m_recent.size() >= kMinSamples) {
        const double median = medianOf(m_recent);
        auto distances = m_recent;
        for (auto& value : distances) value = std::fabs(value - median);
        const double deviation = std::max(1.4826 * medianOf(std::move(distances)), 1e-12);
        const double above = (loss - median) / deviation;
        if (above > kDeviations && loss > kFactor * median) spike = Spike{loss / median, above, m_suppressed};
    }
    if (m_recent.size() == kWindow) m_recent.erase(m_recent.begin());
    m_recent.push_back(loss);
    if (!spike) return std::nullopt;
    if (m_reportedAt && step - *m_reportedAt <= kCooldownSteps) {
        ++m_suppressed;
        return std::nullopt;
    }
    m_reportedAt = step;
    m_suppressed = 0;
    return spike;
}

}  // namespace dailies::trainer
