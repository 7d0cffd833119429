#pragma once

#include "trainer/tensors/params.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::trainer::layers {

/// Low-rank adapters (LoRA): a layer that has one gives y = W·x + scale · B(A(dropout(x))). The factors are
/// weights beside W, `adapter`.lora_A.weight [rank, inputs] and `adapter`.lora_B.weight [rows, rank]; which
/// adapters a layer has is said here.
class Lora {
public:
    /// A matrix of a layer. Queries, keys and values are one weight of ours and three layers everywhere else,
    /// so each has factors of its own.
    struct Matrix {
        std::int64_t rows = 0;  ///< of the layer's outputs
        std::string adapter;    ///< empty: it has none
    };

    explicit Lora(double scale) : m_scale(scale) {}

    /// `matrices`: all of the layer's, in the order of its outputs.
    void add(const std::string& layer, std::vector<Matrix> matrices) {
        m_layers.emplace(layer, std::move(matrices));
    }

    /// From now on passes set this share of what adapters read to zero and multiply the rest by 1/(1 -
    /// share): of each clip other values, as its key says. No keys: nothing is dropped.
    void setDropout(double share, std::vector<std::uint64_t> keys) {
        m_dropout = share;
        m_dropoutKeys = std::move(keys);
    }

    double scale() const { return m_scale; }

    /// The layer's product for `x`, `bias` perhaps undefined, with what its adapters add. Throws `Error`
    /// where `x` [clips, …] has another number of clips than there are keys.
    at::Tensor operator()(const Params& weights, const std::string& layer, const at::Tensor& x,
                          const at::Tensor& weight, const at::Tensor& bias) const;

private:
    bool drops() const { return !m_dropoutKeys.empty() && m_dropout > 0; }
    at::Tensor addedTo(const at::Tensor& y, const std::vector<Matrix>& matrices, const Params& weights,
                       const at::Tensor& x) const;
    at::Tensor dropped(const at::Tensor& x, const std::string& adapter) const;

    double m_scale;
    double m_dropout = 0;
    std::vector<std::uint64_t> m_dropoutKeys;
    std::unordered_map<std::string, std::vector<Matrix>> m_layers;
};

/// The product of layer `name` for `x`, without its bias where `bias` is undefined, with what adapters add
/// where the weights have them.
at::Tensor linearWithLora(const Params& weights, const std::string& name, const at::Tensor& x,
                          const at::Tensor& bias = {});

}  // namespace dailies::trainer::layers
