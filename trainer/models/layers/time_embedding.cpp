#include "trainer/models/layers/time_embedding.h"

#include "trainer/models/layers/linear.h"

#include <torch/types.h>

#include <cmath>

namespace dailies::trainer::layers {

at::Tensor timestepEmbedding(const at::Tensor& times, std::int64_t channels) {
    const auto half = channels / 2;
    const auto frequencies = at::exp(at::arange(half, times.options().dtype(at::kFloat)) *
                                     (-std::log(10000.0) / static_cast<double>(half)));
    const auto angles = at::outer(times.to(at::kFloat), frequencies);
    return at::cat({at::cos(angles), at::sin(angles)}, -1);
}

at::Tensor embedding(const Params& weights, const std::string& name, const at::Tensor& sinusoids) {
    const auto inner = at::silu(fp32Linear(weights, name + ".linear_1", sinusoids));
    return fp32Linear(weights, name + ".linear_2", inner);
}

}  // namespace dailies::trainer::layers
