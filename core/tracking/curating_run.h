#pragma once

namespace dailies::tracking::tag {

/// On a task of a job that curates films: the folder on the cluster that it writes.
inline constexpr const char* kCuratedFolder = "dailies.curated_folder";

}  // namespace dailies::tracking::tag
