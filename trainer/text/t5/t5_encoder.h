#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer {

/// The encoder of T5 v1.1 and UMT5 (Raffel et al. 2020; gated MLPs of Shazeer 2020; transformers'
/// T5EncoderModel and UMT5EncoderModel). The two differ in where positions come from: UMT5 has a table of
/// relative positions in every layer, T5 one in the first layer, which all share. Any number of threads.
class T5Encoder {
public:
    static constexpr std::int64_t kMaxDistance = 128;  ///< of both; beyond it positions are not told apart

    /// `weights`: by transformers' names (`pretrained::t5Tensors`), the table of words as shared.weight, of
    /// any float type. They keep it, and everything is computed in float32: scores are not divided by the
    /// root of the heads' width, so that bfloat16 would lose 5 % of the result.
    explicit T5Encoder(Params weights, std::int64_t maxDistance = kMaxDistance);

    /// Ids [captions, tokens], int64 on any device; 0 is padding, behind a caption's tokens. Gives
    /// [captions, tokens, width], float32 on the weights' device, zero at padding, which no token sees.
    at::Tensor operator()(const at::Tensor& ids) const;

    std::int64_t width() const;
    std::int64_t vocabulary() const;

private:
    std::string block(std::int64_t layer) const;
    at::Tensor weight(const std::string& name) const;
    at::Tensor product(const std::string& name, const at::Tensor& x) const;
    at::Tensor positions(std::int64_t layer, const at::Tensor& buckets) const;
    at::Tensor attention(std::int64_t layer, const at::Tensor& x, const at::Tensor& bias) const;
    at::Tensor mlp(std::int64_t layer, const at::Tensor& x) const;

    Params m_weights;
    std::int64_t m_maxDistance;
    std::int64_t m_layers = 0, m_heads = 0, m_buckets = 0;
    bool m_positionsInEveryLayer = false;
};

/// The bucket of each relative position, [queries, keys] int64: of the distance key - query, half of the
/// buckets for either direction; in each, half for distances told exactly, the others spaced by logarithm up
/// to `maxDistance` (Raffel et al. 2020, section 2.1).
at::Tensor t5Buckets(std::int64_t tokens, std::int64_t buckets, std::int64_t maxDistance);

}  // namespace dailies::trainer
