#pragma once

namespace dailies::tracking::tag {

/// On a run that samples a checkpoint of another run again.
inline constexpr const char* kSampledRun = "dailies.sampled_run";    ///< the id of the run that wrote it
inline constexpr const char* kSampledStep = "dailies.sampled_step";  ///< the checkpoint's step

}  // namespace dailies::tracking::tag
