#include "trainer/models/layers/group_norm.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor GroupNorm::operator()(const Params& weights, const std::string& name, const at::Tensor& x) const {
    const auto type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    return at::group_norm(x.to(type), groups, weights[name + ".weight"].to(type),
                          weights[name + ".bias"].to(type), epsilon);
}

}  // namespace dailies::trainer::layers
