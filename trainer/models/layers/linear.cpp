#include "trainer/models/layers/linear.h"

#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor linear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const auto bias = name + ".bias";
    return at::linear(x, weights[name + ".weight"], weights.contains(bias) ? weights[bias] : at::Tensor());
}

at::Tensor exactLinear(const Params& weights, const std::string& name, const at::Tensor& x) {
    const c10::impl::ExcludeDispatchKeyGuard withoutAutocast(c10::autocast_dispatch_keyset);
    return linear(weights, name, x.to(at::kFloat));
}

}  // namespace dailies::trainer::layers
