#include "trainer/diffusion/noise_quantiles.h"

#include "trainer/tensors/random.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace dailies::trainer {

namespace {

constexpr std::uint64_t kShuffleKey = ~std::uint64_t{0};  // of no sample

/// The share of normal numbers above z.
double upperTail(double z) {
    return std::erfc(z / std::numbers::sqrt2) / 2;
}

/// Which stratum each sample of the global batch takes: Fisher and Yates' shuffle, the same on every rank.
std::vector<std::int64_t> strata(std::int64_t seed, std::uint64_t step, std::int64_t count) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    Random random(randomKey(seed, Stream::timestep, step, kShuffleKey));
    for (auto last = order.size(); last > 1; --last)
        std::swap(order[last - 1], order[static_cast<std::size_t>(random.below(last))]);
    return order;
}

}  // namespace

at::Tensor drawQuantiles(const config::TrainConfig& config, std::int64_t step, std::int64_t first,
                         std::int64_t count, std::int64_t globalCount) {
    const auto stepKey = static_cast<std::uint64_t>(step);
    const auto random = [&](std::int64_t i) {
        return Random(
            randomKey(config.seed, Stream::timestep, stepKey, static_cast<std::uint64_t>(first + i)));
    };
    auto quantiles = at::empty({count}, at::kDouble);
    auto* out = quantiles.mutable_data_ptr<double>();
    if (config.diffusion.stratified) {
        const auto order = strata(config.seed, stepKey, globalCount);
        for (std::int64_t i = 0; i < count; ++i) {
            const double within = std::max(random(i).uniform(), 0x1p-53);  // a quantile of 0 has no level
            out[i] = (static_cast<double>(order[static_cast<std::size_t>(first + i)]) + within) /
                     static_cast<double>(globalCount);
        }
    } else {
        // a normal number rather than a uniform one, so that a logit-normal has exact tails
        for (std::int64_t i = 0; i < count; ++i) out[i] = upperTail(random(i).normal());
    }
    return quantiles;
}

}  // namespace dailies::trainer
