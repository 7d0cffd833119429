#pragma once

#include "trainer/diffusion/objective.h"

namespace dailies::trainer {

/// Rectified flow (Liu et al. 2023; Esser et al. 2024): a clip x and noise e are joined by the straight path
/// z(t) = (1 - t)·x + t·e, t = 0 the clip and t = 1 the noise, whose velocity dz/dt = e - x a model learns.
/// The level is t.
///
/// A model puts out either the velocity itself or the clean clip x̂, from which the velocity follows as (z -
/// x̂) / t. The loss is on the velocity in both cases.
///
/// Times are drawn as `timesteps` says and shifted towards noise: t' = a·t / (1 + (a - 1)·t), in training and
/// in sampling alike, with one a for all clips, or one that grows as the root of a clip's tokens or
/// exponentially with them. A sampler's steps may be stretched so that the last begins with a given noise.
class RectifiedFlow : public Objective {
public:
    explicit RectifiedFlow(const config::TrainConfig::Diffusion& config) : m_config(config) {}

    at::Tensor levels(const at::Tensor& quantiles, std::int64_t tokensPerClip) const override;
    PathPoint point(double level) const override { return {level, 1 - level, level}; }
    PathPoint pointAtNoiseFraction(double share) const override { return point(share); }
    std::vector<PathPoint> grid(std::int64_t steps, std::int64_t tokensPerClip) const override;
    at::Tensor addNoise(const at::Tensor& clip, const at::Tensor& noise,
                        const at::Tensor& levels) const override;
    at::Tensor predictClean(const at::Tensor& output, const at::Tensor& noised,
                            const at::Tensor& levels) const override;
    at::Tensor loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                    const at::Tensor& levels) const override;

private:
    double shift(std::int64_t tokensPerClip) const;

    config::TrainConfig::Diffusion m_config;
};

}  // namespace dailies::trainer
