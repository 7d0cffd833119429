#pragma once

#include <string_view>

namespace dailies::remote {

/// resources/slurm/*.sbatch as they were when this program was built.
extern const std::string_view kSweepTemplate;
extern const std::string_view kBuildTemplate;
extern const std::string_view kCheckTemplate;
extern const std::string_view kPreflightTemplate;
/// resources/slurm/preflight_step.sh: what kSweepTemplate holds for runs of several nodes.
extern const std::string_view kPreflightStep;

}  // namespace dailies::remote
