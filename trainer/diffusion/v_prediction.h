#pragma once

#include "trainer/diffusion/objective.h"

#include <mutex>

namespace dailies::trainer {

/// The variance-preserving path of DDPM (Ho et al. 2020), z = alpha·x + sigma·e with alpha² + sigma² = 1, and
/// a network that learns v = alpha·e - sigma·x (Salimans & Ho 2022).
///
/// The level is t = k / 1000 for step k of a discrete schedule of 1000 betas; t = 0 is the clip, which no
/// step of training has. Between steps alpha is interpolated, so that samplers may visit any t. With zero
/// terminal SNR (Lin et al. 2024, algorithm 1) alpha(1) is 0: sampling starts from what training ended at.
///
/// Times of training are drawn as `timesteps` says and rounded up to a step: `uniform` takes DDPM's steps
/// evenly.
///
/// Errors of v are weighted by min(SNR, γ) / (SNR + 1) (Hang et al. 2023), or by min(SNR + 1, γ) / (SNR + 1)
/// (Hu et al. 2024, Animate Anyone); γ = 0 leaves them unweighted. A network that predicts the clip pays the
/// error of the v that it implies.
class VPrediction : public Objective {
public:
    static constexpr std::int64_t kSteps = 1000;

    explicit VPrediction(const config::TrainConfig::Diffusion& config);

    at::Tensor levels(const at::Tensor& quantiles, std::int64_t tokensPerClip) const override;
    PathPoint point(double level) const override;
    PathPoint pointAtNoiseFraction(double share) const override;
    std::vector<PathPoint> grid(std::int64_t steps, std::int64_t tokensPerClip) const override;
    at::Tensor addNoise(const at::Tensor& clip, const at::Tensor& noise,
                        const at::Tensor& levels) const override;
    at::Tensor predictClean(const at::Tensor& output, const at::Tensor& noised,
                            const at::Tensor& levels) const override;
    at::Tensor loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                    const at::Tensor& levels) const override;

private:
    struct Coefficients {
        at::Tensor alpha, sigma;  ///< [clips], float32
    };
    at::Tensor alphaTable(at::Device device) const;
    Coefficients coefficients(const at::Tensor& levels) const;

    config::TrainConfig::Diffusion m_config;
    std::vector<double> m_alphas;  ///< at t = 0, 1/1000, …, 1
    /// The same as a tensor where levels were last: a step that copied it to the GPU could not be recorded.
    mutable at::Tensor m_alphaTable;
    mutable std::mutex m_tableMutex;
};

}  // namespace dailies::trainer
