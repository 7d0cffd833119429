#include "trainer/diffusion/rectified_flow.h"

#include "trainer/diffusion/timesteps.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

at::Tensor RectifiedFlow::levels(const at::Tensor& quantiles, std::int64_t tokensPerClip) const {
    return timesAt(quantiles, m_config, shift(tokensPerClip)).to(at::kFloat);
}

std::vector<PathPoint> RectifiedFlow::grid(std::int64_t steps, std::int64_t tokensPerClip) const {
    const double a = shift(tokensPerClip);
    const auto timeOf = [&](std::int64_t i) {
        const double time = static_cast<double>(i) / static_cast<double>(steps);
        return a * time / (1 + (a - 1) * time);
    };
    const bool stretches = m_config.shift_terminal > 0 && steps > 1;
    const double stretch = stretches ? (1 - m_config.shift_terminal) / (1 - timeOf(1)) : 1;
    std::vector<PathPoint> points;
    for (std::int64_t i = steps; i > 0; --i) points.push_back(point(1 - (1 - timeOf(i)) * stretch));
    points.push_back(point(0));
    return points;
}

at::Tensor RectifiedFlow::addNoise(const at::Tensor& clip, const at::Tensor& noise,
                                   const at::Tensor& levels) const {
    return at::lerp(clip, noise, perClip(levels, clip.dim()));
}

at::Tensor RectifiedFlow::predictClean(const at::Tensor& output, const at::Tensor& noised,
                                       const at::Tensor& levels) const {
    if (predictionOf(m_config) == Prediction::clip) return output;
    return noised - perClip(levels, noised.dim()) * output;
}

at::Tensor RectifiedFlow::loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                               const at::Tensor& levels) const {
    if (predictionOf(m_config) == Prediction::velocity) return meanSquares(output - (noise - clip));
    // with x̂ the path point z cancels: the velocity's error is (x - x̂) / t
    return meanSquares((clip - output) / perClip(levels.clamp_min(kMinNoise), clip.dim()));
}

double RectifiedFlow::shift(std::int64_t tokensPerClip) const {
    if (m_config.shift_tokens == 0) return m_config.shift;
    const auto tokens = static_cast<double>(tokensPerClip),
               reference = static_cast<double>(m_config.shift_tokens);
    if (m_config.shift_growth > 0)
        return m_config.shift * std::exp(m_config.shift_growth * (tokens - reference) / 1000);
    return m_config.shift * std::sqrt(tokens / reference);
}

}  // namespace dailies::trainer
