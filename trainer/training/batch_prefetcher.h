#pragma once

#include "trainer/denoising/batch_loader.h"
#include "trainer/meters/phase_clock.h"
#include "trainer/runtime/side_stream.h"

#include <optional>

namespace dailies::trainer {

/// Gives a run its batches in order, each made when it is asked for or, with `runtime.prepare_ahead`, while
/// the device computes the step before. They are the same either way.
class BatchPrefetcher {
public:
    /// The loader must outlive it.
    BatchPrefetcher(const config::TrainConfig& config, BatchLoader& loader, at::Device device)
        : m_loader(loader), m_side(device), m_ahead(config.runtime.prepare_ahead), m_lastStep(config.steps) {}

    Batch take(std::int64_t step, PhaseClock& clock);

    /// To be called when all work of the step before is queued and nothing has waited for it.
    void prefetchNext(std::int64_t step, PhaseClock& clock);

private:
    struct Made {
        std::int64_t step = 0;
        Batch batch;
    };

    BatchLoader& m_loader;
    SideStream m_side;
    bool m_ahead;
    std::int64_t m_lastStep;
    std::optional<Made> m_next;
};

}  // namespace dailies::trainer
