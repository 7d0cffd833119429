#pragma once

#include "core/curation/clip_record.h"
#include "core/curation/line_parts.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

namespace dailies::curation {

inline constexpr const char* kScoresFile = "scores.jsonl";
inline constexpr const char* kScoreFolder = "scores";  ///< of those that are being written (`LineParts`)

/// What a scorer said of a clip.
struct ScorerAnswer {
    std::map<std::string, double> values;  ///< by key; "" of a scorer that gives one number
    std::string nearestTo = {};            ///< id of the clip that this one is most like; empty: none
    std::string problem = {};              ///< why it gave none; empty: it did
    std::string settings = {};  ///< by which it was asked: the same for all that are answered alike
    std::int64_t timeMs = 0;    ///< since 1970
    bool operator==(const ScorerAnswer&) const = default;
};

/// By the scorers' names, of one clip and of clips by their ids.
using AnswersOfClip = std::map<std::string, ScorerAnswer>;
using ScorerAnswers = std::map<std::string, AnswersOfClip>;

/// FOLDER/scores.jsonl and what scoring has written since: the newest of each clip and scorer. Lines that it
/// cannot read are left out.
ScorerAnswers loadScorerAnswers(const std::filesystem::path& folder);

/// Puts what its scorers say now into `clip.scorerValues`; those of other scorers stay.
void takeAnswers(ClipRecord& clip, const ScorerAnswers& answers);

/// Keeps each answer from the moment when it is known (`LineParts`), so that several processes may score at
/// once. Any thread.
class ScorerLog {
public:
    explicit ScorerLog(const std::filesystem::path& folder)
        : m_folder(folder), m_parts(folder, kScoreFolder) {}

    /// Throws `Error`.
    void add(const std::string& clipId, const std::string& scorer, const ScorerAnswer& answer);
    ScorerAnswers merge();  ///< everything into scores.jsonl, which is returned; throws `Error`
    void discard() { m_parts.discard(); }

private:
    std::filesystem::path m_folder;
    LineParts m_parts;
};

}  // namespace dailies::curation
