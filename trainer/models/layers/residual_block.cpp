#include "trainer/models/layers/residual_block.h"

#include "trainer/models/layers/convolution.h"
#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor ResidualBlock::operator()(const Params& weights, const std::string& name,
                                     const at::Tensor& pictures, const at::Tensor& time) const {
    const auto shortcut = name + ".conv_shortcut";
    const auto straight =
        weights.contains(shortcut + ".weight") ? convolution(weights, shortcut, pictures) : pictures;
    auto x = convolution(weights, name + ".conv1", at::silu(norm(weights, name + ".norm1", pictures)));
    if (time.defined()) {
        const auto added = linear(weights, name + ".time_emb_proj", time);
        x = x + added.repeat_interleave(x.size(0) / added.size(0), 0).unsqueeze(-1).unsqueeze(-1);
    }
    x = convolution(weights, name + ".conv2", at::silu(norm(weights, name + ".norm2", x)));
    return straight + x;
}

}  // namespace dailies::trainer::layers
