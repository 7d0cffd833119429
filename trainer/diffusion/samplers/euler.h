#pragma once

#include "trainer/diffusion/samplers/sampler.h"

namespace dailies::trainer {

/// Equal steps in t with the velocity at the start of each: first order, one evaluation a step.
class EulerSampler : public Sampler {
public:
    at::Tensor sample(at::Tensor noise, const VelocityField& velocity, std::int64_t steps) const override;
};

}  // namespace dailies::trainer
