#include "trainer/models/layers/attention.h"

#include "trainer/models/layers/cuda/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/tensor_parallel_comm.h"

#include <torch/types.h>

#include <array>
#include <cmath>

namespace dailies::trainer::layers {

namespace {

at::Tensor byHead(const at::Tensor& x, std::int64_t headWidth) {
    return x.unflatten(-1, {x.size(-1) / headWidth, headWidth});
}

/// [batch, tokens, heads, headWidth] of queries and keys, normalised in float32. `share`: who has the other
/// heads; null: none are missing.
at::Tensor normalised(const AttentionShape& shape, const at::Tensor& x, const at::Tensor& gain,
                      const TensorParallelComm* share) {
    if (shape.normAcrossHeads)
        return byHead(
            share ? rmsNorm(x, gain, *share, shape.normEpsilon) : rmsNorm(x, gain, shape.normEpsilon),
            shape.headWidth());
    return rmsNorm(byHead(x, shape.headWidth()), gain, shape.normEpsilon);
}

/// Queries, keys and values of a product with the weights of this rank's heads.
std::array<at::Tensor, 3> ropeHeads(const AttentionShape& shape, const Params& weights,
                                    const std::string& name, const at::Tensor& joined,
                                    const RopeTable& rope) {
    const auto* share = weights.tensorParallel();
    const auto ranks = share ? share->ranks() : 1;
    const auto width = shape.width / ranks, kvWidth = shape.kvWidth() / ranks;
    const auto &queryGain = weights[name + ".query_norm.weight"],
               &keyGain = weights[name + ".key_norm.weight"];
    if (!share || !shape.normAcrossHeads)
        return fused::qkNormRope(
            joined, {width, kvWidth, shape.headWidth(), shape.normAcrossHeads, shape.normEpsilon}, queryGain,
            keyGain, rope);
    const auto parts = joined.split_with_sizes({width, kvWidth, kvWidth}, -1);
    const auto through = [&](const at::Tensor& x, const at::Tensor& gain) {
        const auto normed = normalised(shape, x, gain, share);
        const auto heads = normed.size(-2);
        return rotated(normed, rope.ofHeads(share->rank() * heads, heads)).to(x.scalar_type());
    };
    return {through(parts[0], queryGain), through(parts[1], keyGain), byHead(parts[2], shape.headWidth())};
}

void declareNorms(const AttentionShape& shape, WeightInitializer& make, const std::string& name) {
    make.ones(name + "query_norm.weight", {shape.normAcrossHeads ? shape.width : shape.headWidth()});
    make.ones(name + "key_norm.weight", {shape.normAcrossHeads ? shape.kvWidth() : shape.headWidth()});
}

/// Attention within each row of the batch, [batch, tokens, heads, headWidth] → [batch, tokens, width].
at::Tensor attend(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                  const at::Tensor& mask = {}) {
    const auto mixed = at::scaled_dot_product_attention(
        query.transpose(1, 2), key.transpose(1, 2), value.transpose(1, 2),
        mask.defined() ? std::optional(mask) : std::nullopt, 0.0, false, std::nullopt,
        /*enable_gqa=*/query.size(2) != key.size(2));
    return mixed.transpose(1, 2).flatten(2);
}

/// Attention of one group of clips over a span.
at::Tensor attendWithin(const TokenGrid& grid, Span span, const at::Tensor& query, const at::Tensor& key,
                        const at::Tensor& value) {
    if (span == Span::full) return attend(query, key, value);
    const auto perFrame = grid.tokensPerFrame();
    const auto regroup = [&](const at::Tensor& x) {
        const auto frames = x.unflatten(1, {grid.frames, perFrame});
        return (span == Span::spatial ? frames : frames.transpose(1, 2)).flatten(0, 1);
    };
    const auto mixed = attend(regroup(query), regroup(key), regroup(value));
    return span == Span::spatial ? mixed.unflatten(0, {grid.clips, grid.frames}).flatten(1, 2)
                                 : mixed.unflatten(0, {grid.clips, perFrame}).transpose(1, 2).flatten(1, 2);
}

/// Attention from the tokens of each rank that shares them.
at::Tensor attendShared(const SequenceLayout& layout, Span span, const at::Tensor& query,
                        const at::Tensor& key, const at::Tensor& value) {
    if (!layout.hasWholeSpans(span) && !layout.reshardsSpatially(span))
        return layout.sequenceParallel()->attend(
            query, key, value, [&](const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
                return attendWithin(layout.groups().front(), span, q, k, v);
            });
    const auto grid = layout.attendingGrid(span);
    const auto asGrid = [&](const at::Tensor& x) {
        return x.reshape({grid.clips, grid.tokensPerClip(), x.size(2), x.size(3)});
    };
    const auto mixed = attendWithin(grid, span, asGrid(query), asGrid(key), asGrid(value));
    return mixed.reshape({query.size(0), query.size(1), mixed.size(2)});
}

/// Whether FlashAttention can take the packed sequence at once: on a GPU, in half precision.
bool takesPacked(const at::Tensor& x) {
    return x.is_cuda() && (x.scalar_type() == at::kBFloat16 || x.scalar_type() == at::kHalf) &&
           x.size(-1) <= 256;
}

at::Tensor attendPacked(const SequenceLayout& layout, const at::Tensor& query, const at::Tensor& key,
                        const at::Tensor& value) {
    const auto offsets = layout.clipOffsets(query.device());
    const auto longest = layout.longestClip();
    const auto mixed = std::get<0>(at::_flash_attention_forward(
        query[0], key[0], value[0], offsets, offsets, longest, longest, /*dropout_p=*/0.0,
        /*is_causal=*/false, /*return_debug_mask=*/false,
        /*scale=*/1 / std::sqrt(static_cast<double>(query.size(-1)))));
    return mixed.flatten(1).unsqueeze(0);
}

}  // namespace

void SelfAttention::declare(WeightInitializer& make, const std::string& name) const {
    make.linear(name + ".qkv", width + 2 * kvWidth(), width, bias);
    declareNorms(*this, make, name + ".");
    make.linear(name + ".attention_out", width, width, bias);
}

at::Tensor SelfAttention::operator()(const Params& weights, const std::string& name, const at::Tensor& tokens,
                                     const SequenceLayout& layout, Span span, const RopeTable& rope) const {
    const auto* share = layout.sequenceParallel();
    const bool ofPlaces = layout.reshardsSpatially(span);
    const auto frames = layout.groups().front().frames;
    // what queries, keys and values are made of is a third of them
    const auto own = ofPlaces ? share->reshardSpatially(tokens, frames) : tokens;
    const auto [query, key, value] =
        ropeHeads(*this, weights, name, columnParallelLinear(weights, name + ".qkv", own), rope);
    if (share) {
        const auto type = value.scalar_type();
        const auto out = rowParallelLinear(weights, name + ".attention_out",
                                           attendShared(layout, span, query.to(type), key.to(type), value));
        return ofPlaces ? share->reshardTemporally(out, frames) : out;
    }
    if (layout.packed() && span == Span::full && takesPacked(query))
        return rowParallelLinear(weights, name + ".attention_out", attendPacked(layout, query, key, value));
    const auto queries = layout.split(query), keys = layout.split(key), values = layout.split(value);
    std::vector<at::Tensor> mixed;
    for (std::size_t i = 0; i < queries.size(); ++i)
        mixed.push_back(attendWithin(layout.groups()[i], span, queries[i], keys[i], values[i]));
    return rowParallelLinear(weights, name + ".attention_out", layout.join(mixed));
}

void CrossAttention::declare(WeightInitializer& make, const std::string& name) const {
    make.linear(name + ".cross.query", width, width, bias);
    make.linear(name + ".cross.key_value", 2 * kvWidth(), textWidth, bias);
    declareNorms(*this, make, name + ".cross.");
    if (readsImage) {
        make.linear(name + ".cross.image_key_value", 2 * kvWidth(), textWidth, bias);
        make.ones(name + ".cross.image_key_norm.weight", {normAcrossHeads ? kvWidth() : headWidth()});
    }
    make.linear(name + ".cross.out", width, width, bias);
}

at::Tensor CrossAttention::operator()(const Params& weights, const std::string& name,
                                      const at::Tensor& tokens, const SequenceLayout& layout,
                                      const TextContext& text, const at::Tensor& image) const {
    struct Context {
        std::vector<at::Tensor> keys, values;  // of each group
    };
    const auto context = [&](const at::Tensor& read, const std::string& of) -> Context {
        const auto keyValue = linear(weights, name + ".cross." + of + "key_value", read).chunk(2, -1);
        const auto key = normalised(*this, keyValue[0], weights[name + ".cross." + of + "key_norm.weight"],
                                    weights.tensorParallel());
        return {layout.splitClips(key.to(keyValue[1].scalar_type())),
                layout.splitClips(byHead(keyValue[1], headWidth()))};
    };
    const auto caption = context(text.tokens, "");
    const auto query = normalised(*this, columnParallelLinear(weights, name + ".cross.query", tokens),
                                  weights[name + ".cross.query_norm.weight"], weights.tensorParallel())
                           .to(caption.values.front().scalar_type());
    const auto queries = layout.split(query);
    const auto masks =
        text.mask.defined() ? layout.splitClips(text.mask) : std::vector<at::Tensor>(queries.size());
    std::vector<at::Tensor> mixed;
    for (std::size_t i = 0; i < queries.size(); ++i)
        mixed.push_back(attend(queries[i], caption.keys[i], caption.values[i],
                               masks[i].defined() ? masks[i].unsqueeze(1).unsqueeze(1) : at::Tensor()));
    if (readsImage) {
        const auto seen = context(image, "image_");
        for (std::size_t i = 0; i < queries.size(); ++i)
            mixed[i] = mixed[i] + attend(queries[i], seen.keys[i], seen.values[i]);
    }
    return rowParallelLinear(weights, name + ".cross.out", layout.join(mixed));
}

}  // namespace dailies::trainer::layers
