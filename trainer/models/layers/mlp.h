#pragma once

#include "trainer/models/weight_initializer.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// Two matrices with a non-linearity between them, on each token: `name`.mlp_in and `name`.mlp_out.
struct Mlp {
    std::int64_t width = 0;
    std::int64_t hidden = 0;
    std::string activation;  ///< "relu2" (the square of ReLU), "gelu" or "gelu-tanh"
    bool bias = true;

    void declare(WeightInitializer& make, const std::string& name) const;
    at::Tensor operator()(const Params& weights, const std::string& name, const at::Tensor& tokens) const;
    std::int64_t flops(std::int64_t tokens) const { return 2 * tokens * 2 * width * hidden; }
};

}  // namespace dailies::trainer::layers
