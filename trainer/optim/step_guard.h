#pragma once

#include "trainer/models/params.h"

#include <string>
#include <vector>

namespace dailies::trainer {

/// For a step without a finite loss and gradient: where the first number that is not finite stands, as
/// sentences for a person. `badGradients`: how many numbers of each weight's gradient are not finite, in the
/// weights' order, which is that of the layers. All is looked at only then, so that a good step pays nothing.
std::string whyNotFinite(bool lossIsFinite, const Params& weights,
                         const std::vector<std::int64_t>& badGradients);

}  // namespace dailies::trainer
