#pragma once

#include "trainer/tensors/params.h"

#include <string>

namespace dailies::trainer::layers {

/// `compute()`, which alone reads the weights of `block`, those named "<block>.…". Where ranks divide weights
/// they are gathered for it, and again for its backward pass; elsewhere it is just a call.
template <class Compute>
at::Tensor withUnsharded(const Params& weights, const std::string& block, const Compute& compute) {
    auto* unshardHooks = weights.unshardHooks();
    if (!unshardHooks) return compute();
    unshardHooks->enter(block);
    auto output = compute();
    unshardHooks->leave(block, output);
    return output;
}

}  // namespace dailies::trainer::layers
