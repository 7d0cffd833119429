#pragma once

#include "core/config/train_config.h"
#include "trainer/models/params.h"

#include <vector>

namespace dailies::trainer {

/// AdamW (Loshchilov & Hutter 2019) in LibTorch's fused kernel. Weight decay applies to matrices only:
/// biases, gains and modulation tables of a norm lose their meaning when pulled to zero.
class AdamW {
public:
    AdamW(const Params& weights, const config::TrainConfig::Optimizer& config);

    /// One update with the given gradients, in the order of the weights.
    void step(const std::vector<at::Tensor>& gradients, double learningRate);

    /// Both moments and the number of updates, named after the weights: what a checkpoint keeps. The tensors
    /// are shared, so that copying into them restores the optimizer.
    Params state() const;

private:
    struct Group {
        std::vector<std::size_t> members;  ///< indices of the weights
        std::vector<at::Tensor> weights, firstMoments, secondMoments, steps;
        double weightDecay = 0;
    };

    config::TrainConfig::Optimizer m_config;
    std::vector<std::string> m_names;
    Group m_groups[2];
};

/// Exponential moving average of weights: average ← decay·average + (1 - decay)·weights.
void updateAverage(const Params& average, const Params& weights, double decay);

}  // namespace dailies::trainer
