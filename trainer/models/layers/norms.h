#pragma once

#include "trainer/models/layers/tensor_parallel_comm.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

inline constexpr double kNormEpsilon = 1e-6;

/// Layer normalisation without gain and bias, over the last axis, in float32.
at::Tensor layerNorm(const at::Tensor& x);

/// The same with `name`.weight as gains and `name`.bias, in at least float32.
at::Tensor layerNorm(const Params& weights, const std::string& name, const at::Tensor& x, double epsilon);

/// Root-mean-square normalisation over the last axis with a gain, in float32 (Zhang & Sennrich 2019).
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, double epsilon = kNormEpsilon);

/// The same where ranks have some of the channels each.
at::Tensor rmsNorm(const at::Tensor& x, const at::Tensor& gain, const TensorParallelComm& share,
                   double epsilon = kNormEpsilon);

/// (1 + scale) · layerNorm(x) + shift: what AdaLN puts before a sub-layer.
at::Tensor normModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);

/// (1 + scale) · rmsNorm(x) + shift, without a gain of its own.
at::Tensor rmsNormModulate(const at::Tensor& x, const at::Tensor& shift, const at::Tensor& scale);

}  // namespace dailies::trainer::layers
