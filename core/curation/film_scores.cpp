#include "core/curation/film_scores.h"

namespace dailies::curation {

double FilmScores::secondsOf(int frame) const {
    if (frame < static_cast<int>(seconds.size())) return seconds[static_cast<std::size_t>(frame)];
    const double beyond = frame - static_cast<double>(seconds.size());
    if (seconds.empty()) return fps > 0 ? frame / fps : 0;
    return fps > 0 ? seconds.back() + (beyond + 1) / fps : seconds.back();
}

}  // namespace dailies::curation
