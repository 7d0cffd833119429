#pragma once

#include <cstdint>
#include <vector>

namespace dailies::config {

/// How `layout.pp` stages take the parts of a step's batch (micro-batches) through the model: `stages ·
/// chunks` runs of blocks one behind the other, of which stage s has those numbered s, stages + s, 2 · stages
/// + s, …
struct PipelineShape {
    std::int64_t stages = 1;
    std::int64_t chunks =
        1;  ///< runs of blocks of each stage; above 1 `microBatches` is a multiple of `stages`
    std::int64_t microBatches = 1;
};

/// One run of blocks on one micro-batch.
struct PipelineTask {
    bool backward = false;
    std::int64_t chunk = 0;  ///< of the stage's
    std::int64_t microBatch = 0;

    bool operator==(const PipelineTask&) const = default;
};

/// All that a stage does in a step, in its order: 1F1B (Narayanan et al. 2019, PipeDream-Flush), with several
/// chunks interleaved (Narayanan et al. 2021, arXiv 2104.04473, section 2.2). So many forward passes that the
/// first backward pass can reach the stage, then one of each in turn, then the backward passes that are left.
/// Stages wait for each other (stages - 1) / (microBatches · chunks + stages - 1) of a step.
std::vector<PipelineTask> pipelineSchedule(const PipelineShape& shape, std::int64_t stage);

/// How many forward passes a stage holds at most whose backward pass is still to come.
std::int64_t maxInFlight(const PipelineShape& shape, std::int64_t stage);

}  // namespace dailies::config
