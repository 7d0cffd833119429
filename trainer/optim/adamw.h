#pragma once

#include "trainer/optim/optimizer.h"

namespace dailies::trainer {

/// AdamW (Loshchilov & Hutter 2019) in LibTorch's fused kernel. State: both moments and the number of
/// updates.
class AdamW final : public Optimizer {
public:
    AdamW(const Params& weights, const config::TrainConfig::Optimizer& config,
          const TensorRanges& ranges = {});

    void step(const std::vector<at::Tensor>& gradients, double learningRate) override;
    Params state() const override;
    TensorRanges stateRanges() const override { return m_ranges; }

private:
    struct Group {
        std::vector<std::size_t> members;  ///< indices of the weights
        std::vector<at::Tensor> weights, firstMoments, secondMoments, steps;
        double weightDecay = 0;
    };

    config::TrainConfig::Optimizer m_config;
    std::vector<std::string> m_names;
    TensorRanges m_ranges;  ///< of the state
    Group m_groups[2];      ///< what decays, and the rest
};

}  // namespace dailies::trainer
