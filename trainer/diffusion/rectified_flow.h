#pragma once

#include "core/config/train_config.h"

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace dailies::trainer {

/// Rectified flow (Liu et al. 2023; Esser et al. 2024): a clip x and noise e are joined by the straight path
/// z(t) = (1 - t)·x + t·e, t = 0 the clip and t = 1 the noise, whose velocity dz/dt = e - x a model learns.
///
/// A model puts out either the velocity itself or the clean clip x̂, from which the velocity follows as (z -
/// x̂) / t. The loss is on the velocity in both cases; t is kept at `kLeastTime` or more in that quotient so
/// that it stays bounded.
class RectifiedFlow {
public:
    static constexpr double kLeastTime = 0.05;

    enum class Prediction { clip, velocity };

    explicit RectifiedFlow(Prediction prediction) : m_prediction(prediction) {}
    static RectifiedFlow of(const config::TrainConfig::Diffusion& config);

    /// z(t); `times` is [batch], the others [batch, …].
    static at::Tensor mix(const at::Tensor& clip, const at::Tensor& noise, const at::Tensor& times);

    /// The velocity that a model's output means at z(t).
    at::Tensor velocity(const at::Tensor& output, const at::Tensor& mixed, const at::Tensor& times) const;

    /// Mean squared error of the velocity, one number for each clip of the batch.
    at::Tensor loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                    const at::Tensor& times) const;

private:
    Prediction m_prediction;
};

/// The times of samples `first` … `first + count - 1` of a step: t = 1 - sigmoid(mean + std·n), n normal;
/// [count], float32.
at::Tensor drawTimes(const config::TrainConfig& config, std::int64_t step, std::int64_t first,
                     std::int64_t count);

}  // namespace dailies::trainer
