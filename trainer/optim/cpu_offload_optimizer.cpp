#include "trainer/optim/cpu_offload_optimizer.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

/// Where copies to and from the tensor's device need not wait for each other. A rehearsed tensor's host is
/// rehearsed, too.
at::Tensor emptyOnHost(const at::Tensor& like) {
    const auto options = at::TensorOptions().dtype(like.scalar_type());
    return at::empty(like.sizes(), like.is_meta() ? options.device(at::kMeta)
                                                  : options.device(at::kCPU).pinned_memory(like.is_cuda()));
}

}  // namespace

CpuOffloadOptimizer::CpuOffloadOptimizer(
    const Params& weights, const std::function<std::unique_ptr<Optimizer>(const Params& onHost)>& make)
    : m_weights(weights) {
    for (const auto& name : weights.names()) {
        m_onHost.add(name, emptyOnHost(weights[name]));
        m_gradients.push_back(emptyOnHost(weights[name]));
        m_seen.push_back(-1);
    }
    m_optimizer = make(m_onHost);
}

void CpuOffloadOptimizer::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    const at::NoGradGuard noGradients;
    const auto& weights = m_weights.tensors();
    const auto& onHost = m_onHost.tensors();
    for (std::size_t i = 0; i < weights.size(); ++i)
        if (weights[i]._version() != m_seen[i])
            at::Tensor(onHost[i]).copy_(weights[i], /*non_blocking=*/true);
    // a stream copies in order: who waits for the last has waited for all
    for (std::size_t i = 0; i < gradients.size(); ++i)
        m_gradients[i].copy_(gradients[i], /*non_blocking=*/i + 1 < gradients.size());
    m_optimizer->step(m_gradients, learningRate);
    for (std::size_t i = 0; i < weights.size(); ++i)
        at::Tensor(weights[i]).copy_(onHost[i], /*non_blocking=*/true);
    // weights that lie in one bucket count their changes together
    for (std::size_t i = 0; i < weights.size(); ++i) m_seen[i] = weights[i]._version();
}

}  // namespace dailies::trainer
