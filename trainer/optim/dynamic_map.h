#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <vector>

namespace dailies::trainer {

/// The 256 numbers in [-1, 1], ascending, that an 8-bit state can hold: the dynamic tree quantisation of
/// Dettmers (arXiv 1511.04561, 2110.02861), whose relative steps stay small over seven decades. The same
/// numbers as bitsandbytes'.
class DynamicMap {
public:
    /// Signed: −1 … 1, for first moments. Unsigned: 0 … 1 with twice the resolution, for second moments.
    static const DynamicMap& ofSigned();
    static const DynamicMap& ofUnsigned();

    const std::array<float, 256>& values() const { return m_values; }
    /// Midpoints between neighbours, and infinity: value i is the nearest of what lies above bound i - 1 and
    /// not above bound i.
    const std::array<float, 256>& bounds() const { return m_bounds; }

    float decode(std::uint8_t code) const { return m_values[code]; }

    /// The code of the nearest value.
    std::uint8_t encode(float value) const {
        // the upper half of a float's bits leaves at most one bound to compare with
        const auto code = m_starts[std::bit_cast<std::uint32_t>(value) >> 16];
        return static_cast<std::uint8_t>(code + (value > m_bounds[code]));
    }

private:
    explicit DynamicMap(bool isSigned);

    std::array<float, 256> m_values{};
    std::array<float, 256> m_bounds{};
    std::vector<std::uint8_t> m_starts;  ///< by upper half: the code of the lowest float that has it
};

}  // namespace dailies::trainer
