#include "trainer/models/unet/pose_net.h"

#include "trainer/models/layers/convolution.h"

#include <torch/types.h>

namespace dailies::trainer::unet {

namespace {

constexpr double kFirstScale = 2;  // of what it puts out

}  // namespace

void PoseNet::declareWeights(WeightInitializer& make) const {
    auto tensors = poseNetTensors(sizes);
    make.value(prefix + tensors.back().name, tensors.back().shape, [] { return at::full({1}, kFirstScale); });
    tensors.pop_back();
    make.layers(tensors, prefix, [](const std::string& name) { return name.starts_with("final_proj."); });
}

at::Tensor PoseNet::operator()(const Params& weights, const at::Tensor& drawings) const {
    auto x = 2 * drawings.transpose(1, 2).flatten(0, 1) - 1;
    for (const auto& layer : poseConvolutions(sizes)) {
        const auto name = prefix + layer.name;
        x = at::silu(at::conv2d(x, weights[name + ".weight"], weights[name + ".bias"],
                                /*stride=*/layer.halves ? 2 : 1, /*padding=*/1));
    }
    x = weights[prefix + "scale"] * layers::convolution(weights, prefix + "final_proj", x);
    return x.unflatten(0, {-1, drawings.size(2)}).transpose(1, 2);
}

}  // namespace dailies::trainer::unet
