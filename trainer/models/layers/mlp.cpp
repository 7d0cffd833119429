#include "trainer/models/layers/mlp.h"

#include "trainer/models/layers/fused.h"
#include "trainer/models/layers/linear.h"
#include "trainer/models/layers/lora.h"
#include "trainer/models/layers/tensor_parallel_comm.h"

#include <ATen/autocast_mode.h>
#include <torch/types.h>

namespace dailies::trainer::layers {

void Mlp::declare(WeightInitializer& make, const std::string& name) const {
    make.linear(name + ".mlp_in", hidden, width, bias);
    make.linear(name + ".mlp_out", width, hidden, bias);
}

at::Tensor Mlp::operator()(const Params& weights, const std::string& name, const at::Tensor& tokens) const {
    if (fusable(tokens) && !at::autocast::is_autocast_enabled(at::kCPU)) {
        const auto biasName = name + ".mlp_in.bias";
        const auto all = weights.tensorParallel() ? weights.tensorParallel()->allGather(tokens, 1) : tokens;
        const auto inner = linearWithLora(weights, name + ".mlp_in", all);
        const auto inBias = weights.contains(biasName) ? weights[biasName] : at::Tensor();
        return rowParallelLinear(weights, name + ".mlp_out", fusedActivation(inner, inBias, activation));
    }
    const auto inner = columnParallelLinear(weights, name + ".mlp_in", tokens);
    const auto active = activation == "relu2"  ? at::square(at::relu(inner))
                        : activation == "gelu" ? at::gelu(inner)
                                               : at::gelu(inner, "tanh");
    return rowParallelLinear(weights, name + ".mlp_out", active);
}

}  // namespace dailies::trainer::layers
