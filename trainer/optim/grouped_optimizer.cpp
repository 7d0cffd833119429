#include "trainer/optim/grouped_optimizer.h"

#include <map>
#include <utility>

namespace dailies::trainer {

GroupedOptimizer::GroupedOptimizer(const Params& weights, const std::vector<double>& factors,
                                   const std::function<std::unique_ptr<Optimizer>(const Params&)>& make) {
    std::map<double, std::vector<std::size_t>> members;
    for (std::size_t i = 0; i < factors.size(); ++i) members[factors[i]].push_back(i);
    for (auto& [factor, indices] : members) {
        Params some;
        for (const auto i : indices) some.add(weights.names()[i], weights.tensors()[i]);
        m_groups.push_back({factor, std::move(indices), make(some)});
    }
}

void GroupedOptimizer::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    for (const auto& group : m_groups) {
        std::vector<at::Tensor> own;
        for (const auto i : group.members) own.push_back(gradients[i]);
        group.optimizer->step(own, group.factor * learningRate);
    }
}

Params GroupedOptimizer::state() const {
    Params all;
    for (const auto& group : m_groups) {
        const auto state = group.optimizer->state();
        for (const auto& name : state.names()) all.add(name, state[name]);
    }
    return all;
}

TensorRanges GroupedOptimizer::stateRanges() const {
    TensorRanges all;
    for (const auto& group : m_groups) all.merge(group.optimizer->stateRanges());
    return all;
}

}  // namespace dailies::trainer
