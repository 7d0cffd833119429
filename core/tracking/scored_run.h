#pragma once

namespace dailies::tracking::tag {

/// On a run that gives the clips of another run to a scorer: that run's id.
inline constexpr const char* kScoredRun = "dailies.scored_run";

}  // namespace dailies::tracking::tag
