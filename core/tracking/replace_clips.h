#pragma once

#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::tracking {

/// How a run's clips changed.
struct ReplacedClips {
    int added = 0, changed = 0, removed = 0;
    bool any() const { return added + changed + removed > 0; }
};

/// Makes these the clips of a run that is in the store, in one transaction: for clips that lie in a folder of
/// the user's own, which is looked through again. What people said of a clip stays, also of one that is
/// gone; what the automatic checks found in one stays while it is the same. Paths are unique. Throws `Error`.
ReplacedClips replaceClips(Store& store, const std::string& runId, const std::vector<ClipRecord>& clips);

}  // namespace dailies::tracking
