#pragma once

#include "core/curation/curate.h"

#include <optional>
#include <string>
#include <vector>

namespace dailies::curation {

/// What a task of a cluster's job array does that curates films (`dailies-train curate --job`): the
/// config.json of its run.
struct CurationJob {
    std::vector<std::string> films;             ///< files and folders of the cluster, and URLs
    std::string out;                            ///< absolute
    std::optional<CurationConfig> config = {};  ///< none: that of OUT, as `loadCurationConfig`
    bool writeClips = false, writePreviews = false;
    int threads = 1;
    std::string sharedBy;  ///< the same in all tasks
};

/// Throws `InputError` that names the key, what was found and what would be accepted.
CurationJob parseCurationJob(const Json& json);
Json toJson(const CurationJob& job);

/// Throws as `loadCurationConfig`.
CurateOptions optionsOf(const CurationJob& job);

/// Whether the words make sense; throws `InputError` as `parseCurationJob` does.
void throwIfInvalid(const CurationJob& job);

}  // namespace dailies::curation
