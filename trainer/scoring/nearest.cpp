#include "trainer/scoring/nearest.h"

#include <torch/types.h>

#include <algorithm>

namespace dailies::trainer {

std::vector<Nearest> nearestAbove(const at::Tensor& features) {
    constexpr std::int64_t kRowsAtOnce = 1024;
    const at::NoGradGuard noGradients;
    const auto unit = features / features.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
    const auto count = unit.size(0);
    std::vector<Nearest> nearest(static_cast<std::size_t>(count));
    for (std::int64_t first = 0; first < count; first += kRowsAtOnce) {
        const auto end = std::min(count, first + kRowsAtOnce);
        auto alike = at::matmul(unit.slice(0, first, end), unit.slice(0, 0, end).t());
        // a row is compared with those above it
        const auto rows = at::arange(first, end).unsqueeze(1), columns = at::arange(end).unsqueeze(0);
        alike.masked_fill_(columns >= rows, -2);
        const auto [highest, places] = alike.max(1);
        for (auto row = std::max<std::int64_t>(first, 1); row < end; ++row)
            nearest[static_cast<std::size_t>(row)] = {
                places[row - first].item<std::int64_t>(),
                std::clamp<double>(highest[row - first].item<float>(), -1, 1)};
    }
    return nearest;
}

}  // namespace dailies::trainer
