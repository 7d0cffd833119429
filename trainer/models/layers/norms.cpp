#include "trainer/models/layers/norms.h"

#include "trainer/models/layers/fused.h"

#include <torch/types.h>

namespace dailies::trainer::layers {

at::Tensor layerNorm(const at::Tensor& x) {
    return at::layer_norm(x.to(at::kFloat), {x.size(-1)}, {}, {}, kNormEpsilon);
}

at::Tensor layerNorm(const Params& weights, const std::string& name, const at::Tensor& x, double epsilon) {
    const auto type = x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
    return at::layer_norm(x.to(type), {x.size(-1)}, weights[name + ".weight"].to(type),
                          weights[name + ".bias"].to(type), epsilon);
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, double epsilon) {
    return at::rms_norm(x.to(at::kFloat), {x.size(-1)}, gain, epsilon);
}

at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, const TensorParallelComm& share,
                   double epsilon) {
    const auto exact = x.to(at::kFloat);
    const auto squares = share.allGather(exact.square().mean(-1, /*keepdim=*/true), -1).mean(-1, true);
    return exact * at::rsqrt(squares + epsilon) * gain;
}

at::Tensor rmsNormModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    return at::addcmul(shift, at::rms_norm(x.to(at::kFloat), {x.size(-1)}, {}, kNormEpsilon), scale + 1);
}

at::Tensor normModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale) {
    if (fusableModulation(x, shift)) return fusedNormModulate(x, shift, scale);
    return at::addcmul(shift, layerNorm(x), scale + 1);
}

}  // namespace dailies::trainer::layers
