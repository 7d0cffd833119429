#pragma once

#include "trainer/diffusion/objective.h"
#include "trainer/models/model_family.h"

#include <vector>

namespace dailies::trainer {

/// Clips of one size on an objective's path, somewhere between clip and noise.
struct NoisyClips {
    at::Tensor noised;             ///< [n, frames, height, width, channels]: z
    at::Tensor levels;             ///< [n], on the same device
    at::Tensor conditioning = {};  ///< ClipGroup::conditioning
    double fps = 24;
    Character character = {};
    at::Tensor imageTokens = {};  ///< ClipGroup::imageTokens
};

/// What the network reads of them. `sequenceParallel`, `dropoutKeys`: of ModelInput.
ModelInput networkInput(const Objective& objective, const std::vector<NoisyClips>& groups,
                        const TextInput& text, const layers::SequenceParallel* sequenceParallel = nullptr,
                        const std::vector<std::uint64_t>& dropoutKeys = {});

/// What the network puts out for each group, in float32 as objectives read it.
std::vector<at::Tensor> networkOutputs(const Model& model, const Params& weights, const Objective& objective,
                                       const std::vector<NoisyClips>& groups, const TextInput& text,
                                       const layers::SequenceParallel* sequenceParallel = nullptr,
                                       const std::vector<std::uint64_t>& dropoutKeys = {});

}  // namespace dailies::trainer
