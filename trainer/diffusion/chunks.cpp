#include "trainer/diffusion/chunks.h"

#include "core/base/error.h"

#include <torch/types.h>

#include <algorithm>
#include <string>

namespace dailies::trainer {

Chunks Chunks::covering(std::int64_t frames, std::int64_t length, std::int64_t overlap) {
    if (frames <= length) return {length, 0, 1};
    if (overlap < 1 || overlap > length / 2)
        throw InputError("overlap: found " + std::to_string(overlap) + " frames, expected from 1 to " +
                         std::to_string(length / 2) + ": half of the " + std::to_string(length) +
                         " frames that the model makes at once.");
    const auto stride = length - overlap;
    return {length, overlap, (frames - overlap + stride - 1) / stride};
}

at::Tensor LinearBlend::add(const at::Tensor& chunk) {
    const bool isFirst = m_added == 0;
    const bool isLast = ++m_added == m_chunks.count;
    const auto overlap = m_chunks.overlap;
    const auto done = m_chunks.length - (isLast ? 0 : overlap);
    auto frames = chunk.narrow(1, 0, done);
    if (!isFirst) {
        std::vector<std::int64_t> perFrame(static_cast<std::size_t>(chunk.dim()), 1);
        perFrame[1] = overlap;
        const auto later = (at::arange(1, overlap + 1, chunk.options()) / (overlap + 1)).view(perFrame);
        const auto joined = m_shared + (chunk.narrow(1, 0, overlap) - m_shared) * later;
        frames = at::cat({joined, chunk.narrow(1, overlap, done - overlap)}, 1);
    }
    // a copy: a view would keep the whole chunk
    if (!isLast) m_shared = chunk.narrow(1, done, overlap).clone();
    return frames;
}

}  // namespace dailies::trainer
