#pragma once

#include "core/curation/clip_list.h"
#include "core/curation/curated_origin.h"
#include "remote/cluster/cluster.h"

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Where the copies lie that belong to a store.
std::filesystem::path curatedCopiesFolder(const std::filesystem::path& storeFile);

struct CuratedCopy {
    std::filesystem::path copy;
    curation::CuratedOrigin origin;
    std::optional<curation::ClipListSummary> summary;  ///< none: it cannot be read
};
/// All copies below `base`, sorted by cluster and folder.
std::vector<CuratedCopy> curatedCopies(const std::filesystem::path& base);

/// Below `base`, where the copy of this curated folder of the cluster lies.
std::filesystem::path curatedCopyFolder(const std::filesystem::path& base, const std::string& cluster,
                                        const std::string& folder);

/// Copies of a curated folder of the cluster what it takes to set thresholds by looking: list, rules,
/// corrections and previews. What is there already does not come again. Verdicts that were saved in an older
/// copy and not sent are sent first. Returns `curatedCopyFolder`. Throws `InputError` where there is no
/// clips.jsonl, and as `sendVerdicts`.
std::filesystem::path copyCuratedFolder(Cluster& cluster, const std::string& folder,
                                        const std::filesystem::path& base, const Progress& progress = {},
                                        std::stop_token stop = {});

/// Writes rules, corrections and verdicts of a copy into the folder that it was made of. Throws `InputError`
/// where that has another list by now.
void sendVerdicts(Cluster& cluster, const std::filesystem::path& copy, std::stop_token stop = {});

}  // namespace dailies::remote
