#include "core/quality/change.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

namespace dailies::quality {

double motion(const Luma& before, const Luma& now) {
    std::uint64_t sum = 0;
    for (int y = 0; y < now.height; ++y) {
        const std::uint8_t *a = before.row(y), *b = now.row(y);
        std::uint32_t row = 0;
        for (int x = 0; x < now.width; ++x) row += static_cast<std::uint32_t>(std::abs(a[x] - b[x]));
        sum += row;
    }
    return now.values.empty() ? 0 : static_cast<double>(sum) / static_cast<double>(now.values.size());
}

double flicker(const LumaBlocks& before, const LumaBlocks& now, const LumaBlocks& after) {
    double sum = 0;
    for (std::size_t i = 0; i < now.means.size(); ++i) {
        const float in = now.means[i] - before.means[i], out = now.means[i] - after.means[i];
        if (in * out > 0) sum += std::min(std::abs(in), std::abs(out));
    }
    return now.means.empty() ? 0 : sum / static_cast<double>(now.means.size());
}

}  // namespace dailies::quality
