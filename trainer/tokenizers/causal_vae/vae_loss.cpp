#include "trainer/tokenizers/causal_vae/vae_loss.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

namespace dailies::trainer::vae {

namespace {

constexpr int kResolutions = 3;
constexpr double kSquaresWeight = 10;
constexpr std::int64_t kTimeAxis = 2, kRowAxis = 3, kColumnAxis = 4;

at::Tensor meanOfClips(const at::Tensor& x) {
    return x.flatten(1).mean(1);
}

}  // namespace

double Loss::psnr(double meanSquare) {
    constexpr double kPeak = 2, kLeast = 1e-10;
    return 10 * std::log10(kPeak * kPeak / std::max(meanSquare, kLeast));
}

at::Tensor edgeLoss(const at::Tensor& clips, const at::Tensor& reconstruction) {
    // differences are linear: those of the error are the errors of the differences
    auto error = reconstruction - clips;
    auto sum = at::zeros({clips.size(0)}, error.options());
    double terms = 0;
    for (int i = 0; i < kResolutions; ++i) {
        for (const auto axis : {kTimeAxis, kRowAxis, kColumnAxis}) {
            if (error.size(axis) < 2) continue;
            sum = sum + meanOfClips(error.diff(1, axis).abs());
            terms += 1;
        }
        if (error.size(kRowAxis) < 2 || error.size(kColumnAxis) < 2) break;
        error = at::avg_pool3d(error, {1, 2, 2});
    }
    return sum / std::max(terms, 1.0);
}

Loss lossOf(const at::Tensor& clips, const at::Tensor& reconstruction, const Posterior& posterior,
            const config::TrainConfig::Tokenizer& config) {
    const auto error = reconstruction - clips;
    const auto values = static_cast<double>(clips.numel() / clips.size(0));
    Loss loss;
    loss.pixels = meanOfClips(error.abs());
    loss.edges = edgeLoss(clips, reconstruction);
    loss.divergence = posterior.divergence() / values;
    loss.squares = meanOfClips(error.square());
    loss.total = loss.pixels + kSquaresWeight * loss.squares + config.gradient_weight * loss.edges +
                 config.kl_weight * loss.divergence;
    return loss;
}

}  // namespace dailies::trainer::vae
