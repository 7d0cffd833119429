#pragma once

#include <cstdint>

namespace dailies::trainer {

/// Floating-point operations of one forward pass of one clip: two for each multiply-add of a matrix product,
/// which is what everyone counts; what is done element by element counts as nothing. Exact: the sum equals
/// what PyTorch's FlopCounterMode counts.
struct Flops {
    std::int64_t blocks = 0;     ///< matrices that every token goes through, in all blocks
    std::int64_t attention = 0;  ///< scores and mixtures of self-attention
    std::int64_t text = 0;       ///< keys, values, scores and mixtures of attention to the caption
    std::int64_t rest = 0;       ///< patches in and out, embeddings, modulation
    /// Part of the above in layers whose input takes no gradient (the clip, the noise level, text that
    /// another network embedded), for which the backward pass is half as long.
    std::int64_t atInputs = 0;

    std::int64_t forward() const { return blocks + attention + text + rest; }
    /// Without what activation checkpointing computes again.
    std::int64_t backward() const { return 2 * forward() - atInputs; }
    /// Of the transformer alone, forward and backward, which for a block of MLP ratio 4 with cross-attention
    /// is 84·width² + 12·width·tokens a token: the count that published figures of utilisation use.
    std::int64_t standard() const { return 3 * (blocks + attention); }
};

}  // namespace dailies::trainer
