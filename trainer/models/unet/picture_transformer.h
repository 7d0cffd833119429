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

    /// Further tokens to which all pictures of a clip attend beside their own.
    struct Reference {
        at::Tensor tokens = {};  ///< [clips, places, channels]; undefined: none
        at::Tensor given = {};   ///< [clips], bool: false for clips without any; undefined: all have them
    };

    /// `pictures`: [n, channels, rows, columns], those of a clip one behind the other. `context`: [clips,
    /// tokens, width], which cross-attention reads; undefined where there is none.
    Output operator()(const Params& weights, const std::string& name, const at::Tensor& pictures,
                      const at::Tensor& context, const Reference& reference) const;

    /// `Output::tokens` alone.
    at::Tensor tokensOf(const Params& weights, const std::string& name, const at::Tensor& pictures) const;

private:
    struct Begun {
        at::Tensor projected, own;
    };
    /// Up to self-attention.
    Begun begun(const Params& weights, const std::string& name, const at::Tensor& pictures) const;
};

}  // namespace dailies::trainer::unet
