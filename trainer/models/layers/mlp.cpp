#include "trainer/models/layers/mlp.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

void Mlp::declare(WeightMaker& make, const std::string& name) const {
    make.linear(name + ".mlp_in", hidden, width, bias);
    make.linear(name + ".mlp_out", width, hidden, bias);
}

at::Tensor Mlp::operator()(const Params& weights, const std::string& name, const at::Tensor& tokens) const {
    const auto inner = linear(weights, name + ".mlp_in", tokens);
    const auto active = activation == "relu2"  ? at::square(at::relu(inner))
                        : activation == "gelu" ? at::gelu(inner)
                                               : at::gelu(inner, "tanh");
    return linear(weights, name + ".mlp_out", active);
}

}  // namespace dailies::trainer::layers
