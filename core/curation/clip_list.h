#pragma once

#include "core/base/json.h"
#include "core/curation/captions.h"
#include "core/curation/corrections.h"
#include "core/curation/scorer_answers.h"
#include "core/curation/verdict.h"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::curation {

inline constexpr const char* kClipListFile = "clips.jsonl";
inline constexpr const char* kSummaryFile = "summary.json";
inline constexpr const char* kClipFolder = "clips";        ///< of files that hold one clip each
inline constexpr const char* kPreviewFolder = "previews";  ///< of small copies of them, kept or not

struct FailedFilm {
    std::string source;
    std::string reason;
};

/// What a clips.jsonl holds, in numbers. Says nothing of the way there: the same films and rules, the same
/// summary.
struct ClipListSummary {
    int films = 0;  ///< found, failed ones included
    std::vector<FailedFilm> failed;
    int damagedFrames = 0;
    int clips = 0, kept = 0;
    int captioned = 0;  ///< of those that are kept
    double seconds = 0, keptSeconds = 0;
    std::map<std::string, int> reasons;  ///< clips dropped for it, perhaps among others

    Json toJson() const;
    /// Of what `toJson` gave. Throws `InputError`.
    static ClipListSummary fromJson(const Json& json);
    std::string text() const;  ///< a few lines for a person, made harmless for a terminal
};

/// What is known of clips beside what follows from their films.
struct ClipNotes {
    Corrections corrections = {};
    Captions captions = {};
    ScorerAnswers answers = {};
};

/// Makes clips.jsonl and summary.json: one line a clip, with the verdict that rules and notes give.
class ClipListWriter {
public:
    /// `files`: names in FOLDER/clips; a clip that is kept and has its file there is given it. `summary` has
    /// the numbers of films; the others are added.
    ClipListWriter(const VerdictRules& rules, const ClipNotes& notes, std::set<std::string> files,
                   ClipListSummary summary);

    /// `line`: what the list is to say of the clip beside its verdict and what the notes say of it, which
    /// take the place of older ones.
    void add(ClipRecord clip, Json line);
    /// A line that says nothing of a clip that could be read; it stays as it is.
    void addUnread(std::string_view line);

    /// Each file whole or not at all. Throws `Error`.
    ClipListSummary write(const std::filesystem::path& folder) const;

private:
    const VerdictRules& m_rules;
    const ClipNotes& m_notes;
    std::set<std::string> m_files;
    ClipListSummary m_summary;
    std::string m_lines;
};

/// Of all clips of a curation, as `ClipListWriter`.
ClipListSummary writeClipList(const std::filesystem::path& folder, const std::vector<ClipRecord>& clips,
                              const VerdictRules& rules, const ClipNotes& notes, std::set<std::string> files,
                              ClipListSummary summary);

/// The text of FOLDER/clips.jsonl; its first `atMost` lines, 0 for all. Throws `InputError` where there is no
/// such folder or list.
std::string readClipList(const std::filesystem::path& folder, std::size_t atMost = 0);

/// The names of the files in FOLDER/clips, or FOLDER/previews; none where there is no such folder.
std::set<std::string> clipFilesIn(const std::filesystem::path& folder, const char* below = kClipFolder);

}  // namespace dailies::curation
