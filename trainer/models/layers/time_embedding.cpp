#include "trainer/models/layers/time_embedding.h"

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

}  // namespace dailies::trainer::layers
