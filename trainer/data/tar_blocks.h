#pragma once

#include <cstdint>

namespace dailies::trainer {

/// A tar is made of such blocks: a header, then the bytes of its member filled up to whole ones.
constexpr std::uint64_t kTarBlock = 512;

constexpr std::uint64_t toWholeTarBlocks(std::uint64_t bytes) {
    return (bytes + kTarBlock - 1) / kTarBlock * kTarBlock;
}

}  // namespace dailies::trainer
