#pragma once

#include "core/base/json.h"
#include "core/curation/cuts.h"
#include "core/curation/duplicates.h"
#include "core/curation/verdict.h"

namespace dailies::curation {

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

}  // namespace dailies::curation
