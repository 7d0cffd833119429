#include "trainer/optim/step_guard.h"

namespace dailies::trainer {

namespace {

std::string countOf(std::int64_t bad, std::int64_t all) {
    return std::to_string(bad) + " of " + std::to_string(all);
}

}  // namespace

std::string whyNotFinite(bool lossIsFinite, const std::vector<WeightHealth>& weights) {
    std::vector<std::string> hit;
    for (const auto& weight : weights) {
        if (weight.bad > 0)
            return "The weight " + weight.name + " itself is not finite (" +
                   countOf(weight.bad, weight.elements) + " numbers).";
        if (weight.badGradients > 0) hit.push_back(weight.name);
    }
    const std::string loss = lossIsFinite ? "The loss is finite" : "All weights are finite, the loss is not";
    if (hit.empty())
        return loss + (lossIsFinite ? " and so is every gradient, but their norm overflows."
                                    : ": an input is not, or the loss overflowed.");
    const auto place =
        countOf(static_cast<std::int64_t>(hit.size()), static_cast<std::int64_t>(weights.size())) +
        " weights have a gradient that is not finite, the first layer's " + hit.front();
    // backward runs from the last layer to the first: where a finite loss goes wrong, the last layer hit is
    // the origin
    return loss + "; " + place +
           (lossIsFinite && hit.size() > 1 ? "; backward met it first in " + hit.back() + "." : ".");
}

}  // namespace dailies::trainer
