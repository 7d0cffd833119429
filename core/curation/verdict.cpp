#include "core/curation/verdict.h"

#include <algorithm>

namespace dailies::curation {

Verdict verdictOf(const ClipRecord& clip, const VerdictRules& rules) {
    constexpr double kRounding = 1e-6;  // of a clip of exactly so many frames
    Verdict verdict;
    const auto dropIf = [&](bool is, const char* reason) {
        if (is) verdict.reasons.emplace_back(reason);
    };
    const auto atMost = [](double value, double limit) { return limit <= 0 || value <= limit; };
    const auto& scores = clip.scores;
    dropIf(clip.duration() < rules.min_seconds - kRounding || clip.frames() < rules.min_frames, "short");
    dropIf(std::min(clip.crop.width, clip.crop.height) < rules.min_side, "small");
    dropIf(scores.motion < rules.min_motion, "static");
    dropIf(!atMost(scores.motion, rules.max_motion), "restless");
    dropIf(!atMost(scores.frozen, rules.max_frozen), "frozen");
    dropIf(!atMost(scores.black, rules.max_black), "black");
    dropIf(!atMost(scores.white, rules.max_white), "white");
    dropIf(scores.luma < rules.min_luma, "dark");
    dropIf(!atMost(scores.luma, rules.max_luma), "bright");
    dropIf(scores.contrast < rules.min_contrast, "flat");
    dropIf(scores.sharpness < rules.min_sharpness, "blurred");
    dropIf(rules.drop_duplicates && clip.duplicateOf.has_value(), "duplicate");
    verdict.keep = verdict.reasons.empty();
    return verdict;
}

std::string clipLine(const ClipRecord& clip, const Verdict& verdict, const std::string& file) {
    Json json = toJson(clip);
    json["verdict"] = verdict.keep ? "keep" : "drop";
    json["reasons"] = verdict.reasons;
    if (!file.empty()) json["file"] = file;
    return json.dump();
}

}  // namespace dailies::curation
