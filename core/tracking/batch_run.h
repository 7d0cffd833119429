#pragma once

namespace dailies::tracking::tag {

/// On a run that shows what a step of another run takes of its data: that run's id.
inline constexpr const char* kBatchOf = "dailies.batch_of";

}  // namespace dailies::tracking::tag
