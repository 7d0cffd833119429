#include "core/curation/verdict.h"

#include "core/curation/thresholds.h"

#include <array>
#include <utility>

namespace dailies::curation {

namespace {

constexpr std::array<const char*, kReasons> kReasonNames{
    "short", "small",  "static", "restless", "frozen",    "black",  "white",
    "dark",  "bright", "flat",   "blurred",  "duplicate", "by hand"};

}  // namespace

std::string nameOf(Reason reason, std::span<const std::string> scoreKeys) {
    const auto number = static_cast<std::size_t>(reason);
    return number < kReasons ? kReasonNames[number] : kScorePrefix + scoreKeys[number - kReasons];
}

std::vector<std::string> namesOf(ReasonSet reasons, std::span<const std::string> scoreKeys) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < kReasons + scoreKeys.size(); ++i)
        if (const auto reason = static_cast<Reason>(i); reasons & bitOf(reason))
            names.push_back(nameOf(reason, scoreKeys));
    return names;
}

Verdict verdictOf(const ClipRecord& clip, const VerdictRules& rules, Correction correction) {
    ReasonSet reasons = 0;
    for (const auto& threshold : thresholds())
        if (const auto limit = limitOf(rules, threshold);
            limit && threshold.drops(valueOf(clip, threshold.measure), *limit))
            reasons |= bitOf(threshold.reason);
    if (rules.drop_duplicates && clip.duplicateOf) reasons |= bitOf(Reason::Duplicate);
    auto names = namesOf(corrected(reasons, correction));
    for (const auto& [key, limits] : rules.scores) {
        const auto value = clip.scorerValues.find(key);
        const bool isBeyond = value != clip.scorerValues.end() && !limits.contains(value->second);
        if (isBeyond && correction != Correction::Keep) names.push_back(kScorePrefix + key);
    }
    const bool keep = names.empty();
    return {keep, std::move(names)};
}

}  // namespace dailies::curation
