#pragma once

#include "core/base/json.h"
#include "core/curation/verdict.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace dailies::curation {

struct FailedFilm {
    std::string source;
    std::string reason;
};

/// What a clips.jsonl holds, in numbers. Says nothing of the way there: the same films and rules, the same
/// summary.
struct ClipListSummary {
    int films = 0;  ///< found, failed ones included
    std::vector<FailedFilm> failed;
    int damagedFrames = 0;
    int clips = 0, kept = 0;
    double seconds = 0, keptSeconds = 0;
    std::map<std::string, int> reasons;  ///< clips dropped for it, perhaps among others

    Json toJson() const;
    std::string text() const;  ///< a few lines for a person, made harmless for a terminal
};

/// Writes FOLDER/clips.jsonl and FOLDER/summary.json, each whole or not at all. `summary` has the numbers of
/// films already; the others are added. `filesIn`: the folder below FOLDER that has a file of each clip that
/// is kept; empty: none has. Throws `Error`.
ClipListSummary writeClipList(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips,
                              const VerdictRules& rules, const std::string& filesIn, ClipListSummary summary);

}  // namespace dailies::curation
