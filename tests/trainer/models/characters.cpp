#include "tests/trainer/models/characters.h"

#include "trainer/tensors/random.h"
#include "trainer/tensors/random_tensor.h"

#include <torch/types.h>

namespace dailies::trainer {

Params livelyWeights(const Model& model) {
    Params lively;
    const auto initial = model.initialWeights(1);
    for (const auto& name : initial.names())
        lively.add(name, initial[name] + 0.1 * normalTensor(hashText(name), initial[name].sizes()));
    return lively;
}

ModelInput twoCharacters(const ModelShape& shape) {
    ModelInput input;
    ClipGroup group;
    const auto height = shape.height, width = shape.width, channels = shape.channels;
    group.clips = normalTensor(1, {2, kCharacterFrames, height, width, channels});
    group.character = {
        at::cat({at::ones({2, height, width, 1}), normalTensor(2, {2, height, width, channels})}, -1),
        uniformTensor(3, {2, kCharacterFrames, 16, 24, shape.model.guidance_types.empty() ? 3 : 6})};
    if (shape.imageWidth > 0) group.character.embedding = normalTensor(4, {2, 1, shape.imageWidth});
    input.groups = {group};
    input.times = at::tensor({0.2, 0.8});
    return input;
}

ModelInput onlyCharacter(const ModelInput& two, std::int64_t clip) {
    auto alone = two;
    auto& group = alone.groups[0];
    for (auto* x : {&group.clips, &group.character.reference, &group.character.poses, &alone.times})
        *x = x->narrow(0, clip, 1);
    if (auto& embedding = group.character.embedding; embedding.defined())
        embedding = embedding.narrow(0, clip, 1);
    return alone;
}

std::size_t levelOfLayer(const std::string& name) {
    const auto numberBehind = [&](const std::string& list) {
        return static_cast<std::size_t>(name[name.find(list) + list.size()] - '0');
    };
    const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
    if (has("down_blocks.")) return numberBehind("down_blocks.") + (has("downsamplers") ? 1 : 0);
    if (has("up_blocks.")) return 3 - numberBehind("up_blocks.") - (has("upsamplers") ? 1 : 0);
    return has("mid_block.") ? 3 : 0;
}

}  // namespace dailies::trainer
