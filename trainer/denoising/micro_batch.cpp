#include "trainer/denoising/micro_batch.h"

#include "core/base/text.h"
#include "trainer/denoising/character.h"
#include "trainer/denoising/collate.h"

#include <torch/types.h>

namespace dailies::trainer {

std::vector<at::Tensor> MicroBatch::tensors() const {
    std::vector<at::Tensor> all = {text.words, text.embeddings, text.mask, text.bytes};
    for (const auto& group : groups) {
        all.insert(all.end(),
                   {group.clips, group.noise, group.levels, group.conditioning, group.imageTokens});
        for (const auto part : kCharacterTensors) all.push_back(group.character.*part);
    }
    return all;
}

MicroBatch MicroBatch::clone() const {
    const auto copied = [](const at::Tensor& x) { return x.defined() ? x.clone() : x; };
    MicroBatch copy{{}, eachTensor(text, copied), globalClips, dropoutKeys};
    for (const auto& group : groups)
        copy.groups.push_back({copied(group.clips), copied(group.noise), copied(group.levels),
                               copied(group.conditioning), group.fps, eachTensor(group.character, copied),
                               copied(group.imageTokens)});
    return copy;
}

void MicroBatch::copyFrom(const MicroBatch& other) const {
    const auto to = tensors(), from = other.tensors();
    for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i].defined()) at::Tensor(to[i]).copy_(from[i], /*non_blocking=*/true);
}

std::string MicroBatch::shapeKey() const {
    std::string key = std::to_string(globalClips);
    for (const auto& group : groups) key += " " + shortNumber(group.fps);
    for (const auto& tensor : tensors()) {
        key += " |";
        if (!tensor.defined()) continue;
        key += c10::toString(tensor.scalar_type());
        for (const auto size : tensor.sizes()) key += " " + std::to_string(size);
    }
    return key;
}

}  // namespace dailies::trainer
