#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <string>
#include <vector>

namespace dailies::config {

/// What `dailies-train score` does: gives every clip of a run to a scorer, a TorchScript module that a user
/// brings (trainer/scoring/scorer.h says what it must be). The scoring run's config.json.
struct ScoringJob {
    std::string scorer;      ///< file of the module
    std::string name;        ///< of the scorer: the run gets the metrics score/<name> and score/<name>/<key>
    std::string run_folder;  ///< directory of the run whose clips are scored; its last part is the run's id
    std::vector<std::int64_t> steps;  ///< only clips of these; none: of all
    std::string reference;            ///< folder of videos that features are compared with; empty: none
    std::string cache;  ///< folder of answers that were given before; empty: below the job's own
};

/// Throws `InputError` that names the key, what was found and what would be accepted.
ScoringJob parseScoringJob(const Json& json);
Json toJson(const ScoringJob& job);

/// Whether the words make sense; throws `InputError` as `parseScoringJob` does.
void throwIfInvalid(const ScoringJob& job);

/// A scorer's name is part of metrics' names: letters, digits and . _ -, at most 64. Throws `InputError`.
void requireScorerName(const std::string& name);

/// A file's name without ending as such a name: "my scorer.pt" → "my-scorer".
std::string scorerNameOf(const std::string& file);

/// The metric of a number that the scorer `name` gives under `key`; an empty key: the only one it gives.
std::string scoreMetric(const std::string& name, const std::string& key = {});

/// The key of the distance between the features of a step's clips and those of the reference.
inline constexpr const char* kFrechetKey = "frechet";

}  // namespace dailies::config
