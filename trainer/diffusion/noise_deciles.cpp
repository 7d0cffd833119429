#include "trainer/diffusion/noise_deciles.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor NoiseDeciles::ofClips(const at::Tensor& losses, const at::Tensor& quantiles) {
    const auto decile = (quantiles * kCount).to(at::kLong).clamp(0, kCount - 1);
    const auto member = at::one_hot(decile, kCount).to(losses.options().requires_grad(false));
    return at::cat({at::matmul(losses.detach(), member), member.sum(0)});
}

void NoiseDeciles::add(const at::Tensor& ofClips) {
    const auto sums = ofClips.to(at::kCPU, at::kDouble).contiguous();
    const auto* values = sums.const_data_ptr<double>();
    for (std::size_t i = 0; i < kCount; ++i) {
        m_sums[i] += values[i];
        m_clips[i] += values[kCount + i];
    }
}

std::map<std::string, double> NoiseDeciles::means() const {
    std::map<std::string, double> means;
    for (std::size_t i = 0; i < kCount; ++i)
        if (m_clips[i] > 0) means["loss/decile_" + std::to_string(i)] = m_sums[i] / m_clips[i];
    return means;
}

Json NoiseDeciles::toJson() const {
    return {{"sums", m_sums}, {"clips", m_clips}};
}

NoiseDeciles NoiseDeciles::fromJson(const Json& json) {
    NoiseDeciles deciles;
    json.at("sums").get_to(deciles.m_sums);
    json.at("clips").get_to(deciles.m_clips);
    return deciles;
}

}  // namespace dailies::trainer
