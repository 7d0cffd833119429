#pragma once

#include "core/base/json.h"
#include "core/curation/cuts.h"
#include "core/curation/film_scores.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace dailies::curation {

/// What a verdict is made of. Shares are of the clip's frames, levels those of `FilmScores`.
struct ClipScores {
    double motion = 0;     ///< mean of blurred differences, in levels a frame: 0 for a still
    double frozen = 0;     ///< share in stretches of half a second or more without any change
    double luma = 0;       ///< mean
    double contrast = 0;   ///< mean of the frames' standard deviations
    double black = 0;      ///< share of frames that are black to 98 %
    double white = 0;      ///< likewise
    double sharpness = 0;  ///< median of its samples
    bool operator==(const ClipScores&) const = default;
};

/// Before the name of a scorer's number: in clips.jsonl, and where a verdict names it.
inline constexpr const char* kScorePrefix = "score/";
inline constexpr const char* kNearestToSuffix = "/nearest_to";
inline constexpr const char* kNearestSuffix = "/nearest";

/// One line of clips.jsonl.
struct ClipRecord {
    std::string id;      ///< of the film's id the first 12 digits, and both frames: "0f3a…-000120-000239"
    std::string source;  ///< absolute path of the film
    int firstFrame = 0, lastFrame = 0;
    double start = 0, end = 0;  ///< seconds from the film's first frame; the last frame's interval included
    double fps = 0;
    int width = 0, height = 0;  ///< of the film
    Box crop;                   ///< without black bars
    Boundary begins = Boundary::FilmEnd, ends = Boundary::FilmEnd;
    ClipScores scores;
    /// What scorers of the user's say, by "NAME" or "NAME/KEY"; without those that were not asked, or failed.
    std::map<std::string, double> scorerValues;
    /// By the scorer's name: id of the clip that this one is most like, of those that are better (its
    /// number "NAME/nearest" says how much).
    std::map<std::string, std::string> nearestTo;
    std::vector<std::uint64_t> hashes;  ///< two a second of the film's, of frames with any contrast
    /// Id of the clip that shows the same, of which there are more pixels (duplicates.h).
    std::optional<std::string> duplicateOf;
    std::string caption;  ///< in one line; empty: it has none

    int frames() const { return lastFrame - firstFrame + 1; }
    double duration() const { return end - start; }
    bool operator==(const ClipRecord&) const = default;
};

/// The clips of one film, in its order.
std::vector<ClipRecord> clipsOf(const FilmScores& film, const std::string& filmId, const std::string& source,
                                const CutRules& rules);

/// All but the verdict (verdict.h).
Json toJson(const ClipRecord& clip);
/// What scorers say of it, into the object of its line.
void addScores(const ClipRecord& clip, Json& line);
/// Throws `InputError`; keys that it does not know are left alone.
ClipRecord parseClipRecord(const Json& json);

}  // namespace dailies::curation
