#include "core/config/pipeline_schedule.h"

#include <algorithm>

namespace dailies::config {

namespace {

/// Forward passes before the first backward pass: one for each stage behind this one, which with chunks is
/// twice as far away, for the last stage begins it only when all its chunks but the last have come round.
std::int64_t warmUp(const PipelineShape& shape, std::int64_t stage) {
    const auto behind = shape.stages - stage - 1;
    const auto passes = shape.chunks == 1 ? behind : 2 * behind + (shape.chunks - 1) * shape.stages;
    return std::min(passes, shape.chunks * shape.microBatches);
}

/// The number-th pass of a direction. Chunks take turns, each with as many micro-batches as there are stages.
PipelineTask passOf(const PipelineShape& shape, std::int64_t number, bool backward) {
    if (shape.chunks == 1) return {backward, 0, number};
    const auto round = shape.stages * shape.chunks;
    const auto turn = number % round / shape.stages;
    return {backward, backward ? shape.chunks - 1 - turn : turn,
            number / round * shape.stages + number % shape.stages};
}

}  // namespace

std::vector<PipelineTask> pipelineSchedule(const PipelineShape& shape, std::int64_t stage) {
    const auto all = shape.chunks * shape.microBatches, ahead = warmUp(shape, stage);
    std::vector<PipelineTask> tasks;
    for (std::int64_t i = 0; i < ahead; ++i) tasks.push_back(passOf(shape, i, false));
    for (std::int64_t i = 0; i < all; ++i) {
        if (ahead + i < all) tasks.push_back(passOf(shape, ahead + i, false));
        tasks.push_back(passOf(shape, i, true));
    }
    return tasks;
}

std::int64_t maxInFlight(const PipelineShape& shape, std::int64_t stage) {
    return std::min(warmUp(shape, stage) + 1, shape.chunks * shape.microBatches);
}

}  // namespace dailies::config
