#include "trainer/diffusion/edm.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer {

namespace {

constexpr double kRho = 7;

}  // namespace

at::Tensor Edm::levels(const at::Tensor& quantiles, std::int64_t) const {
    return at::exp(m_config.sigma_mean + m_config.sigma_std * at::special_ndtri(quantiles)).to(at::kFloat);
}

std::vector<PathPoint> Edm::grid(std::int64_t steps, std::int64_t) const {
    const double most = std::pow(m_config.sigma_max, 1 / kRho);
    const double least = std::pow(m_config.sigma_min, 1 / kRho);
    std::vector<PathPoint> points;
    for (std::int64_t i = 0; i < steps; ++i) {
        const double way = steps == 1 ? 0 : static_cast<double>(i) / static_cast<double>(steps - 1);
        points.push_back(point(std::pow(most + way * (least - most), kRho)));
    }
    points.push_back(point(0));
    return points;
}

at::Tensor Edm::addNoise(const at::Tensor& clip, const at::Tensor& noise, const at::Tensor& levels) const {
    return at::addcmul(clip, noise, perClip(levels, clip.dim()));
}

at::Tensor Edm::networkInput(const at::Tensor& noised, const at::Tensor& levels) const {
    return noised / perClip(totalDeviation(levels), noised.dim());
}

at::Tensor Edm::networkTimes(const at::Tensor& levels) const {
    return at::log(levels) / 4;
}

at::Tensor Edm::predictClean(const at::Tensor& output, const at::Tensor& noised,
                             const at::Tensor& levels) const {
    if (predictionOf(m_config) == Prediction::clip) return output;
    const auto total = totalDeviation(levels);
    const auto skip = at::square(m_config.sigma_data / total), out = levels * m_config.sigma_data / total;
    return perClip(skip, noised.dim()) * noised + perClip(out, noised.dim()) * output;
}

at::Tensor Edm::loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                     const at::Tensor& levels) const {
    const double data = m_config.sigma_data;
    if (predictionOf(m_config) == Prediction::clip) {
        const auto bounded = levels.clamp_min(kMinNoise * data);
        return meanSquares((clip - output) / perClip(bounded * data / totalDeviation(bounded), clip.dim()));
    }
    // (x - c_skip·z) / c_out without the difference of nearly equal numbers that little noise makes of it
    const auto total = totalDeviation(levels);
    const auto target =
        clip * perClip(levels / (data * total), clip.dim()) - noise * perClip(data / total, clip.dim());
    return meanSquares(output - target);
}

at::Tensor Edm::totalDeviation(const at::Tensor& levels) const {
    return at::sqrt(at::square(levels) + m_config.sigma_data * m_config.sigma_data);
}

}  // namespace dailies::trainer
