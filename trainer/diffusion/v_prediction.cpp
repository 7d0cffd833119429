#include "trainer/diffusion/v_prediction.h"

#include "trainer/diffusion/timesteps.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dailies::trainer {

namespace {

/// The variance that step k = 1 … kSteps of the schedule adds.
double beta(const std::string& schedule, std::int64_t k) {
    constexpr double kSteps = VPrediction::kSteps;
    const double way = static_cast<double>(k - 1) / (kSteps - 1);
    if (schedule == "linear") return std::lerp(1e-4, 0.02, way);  // Ho et al. 2020
    if (schedule == "scaled_linear") {                            // Rombach et al. 2022
        const double root = std::lerp(std::sqrt(0.00085), std::sqrt(0.012), way);
        return root * root;
    }
    const auto alphaBar = [&](std::int64_t step) {  // cosine: Nichol & Dhariwal 2021
        const double angle = (static_cast<double>(step) / kSteps + 0.008) / 1.008 * std::numbers::pi / 2;
        return std::cos(angle) * std::cos(angle);
    };
    return std::min(1 - alphaBar(k) / alphaBar(k - 1), 0.999);
}

std::vector<double> alphasOf(const config::TrainConfig::Diffusion& config) {
    std::vector<double> alphas{1};
    for (std::int64_t k = 1; k <= VPrediction::kSteps; ++k)
        alphas.push_back(alphas.back() * std::sqrt(1 - beta(config.noise_schedule, k)));
    if (!config.zero_terminal_snr) return alphas;
    const double first = alphas[1], last = alphas.back();
    for (auto alpha = alphas.begin() + 1; alpha != alphas.end(); ++alpha)
        *alpha = (*alpha - last) * first / (first - last);
    return alphas;
}

}  // namespace

VPrediction::VPrediction(const config::TrainConfig::Diffusion& config)
    : m_config(config), m_alphas(alphasOf(config)), m_alphaTable(at::tensor(m_alphas, at::kDouble)) {}

at::Tensor VPrediction::levels(const at::Tensor& quantiles, std::int64_t) const {
    const auto step = at::floor(timesAt(quantiles, m_config) * kSteps).clamp_max(kSteps - 1) + 1;
    return (step / kSteps).to(at::kFloat);
}

PathPoint VPrediction::point(double level) const {
    const double place = level * kSteps;
    const auto below = std::clamp<std::int64_t>(static_cast<std::int64_t>(place), 0, kSteps - 1);
    const auto index = static_cast<std::size_t>(below);
    const double alpha = std::lerp(m_alphas[index], m_alphas[index + 1], place - static_cast<double>(below));
    return {level, alpha, std::sqrt((1 - alpha) * (1 + alpha))};
}

PathPoint VPrediction::pointAtNoiseFraction(double share) const {
    double low = 0, high = 1;
    for (int halving = 0; halving < 60; ++halving) {
        const double middle = (low + high) / 2;
        (point(middle).noiseFraction() < share ? low : high) = middle;
    }
    return point(high);
}

std::vector<PathPoint> VPrediction::grid(std::int64_t steps, std::int64_t) const {
    std::vector<PathPoint> points;
    for (std::int64_t i = steps; i >= 0; --i)
        points.push_back(point(static_cast<double>(i) / static_cast<double>(steps)));
    return points;
}

at::Tensor VPrediction::addNoise(const at::Tensor& clip, const at::Tensor& noise,
                                 const at::Tensor& levels) const {
    const auto [alpha, sigma] = coefficients(levels);
    return perClip(alpha, clip.dim()) * clip + perClip(sigma, clip.dim()) * noise;
}

at::Tensor VPrediction::predictClean(const at::Tensor& output, const at::Tensor& noised,
                                     const at::Tensor& levels) const {
    if (predictionOf(m_config) == Prediction::clip) return output;
    const auto [alpha, sigma] = coefficients(levels);
    return perClip(alpha, noised.dim()) * noised - perClip(sigma, noised.dim()) * output;
}

at::Tensor VPrediction::loss(const at::Tensor& output, const at::Tensor& clip, const at::Tensor& noise,
                             const at::Tensor& levels) const {
    const auto [alpha, sigma] = coefficients(levels);
    // v̂ = (alpha·z - x̂) / sigma, so the error of v is that of the clip over sigma
    const auto error =
        predictionOf(m_config) == Prediction::clip
            ? (clip - output) / perClip(sigma.clamp_min(kMinNoise), clip.dim())
            : output - (perClip(alpha, clip.dim()) * noise - perClip(sigma, clip.dim()) * clip);
    if (m_config.min_snr_gamma == 0) return meanSquares(error);
    // min(SNR, γ) / (SNR + 1) with SNR = alpha² / sigma² and alpha² + sigma² = 1, hence SNR + 1 = 1 / sigma²
    const auto most = m_config.min_snr_gamma * at::square(sigma);
    const auto weight = m_config.snr_plus_one ? most.clamp_max(1) : at::minimum(at::square(alpha), most);
    return weight * meanSquares(error);
}

at::Tensor VPrediction::alphaTable(at::Device device) const {
    const std::lock_guard lock(m_tableMutex);
    if (m_alphaTable.device() != device) m_alphaTable = m_alphaTable.to(device);
    return m_alphaTable;
}

VPrediction::Coefficients VPrediction::coefficients(const at::Tensor& levels) const {
    // float64: near the clip, sigma is the root of a difference of nearly equal numbers
    const auto place = levels.to(at::kDouble) * static_cast<double>(kSteps);
    const auto below = place.floor().clamp(0, kSteps - 1);
    const auto index = below.to(at::kLong);
    const auto table = alphaTable(levels.device());
    const auto alpha =
        at::lerp(table.index_select(0, index), table.index_select(0, index + 1), place - below);
    return {alpha.to(at::kFloat), at::sqrt((1 - alpha) * (1 + alpha)).to(at::kFloat)};
}

}  // namespace dailies::trainer
