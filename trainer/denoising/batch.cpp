#include "trainer/denoising/batch.h"

#include "trainer/denoising/character.h"
#include "trainer/denoising/collate.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

Batch Batch::part(std::int64_t index, std::int64_t parts) const {
    if (parts == 1) return *this;
    const auto count = clips() / parts;
    const auto first = index * count, last = first + count;
    const auto cut = [&](const at::Tensor& whole) {
        return whole.defined() ? whole.narrow(0, first, count) : at::Tensor();
    };
    Batch part{{}, eachTensor(text, cut), cut(quantiles), cut(conditioningFrames), globalClips, globalTokens};
    if (!globalIndices.empty())
        part.globalIndices.assign(globalIndices.begin() + first, globalIndices.begin() + last);
    if (!dropoutKeys.empty())
        part.dropoutKeys.assign(dropoutKeys.begin() + first, dropoutKeys.begin() + last);
    std::int64_t at = 0;
    for (const auto& group : groups) {
        const auto size = group.clips.size(0);
        const auto from = std::clamp(first - at, std::int64_t{0}, size),
                   to = std::clamp(last - at, std::int64_t{0}, size);
        if (from < to) {
            const auto some = [&](const at::Tensor& x) { return x.defined() ? x.slice(0, from, to) : x; };
            part.groups.push_back({some(group.clips),
                                   some(group.noise),
                                   group.fps,
                                   eachTensor(group.character, some),
                                   {some(group.image.conditioning), some(group.image.tokens)}});
        }
        at += size;
    }
    return part;
}

}  // namespace dailies::trainer
