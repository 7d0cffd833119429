#include "trainer/models/layers/geglu.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor geglu(const Params& weights, const std::string& name, const at::Tensor& tokens) {
    const auto parts = linear(weights, name + ".net.0.proj", tokens).chunk(2, -1);
    return linear(weights, name + ".net.2", parts[0] * at::gelu(parts[1]));
}

}  // namespace dailies::trainer::layers
