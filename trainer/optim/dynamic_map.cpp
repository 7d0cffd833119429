#include "trainer/optim/dynamic_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dailies::trainer {

namespace {

constexpr int kDecades = 7;

/// Where `count` + 1 evenly spaced float32 numbers from 0.1 to 1 lie, as torch.linspace computes them.
float fraction(int index, int count) {
    const float step = (1.0F - 0.1F) / static_cast<float>(count);
    return index <= count / 2 ? 0.1F + step * static_cast<float>(index)
                              : 1.0F - step * static_cast<float>(count - index);
}

}  // namespace

const DynamicMap& DynamicMap::ofSigned() {
    static const DynamicMap map(true);
    return map;
}

const DynamicMap& DynamicMap::ofUnsigned() {
    static const DynamicMap map(false);
    return map;
}

DynamicMap::DynamicMap(bool isSigned) : m_starts(std::size_t{1} << 16) {
    std::vector<float> values{0.0F, 1.0F};
    for (int decade = 0; decade < kDecades; ++decade) {
        // the larger the decade the more of the bits are left for the fraction
        const int count = isSigned ? 1 << decade : 2 << decade;
        const auto scale = static_cast<float>(std::pow(10.0, decade - (kDecades - 1)));
        for (int i = 0; i < count; ++i) {
            const float value = scale * ((fraction(i, count) + fraction(i + 1, count)) / 2);
            values.push_back(value);
            if (isSigned) values.push_back(-value);
        }
    }
    std::ranges::sort(values);
    std::ranges::copy(values, m_values.begin());
    for (std::size_t i = 0; i + 1 < m_values.size(); ++i) m_bounds[i] = (m_values[i] + m_values[i + 1]) / 2;
    m_bounds.back() = std::numeric_limits<float>::infinity();
    for (std::uint32_t half = 0; half < m_starts.size(); ++half) {
        const bool negative = half >> 15;
        const auto lowest = std::bit_cast<float>(half << 16 | (negative ? 0xffffU : 0U));
        m_starts[half] = static_cast<std::uint8_t>(
            std::min<std::ptrdiff_t>(255, std::ranges::lower_bound(m_bounds, lowest) - m_bounds.begin()));
    }
}

}  // namespace dailies::trainer
