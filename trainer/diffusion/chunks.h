#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// How a clip that is longer than a model's own is cut: chunks of `length` frames, each of which shares
/// `overlap` frames with the one before. Frames are the model's: of pixels or latents.
struct Chunks {
    std::int64_t length = 0;
    std::int64_t overlap = 0;
    std::int64_t count = 1;

    /// As few as cover `frames`: 120 frames in chunks of 24 with 8 in common are 7. Throws `InputError` for
    /// an overlap that is not from 1 to half a chunk: a frame lies in two chunks at most.
    static Chunks covering(std::int64_t frames, std::int64_t length, std::int64_t overlap);

    std::int64_t first(std::int64_t chunk) const { return chunk * (length - overlap); }
    std::int64_t frames() const { return first(count - 1) + length; }  ///< at least as many as were wanted
};

/// Joins chunks that come one after the other: where two overlap, frame j of C (0 … C - 1) is
/// (1 - λ)·earlier + λ·later with λ = (j + 1) / (C + 1). It holds one overlap, however many come.
class LinearBlend {
public:
    explicit LinearBlend(const Chunks& chunks) : m_chunks(chunks) {}

    /// The next chunk, [n, length, …]; returns the frames that no later chunk touches, in order.
    at::Tensor add(const at::Tensor& chunk);

private:
    Chunks m_chunks;
    std::int64_t m_added = 0;
    at::Tensor m_shared;  ///< the end of the chunk before
};

}  // namespace dailies::trainer
