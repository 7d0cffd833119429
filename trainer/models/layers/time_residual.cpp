#include "trainer/models/layers/time_residual.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor timeConvolution(const Params& weights, const std::string& name, const at::Tensor& clips) {
    const auto kernel = weights[name + ".weight"].squeeze(-1);
    const std::vector<std::int64_t> padding{kernel.size(2) / 2, 0};
    return at::conv2d(clips, kernel, weights[name + ".bias"], /*stride=*/1, padding);
}

at::Tensor TimeResidual::operator()(const Params& weights, const std::string& name,
                                    const at::Tensor& pictures, std::int64_t frames,
                                    const at::Tensor& time) const {
    const auto step = [&](const std::string& number, const at::Tensor& x) {
        return timeConvolution(weights, name + ".conv" + number,
                               at::silu(norm(weights, name + ".norm" + number, x)));
    };
    auto x = step("1", pictures.unflatten(0, {-1, frames}).transpose(1, 2).flatten(3));
    if (time.defined()) x = x + linear(weights, name + ".time_emb_proj", time).unsqueeze(-1).unsqueeze(-1);
    return step("2", x).transpose(1, 2).reshape(pictures.sizes());
}

}  // namespace dailies::trainer::layers
