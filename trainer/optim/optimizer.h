#pragma once

#include "core/config/train_config.h"
#include "trainer/tensors/params.h"
#include "trainer/tensors/tensor_range.h"

#include <memory>
#include <optional>
#include <string>
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
    /// Which parts of the whole its state is, where it was made for parts of weights.
    virtual TensorRanges stateRanges() const = 0;
};

/// The optimizer of `config.name` for float32 weights, or for the parts of weights that `ranges` tells: its
/// updates are then those that the whole weights would get. With `config.offload` it remembers on the host
/// (optim/offloaded.h) what it would on a GPU. Throws `InputError` for a name that this trainer
/// lacks.
std::unique_ptr<Optimizer> makeOptimizer(const Params& weights, const config::TrainConfig::Optimizer& config,
                                         const TensorRanges& ranges = {});

/// Throws `InputError` where a line of `config.lr_factors` matches none of the trained weights.
void requireLrFactorsNameWeights(const config::TrainConfig::Optimizer& config,
                                 const std::vector<std::string>& names);

/// What an optimizer treats alike whether it has the whole weight or a part of it.
struct WeightInfo {
    bool decays = false;        ///< matrices: norms' biases, gains and modulation lose their meaning at zero
    std::int64_t elements = 0;  ///< of the whole weight
    std::optional<TensorRange> range = {};  ///< none: it has the whole weight
};
WeightInfo weightInfo(const std::string& name, const at::Tensor& weight, const TensorRanges& ranges);

/// The range of how often a weight was updated, which whoever has its first element writes.
TensorRange updatesRange(const TensorRange& ofWeight);

/// AdamW's constant against division by zero.
constexpr double kAdamEpsilon = 1e-8;

}  // namespace dailies::trainer
