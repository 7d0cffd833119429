#include "trainer/diffusion/rectified_flow.h"

#include "trainer/random.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

/// [batch] → [batch, 1, …], to go with a tensor of that many dims.
at::Tensor broadcast(const at::Tensor& times, std::int64_t dims) {
    std::vector<std::int64_t> shape(static_cast<std::size_t>(dims), 1);
    shape[0] = times.size(0);
    return times.view(shape);
}

}  // namespace

RectifiedFlow RectifiedFlow::of(const config::TrainConfig::Diffusion& config) {
    return RectifiedFlow(config.prediction == "velocity" ? Prediction::velocity : Prediction::clip);
}

at::Tensor RectifiedFlow::mix(const at::Tensor& clip, const at::Tensor& noise, const at::Tensor& times) {
    return at::lerp(clip, noise, broadcast(times, clip.dim()));
}

at::Tensor RectifiedFlow::velocity(const at::Tensor& output, const at::Tensor& mixed,
                                   const at::Tensor& times) const {
    if (m_prediction == Prediction::velocity) return output;
    return (mixed - output) / broadcast(times.clamp_min(kLeastTime), mixed.dim());
}

at::Tensor RectifiedFlow::loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                               const at::Tensor& times) const {
    // With x̂ the path point z cancels: the velocity's error is (x - x̂) / t.
    const auto error = m_prediction == Prediction::velocity
                           ? output - (noise - clip)
                           : (clip - output) / broadcast(times.clamp_min(kLeastTime), clip.dim());
    return at::square(error).flatten(1).mean(1);
}

at::Tensor drawTimes(const config::TrainConfig& config, std::int64_t step, std::int64_t first,
                     std::int64_t count) {
    auto times = at::empty({count}, at::kFloat);
    auto* out = times.mutable_data_ptr<float>();
    for (std::int64_t i = 0; i < count; ++i) {
        Random random(randomKey(config.seed, Stream::timestep, static_cast<std::uint64_t>(step),
                                static_cast<std::uint64_t>(first + i)));
        const double logit = config.diffusion.timestep_mean + config.diffusion.timestep_std * random.normal();
        out[i] = static_cast<float>(1 / (1 + std::exp(logit)));
    }
    return times;
}

}  // namespace dailies::trainer
