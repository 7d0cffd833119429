#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::trainer {

/// How many numbers of a weight and of its gradient are not finite.
struct WeightHealth {
    std::string name;
    std::int64_t elements = 0;
    std::int64_t bad = 0, badGradients = 0;
};

/// For a step without a finite loss and gradient: where the first number that is not finite stands, as
/// sentences for a person. `weights`: all, in the order of the layers. They are looked at only then, so that
/// a good step pays nothing.
std::string whyNotFinite(bool lossIsFinite, const std::vector<WeightHealth>& weights);

}  // namespace dailies::trainer
