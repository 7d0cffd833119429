#include "trainer/models/layers/convolution.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor convolution(const Params& weights, const std::string& name, const at::Tensor& pictures,
                       Stride stride) {
    const auto& weight = weights[name + ".weight"];
    const auto around = stride.padded ? weight.size(-1) / 2 : 0;
    const std::vector<std::int64_t> strides(2, stride.places), padding(2, around);
    return at::conv2d(pictures, weight, weights[name + ".bias"], strides, padding);
}

}  // namespace dailies::trainer::layers
