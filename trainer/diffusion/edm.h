#pragma once

#include "trainer/diffusion/objective.h"

namespace dailies::trainer {

/// EDM (Karras et al. 2022, "Elucidating the Design Space"): z = x + s·e with noise of deviation s, the
/// level; ln s ~ N(mean, std²). With d the data's deviation the denoiser is D = c_skip·z + c_out·F(c_in·z,
/// c_noise), where
///   c_skip = d² / (s² + d²), c_out = s·d / √(s² + d²), c_in = 1 / √(s² + d²), c_noise = ln(s) / 4.
/// The paper's weight λ = (s² + d²) / (s·d)² makes λ·c_out² = 1, so the loss is the plain mean squared error
/// of F against (x - c_skip·z) / c_out. A network that predicts the clip puts out D itself; its loss is
/// λ·|D - x|².
class Edm : public Objective {
public:
    explicit Edm(const config::TrainConfig::Diffusion& config) : m_config(config) {}

    at::Tensor levels(const at::Tensor& quantiles, std::int64_t tokensPerClip) const override;
    PathPoint point(double level) const override { return {level, 1, level}; }
    PathPoint pointAtNoiseFraction(double share) const override { return point(share / (1 - share)); }
    /// The paper's eq. 5 with ρ = 7, from sigma_max to sigma_min, and then 0.
    std::vector<PathPoint> grid(std::int64_t steps, std::int64_t tokensPerClip) const override;
    at::Tensor addNoise(const at::Tensor& clip, const at::Tensor& noise,
                        const at::Tensor& levels) const override;
    at::Tensor networkInput(const at::Tensor& noised, const at::Tensor& levels) const override;
    at::Tensor networkTimes(const at::Tensor& levels) const override;
    at::Tensor predictClean(const at::Tensor& output, const at::Tensor& noised,
                            const at::Tensor& levels) const override;
    at::Tensor loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                    const at::Tensor& levels) const override;

private:
    at::Tensor totalDeviation(const at::Tensor& levels) const;  ///< √(s² + d²): of z

    config::TrainConfig::Diffusion m_config;
};

}  // namespace dailies::trainer
