#include "trainer/text/t5/t5_encoder.h"

#include "trainer/models/layers/norms.h"

#include <torch/types.h>

#include <cmath>
#include <limits>

namespace dailies::trainer {

namespace {

const std::string kWords = "shared.weight";
const std::string kTable = "layer.0.SelfAttention.relative_attention_bias.weight";

}  // namespace

T5Encoder::T5Encoder(Params weights, std::int64_t maxDistance)
    : m_weights(std::move(weights)), m_maxDistance(maxDistance) {
    while (m_weights.contains(block(m_layers) + "layer.0.layer_norm.weight")) ++m_layers;
    const auto& table = m_weights[block(0) + kTable];
    m_buckets = table.size(0);
    m_heads = table.size(1);
    m_positionsInEveryLayer = m_weights.contains(block(1) + kTable);
}

at::Tensor T5Encoder::operator()(const at::Tensor& ids) const {
    const auto& words = m_weights[kWords];
    const auto read = ids.to(words.device());
    const auto isToken = read != 0;
    const auto unseen = at::zeros(read.sizes(), words.options().dtype(at::kFloat))
                            .masked_fill_(~isToken, std::numeric_limits<float>::lowest())
                            .view({read.size(0), 1, 1, read.size(1)});
    const auto buckets = t5Buckets(read.size(1), m_buckets, m_maxDistance).to(words.device());
    auto x = at::embedding(words, read).to(at::kFloat);
    at::Tensor bias;
    for (std::int64_t i = 0; i < m_layers; ++i) {
        if (i == 0 || m_positionsInEveryLayer) bias = positions(i, buckets) + unseen;
        x = x + attention(i, layers::rmsNorm(x, weight(block(i) + "layer.0.layer_norm")), bias);
        x = x + mlp(i, layers::rmsNorm(x, weight(block(i) + "layer.1.layer_norm")));
    }
    return layers::rmsNorm(x, weight("encoder.final_layer_norm")) * isToken.unsqueeze(-1);
}

std::int64_t T5Encoder::width() const {
    return m_weights[kWords].size(1);
}

std::int64_t T5Encoder::vocabulary() const {
    return m_weights[kWords].size(0);
}

std::string T5Encoder::block(std::int64_t layer) const {
    return "encoder.block." + std::to_string(layer) + ".";
}

at::Tensor T5Encoder::weight(const std::string& name) const {
    return m_weights[name + ".weight"].to(at::kFloat);
}

at::Tensor T5Encoder::product(const std::string& name, const at::Tensor& x) const {
    return at::linear(x, weight(name));
}

/// [1, heads, queries, keys]
at::Tensor T5Encoder::positions(std::int64_t layer, const at::Tensor& buckets) const {
    return at::embedding(m_weights[block(layer) + kTable], buckets)
        .to(at::kFloat)
        .permute({2, 0, 1})
        .unsqueeze(0);
}

at::Tensor T5Encoder::attention(std::int64_t layer, const at::Tensor& x, const at::Tensor& bias) const {
    const auto name = block(layer) + "layer.0.SelfAttention.";
    const auto inHeads = [&](const char* part) {
        return product(name + part, x).unflatten(-1, {m_heads, -1}).transpose(1, 2);
    };
    const auto scores = at::matmul(inHeads("q"), inHeads("k").transpose(-1, -2)) + bias;
    const auto mixed = at::matmul(at::softmax(scores, -1), inHeads("v"));
    return product(name + "o", mixed.transpose(1, 2).flatten(2));
}

at::Tensor T5Encoder::mlp(std::int64_t layer, const at::Tensor& x) const {
    const auto name = block(layer) + "layer.1.DenseReluDense.";
    return product(name + "wo", at::gelu(product(name + "wi_0", x), "tanh") * product(name + "wi_1", x));
}

at::Tensor t5Buckets(std::int64_t tokens, std::int64_t buckets, std::int64_t maxDistance) {
    const auto ofDirection = buckets / 2, exact = ofDirection / 2;
    const auto places = at::arange(tokens, at::kLong);
    const auto ahead = places.unsqueeze(0) - places.unsqueeze(1);
    const auto distance = ahead.abs();
    // in float32, as the models were trained: a power of two must not fall below the edge of its bucket
    const auto share = at::log(distance.to(at::kFloat).clamp_min(1) / exact) /
                       std::log(static_cast<double>(maxDistance) / static_cast<double>(exact));
    const auto spaced = (exact + (share * (ofDirection - exact)).to(at::kLong)).clamp_max(ofDirection - 1);
    return at::where(distance < exact, distance, spaced) + (ahead > 0).to(at::kLong) * ofDirection;
}

}  // namespace dailies::trainer
