#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

namespace dailies::curation {

/// RGB to look at, not owned: rows of 3 × width bytes without padding, as `video::Frame` has them.
struct Picture {
    const std::uint8_t* rgb = nullptr;
    int width = 0, height = 0;

    std::size_t pixels() const { return static_cast<std::size_t>(width) * static_cast<std::size_t>(height); }
};

/// BT.709, in 256ths.
inline std::uint8_t lumaOf(const std::uint8_t* rgb) {
    return static_cast<std::uint8_t>((54 * rgb[0] + 183 * rgb[1] + 19 * rgb[2] + 128) >> 8);
}

/// The sum of |a − b| over so many values.
template <class Value>
std::uint64_t absoluteDifference(const Value* a, const Value* b, std::size_t count) {
    // in parts, so that the inner sum fits in 32 bits and takes the machine's vector instructions
    constexpr std::size_t kPart = 1 << 15;
    std::uint64_t sum = 0;
    for (std::size_t from = 0; from < count; from += kPart) {
        const std::size_t to = from + kPart < count ? from + kPart : count;
        std::uint32_t part = 0;
        for (std::size_t i = from; i < to; ++i) part += static_cast<std::uint32_t>(std::abs(a[i] - b[i]));
        sum += part;
    }
    return sum;
}

}  // namespace dailies::curation
