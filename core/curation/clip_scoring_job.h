#pragma once

#include "core/base/json.h"

#include <string>
#include <vector>

namespace dailies::curation {

inline constexpr int kMostFramesScored = 4096;  ///< of a clip

/// What a scorer (trainer/scoring/scorer.h) is asked about the clips that a curated folder keeps:
/// `dailies-train score-clips`, alone or as a task of a cluster's job.
struct ClipScoringJob {
    std::string folder;         ///< that `curate` wrote
    std::string scorer;         ///< file of the module
    std::string name;           ///< of the scorer, and of its numbers; parsed: by default of the file
    int frames = 32;            ///< of a clip at most, spread evenly over it
    int maxSide = 1024;         ///< pixels of a frame's longer side
    int threads = 4;            ///< clips decoded at once
    std::string sharedBy = {};  ///< the same in all tasks that share the clips; empty: this is the only one
};

/// What a person may say of one: all keys but what a launch adds.
std::vector<std::string> clipScoringKeys();

/// Throws `InputError` that names the key, what was found and what would be accepted.
ClipScoringJob parseClipScoringJob(const Json& json);
Json toJson(const ClipScoringJob& job);

/// Whether the words make sense; throws `InputError` as `parseClipScoringJob` does.
void throwIfInvalid(const ClipScoringJob& job);

}  // namespace dailies::curation
