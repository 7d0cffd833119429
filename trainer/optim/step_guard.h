#pragma once

#include "trainer/models/params.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// For a step without a finite loss and gradient: where the first number that is not finite stands, as
/// sentences for a person. Weights and gradients (in the weights' order, which is that of the layers) are
/// looked at only then, so that a good step pays nothing.
std::string whyNotFinite(bool lossIsFinite, const Params& weights, const std::vector<at::Tensor>& gradients);

}  // namespace dailies::trainer
