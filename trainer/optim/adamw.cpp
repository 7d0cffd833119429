#include "trainer/optim/adamw.h"

#include <torch/types.h>

namespace dailies::trainer {

AdamW::AdamW(const Params& weights, const config::TrainConfig::Optimizer& config, const TensorRanges& ranges)
    : m_config(config), m_names(weights.names()) {
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        const auto& weight = weights.tensors()[i];
        const auto facts = weightInfo(m_names[i], weight, ranges);
        if (facts.range) {
            m_ranges[m_names[i] + ".first_moment"] = m_ranges[m_names[i] + ".second_moment"] = *facts.range;
            m_ranges[m_names[i] + ".updates"] = updatesRange(*facts.range);
        }
        auto& group = m_groups[facts.decays ? 0 : 1];
        group.members.push_back(i);
        group.weights.push_back(weight.detach());
        group.firstMoments.push_back(at::zeros_like(weight.detach()));
        group.secondMoments.push_back(at::zeros_like(weight.detach()));
        group.steps.push_back(at::zeros({}, weight.options().requires_grad(false)));
    }
    m_groups[0].weightDecay = config.weight_decay;
}

void AdamW::step(const std::vector<at::Tensor>& gradients, double learningRate) {
    for (auto& group : m_groups) {
        if (group.members.empty()) continue;
        std::vector<at::Tensor> own;
        for (const auto i : group.members) own.push_back(gradients[i]);
        at::_foreach_add_(group.steps, 1);
        at::_fused_adamw_(group.weights, own, group.firstMoments, group.secondMoments, {}, group.steps,
                          learningRate, m_config.beta1, m_config.beta2, group.weightDecay, kAdamEpsilon,
                          /*amsgrad=*/false,
                          /*maximize=*/false);
    }
}

Params AdamW::state() const {
    Params state;
    for (const auto& group : m_groups)
        for (std::size_t i = 0; i < group.members.size(); ++i) {
            const auto& name = m_names[group.members[i]];
            state.add(name + ".first_moment", group.firstMoments[i]);
            state.add(name + ".second_moment", group.secondMoments[i]);
            state.add(name + ".updates", group.steps[i]);
        }
    return state;
}

}  // namespace dailies::trainer
