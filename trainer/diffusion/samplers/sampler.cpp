#include "trainer/diffusion/samplers/sampler.h"

#include "core/base/error.h"
#include "trainer/diffusion/samplers/euler.h"

#include <torch/types.h>

namespace dailies::trainer {

std::unique_ptr<Sampler> makeSampler(const std::string& name) {
    if (name == "euler") return std::make_unique<EulerSampler>();
    throw InputError("This trainer has no sampler \"" + name + "\".", "Choose: euler.");
}

at::Tensor guided(const at::Tensor& withCaption, const at::Tensor& without, double guidance) {
    return without + (withCaption - without) * guidance;
}

}  // namespace dailies::trainer
