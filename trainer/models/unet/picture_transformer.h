#pragma once

#include "trainer/models/layers/group_norm.h"
#include "trainer/models/layers/projected_attention.h"

namespace dailies::trainer::unet {

inline constexpr double kTransformerNormEpsilon = 1e-6;  ///< of the norm before a transformer
inline constexpr double kLayerNormEpsilon = 1e-5;        ///< of those within

/// A transformer among the places of each picture: Transformer2DModel of diffusers with one block. Its
/// self-attention can look at another picture, too: the reference of the clip (Hu et al. 2024, Animate
/// Anyone).
struct PictureTransformer {
    layers::GroupNorm norm;
    layers::ProjectedAttention attention;

    struct Output {
        at::Tensor pictures;  ///< like those given
        at::Tensor tokens;    ///< [n, places, channels]: what self-attention was given, after its norm
    };

    /// `pictures`: [n, channels, rows, columns], those of a clip one behind the other. `context`: [clips,
    /// tokens, width], which cross-attention reads. `reference`: [clips, places, channels], further tokens to
    /// which all pictures of a clip attend beside their own; undefined: none.
    Output operator()(const Params& weights, const std::string& name, const at::Tensor& pictures,
                      const at::Tensor& context, const at::Tensor& reference = {}) const;
};

}  // namespace dailies::trainer::unet
