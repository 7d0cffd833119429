#pragma once

#include "core/curation/film_scores.h"

#include <filesystem>
#include <functional>
#include <stop_token>

namespace dailies::curation {

/// Called now and then with how many frames have been decoded since it was called last.
using FramesDecoded = std::function<void(int frames)>;

/// Decodes a film from its first frame to its last, once, on the calling thread; memory holds one picture of
/// its own size. A frame that is damaged is left out and noted; throws `Error` where the file is no film, or
/// all of its frames or 250 in a row are damaged, and `Cancelled`.
FilmScores analyseFilm(const std::filesystem::path& file, const FramesDecoded& onDecoded = {},
                       const std::stop_token& stop = {});

}  // namespace dailies::curation
