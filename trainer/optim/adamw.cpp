#include "trainer/optim/adamw.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

constexpr double kEpsilon = 1e-8;

bool isMatrix(const std::string& name, const at::Tensor& weight) {
    return weight.dim() >= 2 && name.ends_with(".weight");
}

}  // namespace

AdamW::AdamW(const Params& weights, const config::TrainConfig::Optimizer& config)
    : m_config(config), m_names(weights.names()) {
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        const auto& weight = weights.tensors()[i];
        auto& group = m_groups[isMatrix(m_names[i], weight) ? 0 : 1];
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
        for (auto& count : group.steps) count.add_(1);
        at::_fused_adamw_(group.weights, own, group.firstMoments, group.secondMoments, {}, group.steps,
                          learningRate, m_config.beta1, m_config.beta2, group.weightDecay, kEpsilon,
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

void updateAverage(const Params& average, const Params& weights, double decay) {
    std::vector<at::Tensor> current;
    for (const auto& weight : weights.tensors()) current.push_back(weight.detach());
    at::_foreach_lerp_(average.tensors(), current, 1 - decay);
}

}  // namespace dailies::trainer
