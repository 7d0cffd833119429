#include "trainer/models/clip/clip_tower.h"

#include "core/base/error.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"
#include "trainer/models/layers/picture_shapes.h"
#include "trainer/models/layers/projected_attention.h"

#include <torch/types.h>

namespace dailies::trainer::clip {

namespace {

at::Tensor activated(const std::string& activation, const at::Tensor& x) {
    constexpr double kQuick = 1.702;  // Hendrycks & Gimpel 2016, section 2: x · σ(1.702 x)
    return activation == "gelu" ? at::gelu(x) : x * at::sigmoid(kQuick * x);
}

at::Tensor throughLayer(const TowerSizes& sizes, const Params& weights, const std::string& name,
                        const at::Tensor& tokens, bool causal) {
    const layers::ProjectedAttention attention{
        .heads = sizes.heads,
        .names = {.query = "q_proj", .key = "k_proj", .value = "v_proj", .out = "out_proj"},
        .causal = causal};
    const auto normed = [&](const std::string& norm, const at::Tensor& x) {
        return layers::layerNorm(weights, name + norm, x, kNormEpsilon);
    };
    const auto own = normed(".layer_norm1", tokens);
    const auto attended = tokens + attention(weights, name + ".self_attn", own, own);
    const auto inner = layers::linear(weights, name + ".mlp.fc1", normed(".layer_norm2", attended));
    return attended + layers::linear(weights, name + ".mlp.fc2", activated(sizes.activation, inner));
}

}  // namespace

void checkTower(const TowerSizes& sizes) {
    if (sizes.heads < 1 || sizes.width % sizes.heads != 0)
        throw InputError("An encoder of CLIP has a width of " + std::to_string(sizes.width) + ", which its " +
                         std::to_string(sizes.heads) + " heads do not divide.");
    if (sizes.activation != "quick_gelu" && sizes.activation != "gelu")
        throw InputError("An encoder of CLIP has the activation " + sizes.activation +
                         ", expected quick_gelu or gelu.");
}

TowerStates throughTower(const TowerSizes& sizes, const Params& weights, const std::string& name,
                         const at::Tensor& tokens, bool causal) {
    TowerStates states{.last = tokens, .penultimate = tokens};
    for (std::int64_t i = 0; i < sizes.layers; ++i) {
        states.penultimate = states.last;
        states.last = throughLayer(sizes, weights, numbered(name, i), states.last, causal);
    }
    return states;
}

}  // namespace dailies::trainer::clip
