#pragma once

#include "core/config/sampling_job.h"
#include "core/sweep/sweep.h"

#include <optional>
#include <string>
#include <string_view>

namespace dailies::sweep {

/// What shall be sampled of the runs of a sweep once they are trained. Example:
///
///     prompts: [red square left, blue circle up]
///     negative_prompt: blurry, static              # else the run's own
///     seeds: 0..3                                  # or a list
///     guidance: [1, 3]
///     resources: {gpus_per_node: 1, time_limit: "0:20:00"}   # else as the sweep's, for one process
struct SamplingFile {
    std::string name;  ///< empty: one is made of the sweep's
    config::SamplingJob job;
    std::optional<Resources> resources;
};

/// Throws `InputError` as `parseSweep` does.
SamplingFile parseSamplingFile(std::string_view yaml, const std::string& source);

}  // namespace dailies::sweep
