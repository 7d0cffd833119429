#include "trainer/optim/step_guard.h"

#include <torch/types.h>

namespace dailies::trainer {

namespace {

std::int64_t notFiniteIn(const at::Tensor& tensor) {
    return tensor.numel() - at::isfinite(tensor.detach()).sum().item<std::int64_t>();
}

std::string countOf(std::int64_t bad, std::int64_t all) {
    return std::to_string(bad) + " of " + std::to_string(all);
}

}  // namespace

std::string whyNotFinite(bool lossIsFinite, const Params& weights,
                         const std::vector<std::int64_t>& badGradients) {
    const at::NoGradGuard noGradients;
    for (const auto& name : weights.names())
        if (const auto bad = notFiniteIn(weights[name]))
            return "The weight " + name + " itself is not finite (" + countOf(bad, weights[name].numel()) +
                   " numbers).";
    std::vector<std::size_t> hit;
    for (std::size_t i = 0; i < badGradients.size(); ++i)
        if (badGradients[i] > 0) hit.push_back(i);
    const std::string loss = lossIsFinite ? "The loss is finite" : "All weights are finite, the loss is not";
    if (hit.empty())
        return loss + (lossIsFinite ? " and so is every gradient, but their norm overflows."
                                    : ": an input is not, or the loss overflowed.");
    const auto& names = weights.names();
    const auto place =
        countOf(static_cast<std::int64_t>(hit.size()), static_cast<std::int64_t>(badGradients.size())) +
        " weights have a gradient that is not finite, the first layer's " + names[hit.front()];
    // backward runs from the last layer to the first: where a finite loss goes wrong, the last layer hit is
    // the origin
    return loss + "; " + place +
           (lossIsFinite && hit.size() > 1 ? "; backward met it first in " + names[hit.back()] + "." : ".");
}

}  // namespace dailies::trainer
