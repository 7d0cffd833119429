#pragma once

#include <string_view>

namespace dailies::config {

/// Whether `model.recompute` computes whole blocks again in the backward pass. "offload" does so, and what it
/// keeps of a block, the tokens that the block reads, waits in the node's memory.
inline bool recomputesBlocks(std::string_view recompute) {
    return recompute == "full" || recompute == "offload";
}

}  // namespace dailies::config
