#include "trainer/models/clip/clip_text.h"

#include "core/base/error.h"
#include "trainer/models/clip/clip_tower.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"

#include <torch/types.h>

namespace dailies::trainer::clip {

namespace {

const std::string kText = "text_model.";

}  // namespace

TextTower::TextTower(TextSizes sizes) : m_sizes(std::move(sizes)) {
    checkTower(m_sizes.tower);
}

TextOutput TextTower::operator()(const Params& weights, const at::Tensor& ids) const {
    const auto tokens = ids.size(1);
    if (tokens > m_sizes.places)
        throw Error("An encoder of texts of " + std::to_string(m_sizes.places) + " tokens was given " +
                    std::to_string(tokens) + ".");
    const auto name = kText + "embeddings.";
    const auto embedded = at::embedding(weights[name + "token_embedding.weight"], ids) +
                          weights[name + "position_embedding.weight"].narrow(0, 0, tokens);
    const auto states =
        throughTower(m_sizes.tower, weights, kText + "encoder.layers", embedded, /*causal=*/true);
    TextOutput output{.last = {}, .penultimate = states.penultimate, .pooled = {}, .projected = {}};
    output.last = layers::layerNorm(weights, kText + "final_layer_norm", states.last, kNormEpsilon);
    const auto ends = ids.argmax(1).view({-1, 1, 1}).expand({-1, 1, output.last.size(2)});
    output.pooled = output.last.gather(1, ends).squeeze(1);
    if (m_sizes.tower.projection > 0)
        output.projected = layers::fp32Linear(weights, "text_projection", output.pooled);
    return output;
}

}  // namespace dailies::trainer::clip
