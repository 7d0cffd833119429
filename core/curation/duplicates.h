#pragma once

#include "core/curation/clip_record.h"

#include <vector>

namespace dailies::curation {

struct DuplicateRules {
    int max_distance = 8;    ///< bits of 64 in which the hashes of two like pictures differ, at most
    double min_share = 0.8;  ///< of a clip's samples that another clip has the like of
};

/// Sets `duplicateOf` of each clip that another one shows as well: of the two, the one with fewer pixels in
/// all its frames, else the later one. The other is never a duplicate itself. Nothing of the order of `clips`
/// matters to which are alike. A clip without a sample that says something is no duplicate.
void markDuplicates(std::vector<ClipRecord>& clips, const DuplicateRules& rules);

}  // namespace dailies::curation
