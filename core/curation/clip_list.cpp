#include "core/curation/clip_list.h"

#include "core/base/counts.h"
#include "core/base/error.h"
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

}  // namespace

Json ClipListSummary::toJson() const {
    Json json = {{"films", films},
                 {"damaged_frames", damagedFrames},
                 {"clips", clips},
                 {"kept", kept},
                 {"captioned", captioned},
                 {"seconds", std::round(1e3 * seconds) / 1e3},
                 {"kept_seconds", std::round(1e3 * keptSeconds) / 1e3}};
    json["reasons"] = Json::object();
    for (const auto& [reason, count] : reasons) json["reasons"][reason] = count;
    json["failed"] = Json::array();
    for (const auto& film : failed)
        json["failed"].push_back({{"source", film.source}, {"reason", film.reason}});
    return json;
}

ClipListSummary ClipListSummary::fromJson(const Json& json) try {
    ClipListSummary summary{.films = json.at("films"),
                            .failed = {},
                            .damagedFrames = json.at("damaged_frames"),
                            .clips = json.at("clips"),
                            .kept = json.at("kept"),
                            .captioned = json.value("captioned", 0),
                            .seconds = json.at("seconds"),
                            .keptSeconds = json.at("kept_seconds"),
                            .reasons = json.at("reasons")};
    for (const auto& film : json.at("failed"))
        summary.failed.push_back({film.at("source"), film.at("reason")});
    return summary;
} catch (const Json::exception& error) {
    throw InputError(std::string(kSummaryFile) + ": " + error.what());
}

std::string ClipListSummary::text() const {
    std::string text = pluralize(clips, "clip", "clips") + " (" + minutesText(seconds) + ") of " +
                       pluralize(films - static_cast<int>(failed.size()), "film", "films") + ": " +
                       grouped(kept) + " kept (" + minutesText(keptSeconds) + "), " + grouped(clips - kept) +
                       " dropped\n";
    if (captioned > 0) text += grouped(captioned) + " of those that are kept have a caption\n";
    for (const auto& [reason, count] : reasons) text += "  " + reason + ": " + grouped(count) + "\n";
    if (damagedFrames > 0) text += pluralize(damagedFrames, "frame", "frames") + " could not be decoded\n";
    for (const auto& film : failed) text += "failed: " + film.source + ": " + film.reason + "\n";
    return sanitizedText(text);
}

ClipListWriter::ClipListWriter(const VerdictRules& rules, const ClipNotes& notes, std::set<std::string> files,
                               ClipListSummary summary)
    : m_rules(rules), m_notes(notes), m_files(std::move(files)), m_summary(std::move(summary)) {}

void ClipListWriter::add(ClipRecord clip, Json line) {
    for (const auto& [key, value] : clip.scorerValues) line.erase(kScorePrefix + key);
    for (const auto& [scorer, id] : clip.nearestTo) line.erase(kScorePrefix + scorer + kNearestToSuffix);
    takeAnswers(clip, m_notes.answers);
    addScores(clip, line);
    const auto correction = correctionOf(m_notes.corrections, clip.id);
    const auto verdict = verdictOf(clip, m_rules, correction);
    for (const char* key : {"verdict", "reasons", "by_hand", "file"}) line.erase(key);
    line["verdict"] = verdict.keep ? "keep" : "drop";
    line["reasons"] = verdict.reasons;
    if (correction != Correction::None) line["by_hand"] = true;
    if (const auto name = clipFileName(clip); verdict.keep && m_files.contains(name))
        line["file"] = std::string(kClipFolder) + "/" + name;
    if (const auto caption = m_notes.captions.find(clip.id); caption != m_notes.captions.end()) {
        line.erase("caption");
        if (caption->second.isUsable()) line["caption"] = caption->second.text;
    }
    m_lines += line.dump(-1, ' ', false, Json::error_handler_t::replace);
    m_lines += '\n';
    ++m_summary.clips;
    m_summary.seconds += clip.duration();
    m_summary.kept += verdict.keep;
    if (verdict.keep) m_summary.keptSeconds += clip.duration();
    m_summary.captioned += verdict.keep && line.contains("caption");
    for (const auto& reason : verdict.reasons) ++m_summary.reasons[reason];
}

void ClipListWriter::addUnread(std::string_view line) {
    m_lines += line;
    m_lines += '\n';
}

ClipListSummary ClipListWriter::write(const std::filesystem::path& folder) const {
    writeFileAtomically(folder / kClipListFile, m_lines);
    writeFileAtomically(folder / kSummaryFile, m_summary.toJson().dump(2) + "\n");
    return m_summary;
}

ClipListSummary writeClipList(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips,
                              const VerdictRules& rules, const ClipNotes& notes, std::set<std::string> files,
                              ClipListSummary summary) {
    ClipListWriter writer(rules, notes, std::move(files), std::move(summary));
    for (const auto& clip : clips) writer.add(clip, toJson(clip));
    return writer.write(folder);
}

std::set<std::string> clipFilesIn(const std::filesystem::path& folder, const char* below) {
    std::set<std::string> names;
    std::error_code missing;
    for (const auto& entry : std::filesystem::directory_iterator(folder / below, missing))
        names.insert(entry.path().filename().string());
    return names;
}

std::string readClipList(const fs::path& folder, std::size_t atMost) {
    std::error_code unknown;
    if (!fs::is_directory(folder, unknown))
        throw InputError("There is no folder " + folder.string() + ".",
                         "It may have been moved, or its disk is not mounted. Choose another one.");
    if (!fs::exists(folder / kClipListFile, unknown))
        throw InputError("There is no clips.jsonl in " + folder.string() + ".",
                         "Choose the folder that \"dailies-train curate FILMS --out DIR\" wrote.");
    if (atMost == 0) return readFile(folder / kClipListFile);
    std::ifstream stream(folder / kClipListFile, std::ios::binary);
    std::string text;
    std::string line;
    for (std::size_t i = 0; i < atMost && std::getline(stream, line); ++i) text += line + "\n";
    return text;
}

}  // namespace dailies::curation
