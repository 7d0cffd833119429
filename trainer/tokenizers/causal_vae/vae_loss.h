#pragma once

#include "core/config/train_config.h"
#include "trainer/tokenizers/causal_vae/causal_vae.h"

namespace dailies::trainer::vae {

/// What a reconstruction is judged by; each a number a clip, [n].
struct Loss {
    at::Tensor pixels;      ///< mean absolute difference
    at::Tensor edges;       ///< that of the differences of neighbouring pixels: see `edgeLoss`
    at::Tensor divergence;  ///< of the latents from a normal distribution, a pixel value
    at::Tensor squares;     ///< mean squared difference
    /// pixels + 10 · squares + gradient_weight · edges + kl_weight · divergence. Once differences are below
    /// 0.1 the squares hardly count; before, they lead: absolute differences alone stay at an empty picture
    /// where most pixels are background.
    at::Tensor total;

    /// Peak signal-to-noise ratio of a mean squared error, in dB; values reach from -1 to 1.
    static double psnr(double meanSquare);
};

/// `clips` and `reconstruction`: [n, 3, frames, height, width] of -1 … 1. The divergence is divided by the
/// clip's number of values, so that `kl_weight` means the same at every size.
Loss lossOf(const at::Tensor& clips, const at::Tensor& reconstruction, const Posterior& posterior,
            const config::TrainConfig::Tokenizer& config);

/// Mean absolute difference of horizontal, vertical and temporal neighbours' differences, over three
/// resolutions (the clip's, a half, a quarter): it keeps edges sharp where a mean over pixels would blur
/// them.
at::Tensor edgeLoss(const at::Tensor& clips, const at::Tensor& reconstruction);

}  // namespace dailies::trainer::vae
