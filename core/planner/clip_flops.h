#pragma once

#include "core/planner/weight_sizes.h"

namespace dailies::planner {

/// Floating-point operations of one forward pass of one clip: two for each multiply-add of a matrix product.
/// Counted without LibTorch: the same numbers as `Model::flops`, which a test holds it to.
struct ClipFlops {
    double attentionProjections = 0;  ///< of self- and cross-attention, that every token goes through
    double mlp = 0;
    double sdpa = 0;             ///< scores and mixtures of self-attention
    double textProjections = 0;  ///< keys and values of the caption
    double textSdpa = 0;         ///< scores and mixtures of attention to the caption
    double rest = 0;             ///< patches in and out, embeddings, modulation
    double atInputs = 0;         ///< part of the above in layers whose input takes no gradient

    double forward() const { return attentionProjections + mlp + sdpa + textProjections + textSdpa + rest; }
    double backward() const { return 2 * forward() - atInputs; }
    /// Of the transformer alone, forward and backward, which for a block of MLP ratio 4 with cross-attention
    /// is 84·width² + 12·width·tokens a token: the count that published figures of utilisation use.
    double standard() const { return 3 * (attentionProjections + mlp + sdpa); }
};

ClipFlops clipFlops(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip);

/// With how many tokens each token of a clip attends, on average over the blocks: all of them, but for
/// ST-DiT.
double meanSpan(const config::TrainConfig& config, const ClipShape& clip);

}  // namespace dailies::planner
