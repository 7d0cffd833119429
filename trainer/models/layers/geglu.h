#pragma once

#include "trainer/tensors/params.h"

namespace dailies::trainer::layers {

/// A feed-forward layer whose values pass gates (Shazeer 2020): `name`.net.2 of a · gelu(b), where
/// `name`.net.0.proj makes a and b of each token.
at::Tensor geglu(const Params& weights, const std::string& name, const at::Tensor& tokens);

}  // namespace dailies::trainer::layers
