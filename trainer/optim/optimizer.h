#pragma once

#include "core/config/train_config.h"
#include "trainer/models/params.h"

#include <memory>
#include <vector>

namespace dailies::trainer {

/// Updates the weights that it was made with, in place. One conformance suite runs over all of them.
class Optimizer {
public:
    virtual ~Optimizer() = default;

    /// One update with the given gradients (float32, in the order of the weights).
    virtual void step(const std::vector<at::Tensor>& gradients, double learningRate) = 0;

    /// What it remembers from step to step, named after the weights: what a checkpoint keeps. The tensors are
    /// shared, so that copying into them restores the optimizer.
    virtual Params state() const = 0;
};

/// The optimizer of `config.name` for float32 weights. Throws `InputError` for a name that this trainer
/// lacks.
std::unique_ptr<Optimizer> makeOptimizer(const Params& weights, const config::TrainConfig::Optimizer& config);

/// Whether weight decay applies: to matrices only. Biases, gains and modulation tables of a norm lose their
/// meaning when pulled to zero.
bool decays(const std::string& name, const at::Tensor& weight);

/// AdamW's constant against division by zero.
constexpr double kAdamEpsilon = 1e-8;

}  // namespace dailies::trainer
