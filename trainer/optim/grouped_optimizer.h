#pragma once

#include "trainer/optim/optimizer.h"

#include <functional>
#include <memory>
#include <vector>

namespace dailies::trainer {

/// Several optimizers of one kind, each for the weights that share a factor of the learning rate
/// (`optimizer.lr_factors`).
class GroupedOptimizer : public Optimizer {
public:
    /// `factors`: of each of the weights. `make` gives the optimizer of some of them.
    GroupedOptimizer(const Params& weights, const std::vector<double>& factors,
                     const std::function<std::unique_ptr<Optimizer>(const Params&)>& make);

    void step(const std::vector<at::Tensor>& gradients, double learningRate) override;
    Params state() const override;
    TensorRanges stateRanges() const override;

private:
    struct Group {
        double factor = 1;
        std::vector<std::size_t> members;  ///< among the weights
        std::unique_ptr<Optimizer> optimizer;
    };
    std::vector<Group> m_groups;
};

}  // namespace dailies::trainer
