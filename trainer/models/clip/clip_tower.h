#pragma once

#include "trainer/models/clip/clip_sizes.h"
#include "trainer/tensors/params.h"

namespace dailies::trainer::clip {

/// Of all norms of the published models.
inline constexpr double kNormEpsilon = 1e-5;

/// Throws `InputError` where the heads do not divide the width, or the activation is another.
void checkTower(const TowerSizes& sizes);

/// What an encoder made of its tokens, [n, tokens, width] each.
struct TowerStates {
    at::Tensor last;         ///< behind the last layer
    at::Tensor penultimate;  ///< before it
};

/// The layers that both encoders have: attention and an MLP, each behind a norm and beside a sum.
/// `name`: of their list. `causal`: each token attends to those before it and to itself.
TowerStates throughTower(const TowerSizes& sizes, const Params& weights, const std::string& name,
                         const at::Tensor& tokens, bool causal);

}  // namespace dailies::trainer::clip
