#include "trainer/models/unianimate/unianimate.h"

#include "core/base/error.h"
#include "core/config/conditioning.h"
#include "trainer/models/layers/recompute.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

namespace {

planner::PoseEncoderSizes encoderSizes(const ModelShape& shape) {
    return {.width = shape.model.width,
            .given = config::conditioningChannels(shape.model, shape.channels),
            .latentPixels = shape.latentPixels,
            .framesPerLatent = shape.framesPerLatent,
            .patchSize = shape.model.patch_size};
}

/// [clips]: 1 for clips with poses, 0 for others.
at::Tensor havePoses(const Character& character) {
    return character.referencePose.select(-1, 0).amax({1, 2});
}

const Character& requireCharacter(const ClipGroup& group) {
    if (!group.character.referencePose.defined())
        throw Error("The model animates characters, and was given a clip without one.");
    return group.character;
}

}  // namespace

UniAnimate::UniAnimate(const ModelShape& shape, at::Device device)
    : Wan(shape, device), m_poses(encoderSizes(shape)) {}

void UniAnimate::declareWeights(WeightInitializer& make) const {
    Wan::declareWeights(make);
    m_poses.declareWeights(make);
}

Character UniAnimate::prepared(const Params& weights, const Character& character) const {
    auto read = character;
    // ranks with later stages of a pipeline do not have them, and do not embed clips
    if (!m_poses.isIn(weights)) return read;
    read.guided = m_poses.motion(weights, character.poses);
    return read;
}

at::Tensor UniAnimate::motion(const Params& weights, const at::Tensor& drawings) const {
    const auto read = [this, &weights](const std::vector<at::Tensor>& in) {
        return m_poses.motion(weights, in[0]);
    };
    if (shape().model.recompute == "none") return read({drawings});
    const bool isTrained = std::ranges::any_of(weights.names(), [&](const auto& name) {
        return name.starts_with(unianimate::kMotion) && weights[name].requires_grad();
    });
    // drawings have no gradient: something must tell autograd that there is one
    const auto marker = at::empty({1}, drawings.options()).set_requires_grad(isTrained);
    return layers::withRecompute(read, {drawings, marker});
}

at::Tensor UniAnimate::embedded(const Params& weights, const std::vector<ClipGroup>& groups,
                                const layers::SequenceLayout& layout) const {
    auto told = groups;
    std::vector<at::Tensor> added;
    for (auto& group : told) {
        const auto& character = requireCharacter(group);
        const auto are = havePoses(character).view({-1, 1, 1});
        const auto ofReference =
            (m_poses.reference(weights, character.referencePose.narrow(-1, 1, 3)).permute({0, 2, 3, 1}) *
             are.unsqueeze(-1))
                .unsqueeze(1);
        group.conditioning = group.conditioning.defined()
                                 ? group.conditioning + ofReference
                                 : ofReference.expand({-1, group.clips.size(1), -1, -1, -1});
        const auto tokens = character.guided.defined() ? character.guided : motion(weights, character.poses);
        added.push_back(layout.own(tokens.permute({0, 1, 3, 4, 2}).flatten(1, 3) * are, 1));
    }
    return Wan::embedded(weights, told, layout) + layout.join(added);
}

std::vector<DiffusersWeight> UniAnimate::diffusersWeights() const {
    auto names = Wan::diffusersWeights();
    if (names.empty()) return names;
    auto sizes = WeightInitializer::onMeta();
    m_poses.declareWeights(sizes);
    const auto encoders = sizes.take();
    for (const auto& name : encoders.names()) names.push_back({name, name});
    return names;
}

std::vector<std::string> UniAnimate::addedParts() const {
    return {unianimate::kMotion, unianimate::kReference};
}

Flops UniAnimate::flops(const ClipSize& size, std::int64_t textTokens) const {
    auto flops = Wan::flops(size, textTokens);
    const auto poses =
        planner::countPoseEncoders(encoderSizes(shape()), {size.frames, size.height, size.width});
    flops.rest += static_cast<std::int64_t>(poses.operations);
    flops.atInputs += static_cast<std::int64_t>(poses.atInputs);
    // the patches have what is made of the reference's pose in them
    flops.atInputs -= 2 * tokensPerClip(size) * patches().inputChannels() * shape().model.width;
    return flops;
}

}  // namespace dailies::trainer
