#include "core/curation/clip_list.h"

#include "core/base/files.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"

#include <cmath>

namespace dailies::curation {

namespace {

std::string minutesText(double seconds) {
    const auto text = durationText(std::llround(1000 * seconds));
    return text.empty() ? "0 s" : text;
}

std::string counted(int count, const std::string& noun) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

Json ClipListSummary::toJson() const {
    Json json = {{"films", films},
                 {"damaged_frames", damagedFrames},
                 {"clips", clips},
                 {"kept", kept},
                 {"seconds", std::round(1e3 * seconds) / 1e3},
                 {"kept_seconds", std::round(1e3 * keptSeconds) / 1e3}};
    json["reasons"] = Json::object();
    for (const auto& [reason, count] : reasons) json["reasons"][reason] = count;
    json["failed"] = Json::array();
    for (const auto& film : failed)
        json["failed"].push_back({{"source", film.source}, {"reason", film.reason}});
    return json;
}

std::string ClipListSummary::text() const {
    std::string text = counted(clips, "clip") + " (" + minutesText(seconds) + ") of " +
                       counted(films - static_cast<int>(failed.size()), "film") + ": " +
                       std::to_string(kept) + " kept (" + minutesText(keptSeconds) + "), " +
                       std::to_string(clips - kept) + " dropped\n";
    for (const auto& [reason, count] : reasons) text += "  " + reason + ": " + std::to_string(count) + "\n";
    if (damagedFrames > 0) text += counted(damagedFrames, "frame") + " could not be decoded\n";
    for (const auto& film : failed) text += "failed: " + film.source + ": " + film.reason + "\n";
    return sanitizedText(text);
}

ClipListSummary writeClipList(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips,
                              const VerdictRules& rules, const std::string& filesIn,
                              ClipListSummary summary) {
    std::string lines;
    for (const auto& clip : clips) {
        const auto verdict = verdictOf(clip, rules);
        const bool hasFile = verdict.keep && !filesIn.empty();
        lines += clipLine(clip, verdict, hasFile ? filesIn + "/" + clipFileName(clip) : "") + "\n";
        ++summary.clips;
        summary.seconds += clip.duration();
        summary.kept += verdict.keep;
        if (verdict.keep) summary.keptSeconds += clip.duration();
        for (const auto& reason : verdict.reasons) ++summary.reasons[reason];
    }
    writeFileAtomically(folder / "clips.jsonl", lines);
    writeFileAtomically(folder / "summary.json", summary.toJson().dump(2) + "\n");
    return summary;
}

}  // namespace dailies::curation
