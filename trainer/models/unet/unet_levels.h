#pragma once

#include "trainer/tensors/named_shapes.h"

#include <functional>
#include <string>

namespace dailies::trainer::unet {

/// How a U-Net's levels follow each other, whatever its blocks are. All levels but the last attend. On the
/// way up each level has one block more than on the way down, and each block reads what one of the way down
/// left.
struct Levels {
    Extents channels = {320, 640, 1280, 1280};
    std::int64_t blocks = 2;

    std::size_t count() const { return channels.size(); }
    bool attends(std::size_t level) const { return level + 1 < count(); }
};

/// A block among them.
struct LevelBlock {
    std::string level;  ///< "down_blocks.0"
    std::int64_t i = 0;
    std::int64_t in = 0, out = 0;  ///< channels; 0 where it is computed: its weights tell
    bool attends = false;

    /// Of its parts: "down_blocks.0.resnets.1".
    std::string part(const std::string& list) const { return level + "." + list + "." + std::to_string(i); }
};

/// The tensors between the first convolution and the last norm: those that `addBlock` and `addMiddle` add,
/// and the convolutions that shrink and grow the pictures.
void addLevels(NamedShapes& all, const Levels& levels, const std::function<void(const LevelBlock&)>& addBlock,
               const std::function<void(std::int64_t width)>& addMiddle);

}  // namespace dailies::trainer::unet
