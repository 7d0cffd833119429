#include "core/curation/folder_comparison.h"

#include "core/base/counts.h"
#include "core/base/text.h"

#include <cmath>
#include <unordered_map>

namespace dailies::curation {

namespace {

constexpr const char* kCutElsewhere = "cut elsewhere";

/// The clips that are kept, by id.
using KeptClips = std::unordered_map<std::string, const ClipRecord*>;

KeptClips byId(const std::vector<ClipRecord>& clips) {
    KeptClips kept;
    for (const auto& clip : clips) kept.emplace(clip.id, &clip);
    return kept;
}

FolderComparison::Side sideOf(const CuratedFolder& curated, const std::vector<ClipRecord>& kept) {
    FolderComparison::Side side{.clips = curated.clips.size(), .kept = kept.size()};
    for (const auto& clip : kept) {
        side.keptSeconds += clip.duration();
        side.captioned += !clip.caption.empty();
    }
    return side;
}

std::vector<std::string> otherRules(const CurationConfig& before, const CurationConfig& after) {
    const Json was = toJson(before), is = toJson(after);
    std::vector<std::string> rules;
    for (const auto& [group, keys] : was.items())
        for (const auto& [key, value] : keys.items())
            if (const auto& now = is.at(group).at(key); now != value)
                rules.push_back(group + "." + key + ": " + value.dump() + " → " + now.dump());
    return rules;
}

Json sideJson(const FolderComparison::Side& side) {
    return {{"clips", side.clips},
            {"kept", side.kept},
            {"kept_seconds", std::round(1e3 * side.keptSeconds) / 1e3},
            {"captioned", side.captioned}};
}

std::string clipsText(std::size_t count) {
    return pluralize(static_cast<long long>(count), "clip", "clips");
}

std::string sideText(const FolderComparison::Side& side) {
    const auto duration = durationText(std::llround(1000 * side.keptSeconds));
    return grouped(static_cast<long long>(side.kept)) + " of " + clipsText(side.clips) + " kept (" +
           (duration.empty() ? "0 s" : duration) + "), " + grouped(static_cast<long long>(side.captioned)) +
           " with a caption\n";
}

}  // namespace

FolderComparison compareFolders(const CuratedFolder& before, const CuratedFolder& after) {
    const auto keptBefore = keptClips(before), keptAfter = keptClips(after);
    const auto was = byId(keptBefore), is = byId(keptAfter), all = byId(after.clips);
    FolderComparison comparison{.before = sideOf(before, keptBefore),
                                .after = sideOf(after, keptAfter),
                                .rules = otherRules(before.config, after.config)};
    for (const auto& clip : keptAfter) {
        const auto found = was.find(clip.id);
        if (found == was.end())
            comparison.gained.push_back(clip.id);
        else
            comparison.otherCaptions += found->second->caption != clip.caption;
    }
    for (const auto& clip : keptBefore) {
        if (is.contains(clip.id)) continue;
        comparison.lost.push_back(clip.id);
        const auto found = all.find(clip.id);
        if (found == all.end()) {
            ++comparison.lostFor[kCutElsewhere];
            continue;
        }
        const auto verdict =
            verdictOf(*found->second, after.config.verdict, correctionOf(after.corrections, clip.id));
        for (const auto& reason : verdict.reasons) ++comparison.lostFor[reason];
    }
    return comparison;
}

Json FolderComparison::toJson() const {
    Json reasons = Json::object();
    for (const auto& [reason, count] : lostFor) reasons[reason] = count;
    return {{"before", sideJson(before)},
            {"after", sideJson(after)},
            {"rules", rules},
            {"gained", gained},
            {"lost", lost},
            {"lost_for", std::move(reasons)},
            {"other_captions", otherCaptions}};
}

std::string FolderComparison::text() const {
    std::string text = "before: " + sideText(before) + "after:  " + sideText(after);
    for (const auto& rule : rules) text += "  " + rule + "\n";
    text += "+ " + clipsText(gained.size()) + " kept now\n- " + clipsText(lost.size()) + " kept before\n";
    for (const auto& [reason, count] : lostFor)
        text += "    " + reason + ": " + grouped(static_cast<long long>(count)) + "\n";
    if (otherCaptions > 0) text += "~ " + clipsText(otherCaptions) + " with another caption\n";
    return sanitizedText(text);
}

}  // namespace dailies::curation
