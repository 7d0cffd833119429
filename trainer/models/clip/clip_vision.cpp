#include "trainer/models/clip/clip_vision.h"

#include "core/base/error.h"
#include "trainer/models/clip/clip_tower.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/norms.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer::clip {

namespace {

const std::string kVision = "vision_model.";

/// [n, tokens, width]: the token that stands for the picture, then the patches row by row.
at::Tensor patchTokens(const Params& weights, const at::Tensor& pictures, std::int64_t patch) {
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    const auto name = kVision + "embeddings.";
    const auto& matrix = weights[name + "patch_embedding.weight"];
    const std::vector<std::int64_t> stride(2, patch);
    const auto patches = at::conv2d(pictures.to(matrix.scalar_type()), matrix, {}, stride);
    const auto ownToken = weights[name + "class_embedding"].expand({pictures.size(0), 1, -1});
    return at::cat({ownToken, patches.flatten(2).transpose(1, 2)}, 1) +
           weights[name + "position_embedding.weight"];
}

}  // namespace

VisionTower::VisionTower(VisionSizes sizes) : m_sizes(std::move(sizes)) {
    checkTower(m_sizes.tower);
}

VisionOutput VisionTower::operator()(const Params& weights, const at::Tensor& pictures) const {
    const auto side = m_sizes.side;
    if (pictures.dim() != 4 || pictures.size(2) != side || pictures.size(3) != side)
        throw Error("An encoder of pictures of " + std::to_string(side) + " × " + std::to_string(side) +
                    " pixels was given others.");
    const auto embedded = layers::layerNorm(weights, kVision + "pre_layrnorm",
                                            patchTokens(weights, pictures, m_sizes.patch), kNormEpsilon);
    const auto states =
        throughTower(m_sizes.tower, weights, kVision + "encoder.layers", embedded, /*causal=*/false);
    VisionOutput output{
        .last = states.last, .penultimate = states.penultimate, .pooled = {}, .projected = {}};
    output.pooled =
        layers::layerNorm(weights, kVision + "post_layernorm", states.last.select(1, 0), kNormEpsilon);
    if (m_sizes.tower.projection > 0)
        output.projected = layers::fp32Linear(weights, "visual_projection", output.pooled);
    return output;
}

}  // namespace dailies::trainer::clip
