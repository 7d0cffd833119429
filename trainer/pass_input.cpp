#include "trainer/pass_input.h"

#include "core/base/text.h"
#include "trainer/example_tensors.h"

#include <torch/types.h>

namespace dailies::trainer {

std::vector<at::Tensor> PassInput::tensors() const {
    std::vector<at::Tensor> all = {text.words, text.embeddings, text.mask, text.bytes};
    for (const auto& group : groups)
        all.insert(all.end(), {group.clips, group.noise, group.levels, group.given});
    return all;
}

PassInput PassInput::clone() const {
    const auto copied = [](const at::Tensor& x) { return x.defined() ? x.clone() : x; };
    PassInput copy{{}, eachTensor(text, copied), globalClips};
    for (const auto& group : groups)
        copy.groups.push_back(
            {copied(group.clips), copied(group.noise), copied(group.levels), copied(group.given), group.fps});
    return copy;
}

void PassInput::copyFrom(const PassInput& other) const {
    const auto to = tensors(), from = other.tensors();
    for (std::size_t i = 0; i < to.size(); ++i)
        if (to[i].defined()) at::Tensor(to[i]).copy_(from[i], /*non_blocking=*/true);
}

std::string PassInput::shapeKey() const {
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
