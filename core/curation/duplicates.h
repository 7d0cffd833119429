#pragma once

#include "core/curation/clip_record.h"

#include <cstddef>
#include <vector>

namespace dailies::curation {

struct DuplicateRules {
    int max_distance = 8;    ///< bits of 64 in which the hashes of two like pictures differ, at most
    double min_share = 0.8;  ///< of a clip's samples that another clip has the like of
};

/// The clips' numbers from the one that is kept of all that are alike: by the pixels of all frames, most
/// first, then by film and place.
std::vector<std::size_t> byPreference(const std::vector<ClipRecord>& clips);

/// Sets `duplicateOf` of each clip that another one shows as well: of the two, the later one by
/// `byPreference`. The other is never a duplicate itself. Nothing of the order of `clips`
/// matters to which are alike. A clip without a sample that says something is no duplicate.
void markDuplicates(std::vector<ClipRecord>& clips, const DuplicateRules& rules);

}  // namespace dailies::curation
