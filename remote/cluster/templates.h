#pragma once

#include <string_view>

namespace dailies::remote {

/// resources/slurm/*.sbatch as they were when this program was built.
extern const std::string_view kSweepTemplate;
extern const std::string_view kBuildTemplate;
extern const std::string_view kCheckTemplate;

}  // namespace dailies::remote
