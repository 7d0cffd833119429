#include "trainer/models/unet/pose_guider.h"

#include "trainer/models/layers/convolution.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::unet {

namespace {

constexpr std::int64_t kPoseSide = 3;

void declarePoseConvolution(WeightInitializer& make, const std::string& name, std::int64_t outputs,
                            std::int64_t inputs) {
    make.normal(name + ".weight", {outputs, inputs, kPoseSide, kPoseSide},
                1 / std::sqrt(static_cast<double>(inputs * kPoseSide * kPoseSide)));
    make.zeros(name + ".bias", {outputs});
}

std::string poseBlock(std::size_t i) {
    return "blocks." + std::to_string(i);
}

}  // namespace

void PoseGuider::declareWeights(WeightInitializer& make) const {
    declarePoseConvolution(make, prefix + "conv_in", widths.front(), colours);
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        declarePoseConvolution(make, prefix + poseBlock(2 * i), widths[i], widths[i]);
        declarePoseConvolution(make, prefix + poseBlock(2 * i + 1), widths[i + 1], widths[i]);
    }
    make.zeros(prefix + "conv_out.weight", {outputs, widths.back(), kPoseSide, kPoseSide});
    make.zeros(prefix + "conv_out.bias", {outputs});
}

at::Tensor PoseGuider::operator()(const Params& weights, const at::Tensor& poses) const {
    auto x = at::silu(layers::convolution(weights, prefix + "conv_in", poses.transpose(1, 2).flatten(0, 1)));
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) {
        const std::int64_t stride = shrinks >> i > 1 ? 2 : 1;
        x = at::silu(layers::convolution(weights, prefix + poseBlock(2 * i), x));
        x = at::silu(layers::convolution(weights, prefix + poseBlock(2 * i + 1), x, {.places = stride}));
    }
    x = layers::convolution(weights, prefix + "conv_out", x);
    return x.unflatten(0, {-1, poses.size(2)}).transpose(1, 2);
}

}  // namespace dailies::trainer::unet
