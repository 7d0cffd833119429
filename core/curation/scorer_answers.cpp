#include "core/curation/scorer_answers.h"

#include "core/base/files.h"
#include "core/base/json.h"

#include <optional>
#include <utility>

namespace dailies::curation {

namespace {

namespace fs = std::filesystem;

struct Line {
    std::string clipId, scorer;
    ScorerAnswer answer;
};

std::string textOf(const Line& line) {
    const auto& [clipId, scorer, answer] = line;
    Json json = {{"id", clipId}, {"scorer", scorer}};
    if (answer.problem.empty())
        json["values"] = answer.values;
    else
        json["problem"] = answer.problem;
    if (!answer.nearestTo.empty()) json["nearest_to"] = answer.nearestTo;
    json["settings"] = answer.settings;
    json["time"] = answer.timeMs;
    // a module may say anything
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Line> lineFrom(const std::string& text) try {
    const Json json = Json::parse(text);
    Line line{json.at("id"), json.at("scorer"), {}};
    line.answer.values = json.value("values", std::map<std::string, double>());
    line.answer.nearestTo = json.value("nearest_to", std::string());
    line.answer.problem = json.value("problem", std::string());
    line.answer.settings = json.value("settings", std::string());
    line.answer.timeMs = json.value("time", std::int64_t{0});
    return line;
} catch (const Json::exception&) {
    return std::nullopt;
}

}  // namespace

ScorerAnswers loadScorerAnswers(const fs::path& folder) {
    ScorerAnswers answers;
    LineParts::read(folder, kScoreFolder, [&](const std::string& text) {
        auto line = lineFrom(text);
        if (!line) return;
        const auto [at, isNew] = answers[line->clipId].try_emplace(line->scorer, line->answer);
        if (!isNew && line->answer.timeMs >= at->second.timeMs) at->second = std::move(line->answer);
    });
    return answers;
}

void takeAnswers(ClipRecord& clip, const ScorerAnswers& answers) {
    const auto found = answers.find(clip.id);
    if (found == answers.end()) return;
    for (const auto& [scorer, answer] : found->second) {
        std::erase_if(clip.scorerValues, [&](const auto& entry) {
            return entry.first == scorer || entry.first.starts_with(scorer + "/");
        });
        clip.nearestTo.erase(scorer);
        if (!answer.nearestTo.empty()) clip.nearestTo[scorer] = answer.nearestTo;
        for (const auto& [key, value] : answer.values)
            clip.scorerValues[key.empty() ? scorer : scorer + "/" + key] = value;
    }
}

void ScorerLog::add(const std::string& clipId, const std::string& scorer, const ScorerAnswer& answer) {
    m_parts.add(textOf({clipId, scorer, answer}));
}

ScorerAnswers ScorerLog::merge() {
    auto answers = loadScorerAnswers(m_folder);
    std::string lines;
    for (const auto& [clipId, ofClip] : answers)
        for (const auto& [scorer, answer] : ofClip) lines += textOf({clipId, scorer, answer}) + '\n';
    if (!lines.empty()) writeFileAtomically(m_folder / kScoresFile, lines);
    m_parts.removeMerged();
    return answers;
}

}  // namespace dailies::curation
