#pragma once

namespace dailies::tracking::tag {

/// On a task of a job that curates films or captions clips: the folder on the cluster that it writes to.
inline constexpr const char* kCuratedFolder = "dailies.curated_folder";

}  // namespace dailies::tracking::tag
