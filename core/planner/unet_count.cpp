#include "core/planner/unet_count.h"

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
    (config.model.family == "animate" ? countAnimate : countVideoUnet)(to, config, data, clip);
    return count;
}

}  // namespace dailies::planner
