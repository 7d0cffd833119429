#include "trainer/diffusion/samplers/sampler.h"

#include "core/base/error.h"
#include "trainer/diffusion/samplers/dpmpp_2m.h"
#include "trainer/diffusion/samplers/euler.h"
#include "trainer/diffusion/samplers/heun.h"
#include "trainer/diffusion/samplers/unipc.h"

#include <torch/types.h>

namespace dailies::trainer {

std::unique_ptr<Sampler> makeSampler(const std::string& name) {
    if (name == "euler") return std::make_unique<EulerSampler>();
    if (name == "heun") return std::make_unique<HeunSampler>();
    if (name == "dpmpp_2m") return std::make_unique<Dpmpp2mSampler>();
    if (name == "unipc") return std::make_unique<UniPcSampler>();
    throw InputError("This trainer has no sampler \"" + name + "\".",
                     "Choose: euler, heun, dpmpp_2m, unipc.");
}

at::Tensor stepTowards(const at::Tensor& clean, const at::Tensor& noised, const PathPoint& from,
                       const PathPoint& to) {
    const double kept = to.sigma / from.sigma;
    return noised * kept + clean * (to.alpha - from.alpha * kept);
}

}  // namespace dailies::trainer
