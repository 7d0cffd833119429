#include "trainer/denoising/denoiser.h"

#include <torch/types.h>

namespace dailies::trainer {

ModelInput networkInput(const Objective& objective, const std::vector<NoisyClips>& groups,
                        const TextInput& text, const layers::SequenceParallel* sequenceParallel,
                        const std::vector<std::uint64_t>& dropoutKeys) {
    ModelInput input{{}, {}, text, sequenceParallel, dropoutKeys};
    std::vector<at::Tensor> times;
    for (const auto& [noised, levels, given, fps, character, imageTokens] : groups) {
        input.groups.push_back({objective.networkInput(noised, levels), given, fps, character, imageTokens});
        times.push_back(objective.networkTimes(levels));
    }
    input.times = at::cat(times);
    return input;
}

std::vector<at::Tensor> networkOutputs(const Model& model, const Params& weights, const Objective& objective,
                                       const std::vector<NoisyClips>& groups, const TextInput& text,
                                       const layers::SequenceParallel* sequenceParallel,
                                       const std::vector<std::uint64_t>& dropoutKeys) {
    auto outputs =
        model.forward(weights, networkInput(objective, groups, text, sequenceParallel, dropoutKeys));
    for (auto& output : outputs) output = output.to(at::kFloat);
    return outputs;
}

}  // namespace dailies::trainer
