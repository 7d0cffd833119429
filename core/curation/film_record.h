#pragma once

#include "core/base/json.h"
#include "core/curation/film_scores.h"

namespace dailies::curation {

/// Grows by one whenever any number of `FilmScores` is made in another way, or of another kind: films are
/// then decoded anew.
inline constexpr int kScoresRevision = 1;

/// Scores as a document; what is read back equals what was written, bit for bit.
Json toJson(const FilmScores& film);
/// Throws `InputError` for anything that `toJson` of this revision did not write.
FilmScores parseFilmScores(const Json& json);

}  // namespace dailies::curation
