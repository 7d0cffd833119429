#pragma once

#include "trainer/models/params.h"

#include <string>

namespace dailies::trainer::layers {

/// `compute()`, which alone reads the weights of `block`, those named "<block>.…". Where ranks divide weights
/// they are gathered for it, and again for its backward pass; elsewhere it is just a call.
template <class Compute>
at::Tensor visited(const Params& weights, const std::string& block, const Compute& compute) {
    auto* visit = weights.visit();
    if (!visit) return compute();
    visit->enter(block);
    auto output = compute();
    visit->leave(block, output);
    return output;
}

}  // namespace dailies::trainer::layers
