#include "trainer/meters/step_meter.h"

#include <numeric>
#include <utility>

namespace dailies::trainer {

void StepMeter::add(const StepWork& work, const PhaseSeconds& seconds) {
    m_steps += 1;
    m_work.clips += work.clips;
    m_work.tokens += work.tokens;
    m_work.flops += work.flops;
    for (std::size_t i = 0; i < seconds.size(); ++i) m_seconds[i] += seconds[i];
}

std::map<std::string, double> StepMeter::takeAverages() {
    if (m_steps == 0) return {};
    const auto steps = static_cast<double>(std::exchange(m_steps, 0));
    const auto work = std::exchange(m_work, {});
    const auto seconds = std::exchange(m_seconds, {});
    const double total = std::accumulate(seconds.begin(), seconds.end(), 0.0);
    if (total <= 0) return {};

    std::map<std::string, double> averages = {
        {"step_seconds", total / steps},
        {"clips_per_second", static_cast<double>(work.clips) / total},
        {"tokens_per_second", static_cast<double>(work.tokens) / total},
        {"data_wait", seconds[static_cast<std::size_t>(Phase::wait)] / total},
    };
    if (work.flops > 0) averages["tflops"] = work.flops / total / 1e12;
    if (m_peakFlops && work.flops > 0) averages["mfu"] = work.flops / total / *m_peakFlops;
    for (std::size_t i = 0; i < seconds.size(); ++i)
        averages[std::string("time/") + kPhaseNames[i]] = seconds[i] / steps;
    return averages;
}

}  // namespace dailies::trainer
