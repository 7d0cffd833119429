#include "trainer/diffusion/samplers/euler.h"

#include <torch/types.h>

namespace dailies::trainer {

at::Tensor EulerSampler::sample(at::Tensor noise, const VelocityField& velocity, std::int64_t steps) const {
    auto mixed = std::move(noise);
    for (std::int64_t i = steps; i > 0; --i) {
        const double time = static_cast<double>(i) / static_cast<double>(steps);
        mixed = mixed - velocity(mixed, time) / static_cast<double>(steps);
    }
    return mixed;
}

}  // namespace dailies::trainer
