#pragma once

#include "core/base/json.h"
#include "core/curation/cuts.h"
#include "core/curation/duplicates.h"
#include "core/curation/verdict.h"

#include <filesystem>

namespace dailies::curation {

inline constexpr const char* kCurationConfigFile = "config.json";

/// What --config of `dailies-train curate` may set: `{"cuts": {…}, "duplicates": {…}, "verdict": {…}}`, each
/// with the members of the rules under their own names. What is absent has its default.
struct CurationConfig {
    CutRules cuts;
    DuplicateRules duplicates;
    VerdictRules verdict;
};

/// Throws `InputError` that names the key, what was found and what would be accepted.
CurationConfig parseCurationConfig(const Json& json);

/// Every key with its value.
Json toJson(const CurationConfig& config);

/// FOLDER/config.json: the rules that the clips of a folder were judged by last, in the form that --config
/// reads. Defaults where there is no such file. Throws as `parseCurationConfig`.
CurationConfig loadCurationConfig(const std::filesystem::path& folder);
/// Throws `Error`.
void saveCurationConfig(const std::filesystem::path& folder, const CurationConfig& config);

}  // namespace dailies::curation
