#pragma once

#include "core/curation/film_scores.h"

#include <string>
#include <vector>

namespace dailies::curation {

/// How a film is taken apart. Changing any of these decodes nothing anew. The first four are PySceneDetect's
/// AdaptiveDetector and its defaults.
struct CutRules {
    double adaptive_ratio = 3;  ///< a frame's content score against the mean of its neighbours'
    double min_content = 15;    ///< content score of a cut, at least
    int window = 2;             ///< neighbours on either side
    int min_shot_frames = 15;   ///< between two cuts
    /// A jump whose picture comes back, or was there, to this share is a flash, no cut (`FilmScores::flash`).
    double flash = 0.6;
    double dissolve = 10;       ///< levels in the middle of a dissolve, at least (`FilmScores::dissolve`)
    double dissolve_edge = 2;   ///< levels down to which a frame is part of it
    double black_share = 0.98;  ///< of a frame that is black, or white
    double trim_seconds = 0;    ///< left out at both ends of each shot
    double max_seconds = 60;    ///< longer shots are split evenly; 0: never
};

enum class Boundary { FilmEnd, Cut, Dissolve, Black, White, Damage, Split };

std::string toText(Boundary kind);                   ///< "film end", "cut", …
Boundary boundaryFromText(const std::string& text);  ///< throws `InputError`

/// What lies between two shots: frames that are of neither. A cut has none: `last` is `first` − 1, and
/// `first` begins the next shot. A stretch of black or white has the frames of fading with it.
struct Transition {
    Boundary kind = Boundary::Cut;
    int first = 0;
    int last = -1;
    bool operator==(const Transition&) const = default;
};

/// In the order of the film, none overlapping another.
std::vector<Transition> findTransitions(const FilmScores& film, const CutRules& rules);

/// A part of one shot; both frames are its own.
struct Span {
    int first = 0;
    int last = 0;
    Boundary begins = Boundary::FilmEnd, ends = Boundary::FilmEnd;
    bool operator==(const Span&) const = default;
};

/// What lies between the transitions, trimmed and split, however short.
std::vector<Span> findSpans(const FilmScores& film, const std::vector<Transition>& transitions,
                            const CutRules& rules);

}  // namespace dailies::curation
