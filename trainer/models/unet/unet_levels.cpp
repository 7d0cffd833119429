#include "trainer/models/unet/unet_levels.h"

#include "trainer/models/layers/picture_shapes.h"

namespace dailies::trainer::unet {

void addLevels(NamedShapes& all, const Levels& levels, const std::function<void(const LevelBlock&)>& addBlock,
               const std::function<void(std::int64_t width)>& addMiddle) {
    auto width = levels.channels.front();
    Extents skipped = {width};  // channels that the way down leaves for the way up
    for (std::size_t level = 0; level < levels.count(); ++level) {
        const auto name = "down_blocks." + std::to_string(level);
        for (std::int64_t i = 0; i < levels.blocks; ++i) {
            addBlock({name, i, width, levels.channels[level], levels.attends(level)});
            width = levels.channels[level];
            skipped.push_back(width);
        }
        if (level + 1 == levels.count()) break;
        addConvolution(all, name + ".downsamplers.0.conv", width, width, 3);
        skipped.push_back(width);
    }
    addMiddle(width);
    for (std::size_t up = 0; up < levels.count(); ++up) {
        const auto level = levels.count() - 1 - up;
        const auto name = "up_blocks." + std::to_string(up);
        for (std::int64_t i = 0; i < levels.blocks + 1; ++i) {
            addBlock({name, i, width + skipped.back(), levels.channels[level], levels.attends(level)});
            skipped.pop_back();
            width = levels.channels[level];
        }
        if (level > 0) addConvolution(all, name + ".upsamplers.0.conv", width, width, 3);
    }
}

}  // namespace dailies::trainer::unet
