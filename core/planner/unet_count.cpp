#include "core/planner/unet_count.h"

#include "core/config/family_traits.h"
#include "core/planner/unet_counter.h"

namespace dailies::planner {

namespace {

/// As the published nets have them, which are 320 channels wide, and a multiple of 8.
std::vector<std::int64_t> scaledWidths(std::vector<std::int64_t> widths, std::int64_t width) {
    constexpr std::int64_t kPublishedWidth = 320, kStep = 8;
    for (auto& each : widths)
        each = (each * width + kPublishedWidth * kStep - 1) / (kPublishedWidth * kStep) * kStep;
    return widths;
}

}  // namespace

std::vector<std::int64_t> guiderWidths(std::int64_t width) {
    return scaledWidths({16, 32, 96, 256}, width);
}

std::vector<std::int64_t> poseNetWidths(std::int64_t width) {
    return scaledWidths({16, 32, 64, 128}, width);
}

UnetCount unetCount(const config::TrainConfig& config, const DataShape& data, const ClipShape& clip) {
    UnetCount count;
    UnetCounter to(count);
    const auto side = config.model.patch_size;
    const UnetInputs inputs{
        .frames = {static_cast<double>(clip.frames), clip.height / side, clip.width / side},
        .channels = data.channels * side * side,
        .imageWidth = data.imageWidth};
    (config::isVideoUnet(config.model) ? countVideoUnet : countAnimate)(to, config, inputs);
    return count;
}

}  // namespace dailies::planner
