#include "trainer/scoring/nearest.h"

#include <torch/types.h>

#include <algorithm>
#include <limits>

namespace dailies::trainer {

std::vector<double> nearestAbove(const at::Tensor& features) {
    constexpr std::int64_t kRowsAtOnce = 1024;
    const at::NoGradGuard noGradients;
    const auto unit = features / features.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
    const auto count = unit.size(0);
    std::vector<double> nearest(static_cast<std::size_t>(count), std::numeric_limits<double>::quiet_NaN());
    for (std::int64_t first = 0; first < count; first += kRowsAtOnce) {
        const auto end = std::min(count, first + kRowsAtOnce);
        auto alike = at::matmul(unit.slice(0, first, end), unit.slice(0, 0, end).t());
        // a row is compared with those above it
        const auto rows = at::arange(first, end).unsqueeze(1), columns = at::arange(end).unsqueeze(0);
        alike.masked_fill_(columns >= rows, -2);
        const auto highest = std::get<0>(alike.max(1)).contiguous();
        for (auto row = std::max<std::int64_t>(first, 1); row < end; ++row)
            nearest[static_cast<std::size_t>(row)] =
                std::clamp<double>(highest[row - first].item<float>(), -1, 1);
    }
    return nearest;
}

}  // namespace dailies::trainer
