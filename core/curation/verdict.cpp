#include "core/curation/verdict.h"

#include "core/curation/thresholds.h"

namespace dailies::curation {

namespace {

constexpr std::array<const char*, kReasons> kReasonNames{
    "short", "small",  "static", "restless", "frozen",    "black",  "white",
    "dark",  "bright", "flat",   "blurred",  "duplicate", "by hand"};

}  // namespace

const char* toText(Reason reason) {
    return kReasonNames[static_cast<std::size_t>(reason)];
}

std::vector<std::string> namesOf(ReasonSet reasons) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kReasons; ++i)
        if (reasons & bitOf(static_cast<Reason>(i))) names.emplace_back(kReasonNames[i]);
    return names;
}

Verdict verdictOf(const ClipRecord& clip, const VerdictRules& rules, Correction correction) {
    ReasonSet reasons = 0;
    for (const auto& threshold : thresholds())
        if (threshold.drops(valueOf(clip, threshold.measure), limitOf(rules, threshold)))
            reasons |= bitOf(threshold.reason);
    if (rules.drop_duplicates && clip.duplicateOf) reasons |= bitOf(Reason::Duplicate);
    reasons = corrected(reasons, correction);
    return {reasons == 0, namesOf(reasons)};
}

}  // namespace dailies::curation
