#pragma once

#include "trainer/meters/phase_clock.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace dailies::trainer {

/// What a step does, summed over all ranks.
struct StepWork {
    std::int64_t clips = 0;
    std::int64_t tokens = 0;
    double flops = 0;  ///< floating-point operations that the model needs, forward and backward,
                       ///< recomputation not counted
};

/// Averages what steps cost over the steps between two metrics events: rates, the waterfall of a step's
/// phases and how much of the devices' peak was used (MFU: Chowdhery et al., "PaLM", 2022, appendix B). No
/// thread of its own.
class StepMeter {
public:
    /// `peakFlops`: what all devices of the run could do in a second, where that is known.
    explicit StepMeter(std::optional<double> peakFlops = {}) : m_peakFlops(peakFlops) {}

    void add(const StepWork& work, const PhaseSeconds& seconds);

    /// "step_seconds", "clips_per_second", "tokens_per_second", "tflops", "mfu" (0 … 1), "data_wait" (the
    /// share of the step in which clips were waited for), "time/wait", "time/prepare", … (seconds a step, of
    /// each phase); begins again. Empty when nothing was added.
    std::map<std::string, double> takeAverages();

private:
    std::optional<double> m_peakFlops;
    std::int64_t m_steps = 0;
    StepWork m_work;
    PhaseSeconds m_seconds{};
};

}  // namespace dailies::trainer
