#pragma once

#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/rotary.h"
#include "trainer/models/layers/sequence_layout.h"
#include "trainer/models/layers/text_context.h"
#include "trainer/models/weight_initializer.h"

namespace dailies::trainer::layers {

/// Heads and norms that self- and cross-attention share.
struct AttentionShape {
    std::int64_t width = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;      ///< heads of keys and values: a divisor of heads (grouped-query attention)
    bool normAcrossHeads = false;  ///< one RMS over all heads' channels (Wan), else one a head
    bool bias = false;
    double normEpsilon = kNormEpsilon;  ///< of the RMS of queries and keys

    std::int64_t headWidth() const { return width / heads; }
    std::int64_t kvWidth() const { return kvHeads * headWidth(); }
    /// Operations of scores and mixtures of `tokens` queries with `others` keys each.
    std::int64_t attentionFlops(std::int64_t tokens, std::int64_t others) const {
        return 2 * 2 * tokens * others * width;
    }
};

/// Attention among the tokens of each clip. Queries and keys are RMS-normalised, which keeps attention
/// bounded at high learning rates, and turned by their place: `rope` is that of the span's tokens.
/// Weights: `name`.qkv, `name`.query_norm, `name`.key_norm, `name`.attention_out.
struct SelfAttention : AttentionShape {
    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& tokens,
                          const SequenceLayout& layout, Span span, const RopeTable& rope) const;
    std::int64_t flops(std::int64_t tokens) const { return 2 * tokens * width * (2 * width + 2 * kvWidth()); }
};

/// Attention of each clip's tokens to the caption of that clip, and to the image that it begins with: with
/// the same queries, and the sum of both goes out (Wan-Video/Wan2.1, wan/modules/model.py,
/// WanI2VCrossAttention). Weights: `name`.cross.query, .key_value, .query_norm, .key_norm, .out;
/// .image_key_value, .image_key_norm.
struct CrossAttention : AttentionShape {
    std::int64_t textWidth = 0;
    bool readsImage = false;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& tokens,
                          const SequenceLayout& layout, const TextContext& text,
                          const at::Tensor& image = {}) const;
    std::int64_t flops(std::int64_t tokens) const { return 2 * tokens * width * 2 * width; }
    std::int64_t textFlops(std::int64_t textTokens) const {
        return 2 * textTokens * textWidth * 2 * kvWidth();
    }
};

}  // namespace dailies::trainer::layers
