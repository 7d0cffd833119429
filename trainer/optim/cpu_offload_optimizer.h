#pragma once

#include "trainer/optim/optimizer.h"

#include <functional>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// Any optimizer, with all that it remembers in the host's memory instead of the weights' device, where the
/// CPU computes the updates (ZeRO-Offload: Ren et al. 2021, arXiv 2101.06840). A step brings the gradients to
/// the host and the new weights back, 8 bytes a weight over the bus. The host holds 8 bytes a weight beside
/// the optimizer's own state, in pinned memory.
class CpuOffloadOptimizer : public Optimizer {
public:
    /// `make` makes the optimizer of weights on the host. The weights given here are those of the device and
    /// share memory with the caller's.
    CpuOffloadOptimizer(const Params& weights,
                        const std::function<std::unique_ptr<Optimizer>(const Params& onHost)>& make);

    /// Weights that others have changed since the last step are taken over first.
    void step(const std::vector<at::Tensor>& gradients, double learningRate) override;
    Params state() const override { return m_optimizer->state(); }
    TensorRanges stateRanges() const override { return m_optimizer->stateRanges(); }

private:
    Params m_weights, m_onHost;
    std::vector<at::Tensor> m_gradients;  ///< on the host
    std::vector<std::int64_t> m_seen;     ///< the versions of the weights that the host has
    std::unique_ptr<Optimizer> m_optimizer;
};

}  // namespace dailies::trainer
