#pragma once

#include <array>
#include <cstdint>

namespace dailies::trainer {

/// Philox4x32-10 (Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", SC 2011): the four 32-bit
/// words that belong to a counter under a key. A pure function, so any part of a sequence can be drawn
/// without the rest, by any rank, thread or device.
constexpr std::array<std::uint32_t, 4> philox(std::uint64_t key, std::uint64_t counter) {
    std::array<std::uint32_t, 4> words{static_cast<std::uint32_t>(counter),
                                       static_cast<std::uint32_t>(counter >> 32), 0, 0};
    auto low = static_cast<std::uint32_t>(key), high = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round) {
        const auto first = std::uint64_t{0xD2511F53} * words[0],
                   second = std::uint64_t{0xCD9E8D57} * words[2];
        words = {
            static_cast<std::uint32_t>(second >> 32) ^ words[1] ^ low, static_cast<std::uint32_t>(second),
            static_cast<std::uint32_t>(first >> 32) ^ words[3] ^ high, static_cast<std::uint32_t>(first)};
        low += 0x9E3779B9;
        high += 0xBB67AE85;
    }
    return words;
}

}  // namespace dailies::trainer
