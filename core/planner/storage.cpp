#include "core/planner/storage.h"

#include "core/config/no_clips_reason.h"
#include "core/planner/memory.h"
#include "core/planner/units.h"

#include <algorithm>

namespace dailies::planner {

namespace {

/// What H.264 makes of a pixel of a frame at the trainer's settings, at most.
constexpr double kBytesOfPixel = 0.3;

std::int64_t timesOf(std::int64_t steps, std::int64_t every) {
    return every > 0 ? steps / every : 0;
}

}  // namespace

double StorageNeed::peakBytes() const {
    return checkpoint * static_cast<double>(kept + 1) + clips;
}

StorageNeed estimateStorage(const config::TrainConfig& config, const DataShape& data) {
    StorageNeed need;
    need.checkpoint = checkpointBytes(config, data);
    const auto& rule = config.checkpoint;
    // the last step writes one, too
    const auto written = (config.steps + rule.every - 1) / rule.every;
    std::int64_t kept = std::min(rule.keep, written);
    if (rule.keep_every > 0) kept += timesOf(config.steps, rule.keep_every);
    if (!rule.keep_best.empty()) ++kept;
    need.kept = std::min(kept, written);
    const auto prompts = config.sampling.prompts.empty()
                             ? kDefaultPrompts
                             : static_cast<std::int64_t>(config.sampling.prompts.size());
    const auto& clip = config.data;
    if (config::noClipsReason(config).empty())
        need.clips = kBytesOfPixel *
                     static_cast<double>(timesOf(config.steps, config.sampling.every) * prompts) *
                     static_cast<double>(clip.frames * clip.height * clip.width);
    return need;
}

}  // namespace dailies::planner
