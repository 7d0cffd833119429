#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <memory>
#include <string>

namespace dailies::trainer {

/// dz/dt at a point of the path from noise (t = 1) to clip (t = 0).
using VelocityField = std::function<at::Tensor(const at::Tensor& mixed, double time)>;

/// Integrates a velocity field from noise to clip: the interface that samplers implement.
class Sampler {
public:
    virtual ~Sampler() = default;
    virtual at::Tensor sample(at::Tensor noise, const VelocityField& velocity, std::int64_t steps) const = 0;
};

/// "euler". Throws `InputError` for a sampler that this trainer lacks.
std::unique_ptr<Sampler> makeSampler(const std::string& name);

/// Classifier-free guidance (Ho & Salimans 2022): away from what the model does without a caption.
at::Tensor guided(const at::Tensor& withCaption, const at::Tensor& without, double guidance);

}  // namespace dailies::trainer
