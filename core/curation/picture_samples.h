#pragma once

#include "core/curation/film_scores.h"
#include "core/curation/picture.h"

namespace dailies::curation {

/// Levels. A picture that deviates less is plain: its hash and its borders say nothing.
inline constexpr double kPlainDeviation = 4;

/// What the frame `frame`, in its own size, says of bars and sharpness.
PictureSample samplePicture(int frame, const Picture& picture);

/// Without the black rows and columns at the edges: those whose mean luma is at most 10 levels (24 of video's
/// range, which is `cropdetect`'s limit), inwards to even numbers. The whole picture where more than half of
/// a side is black: a dark picture has no bars.
Box pictureBox(const std::uint8_t* luma, int width, int height);

/// See `FilmScores::hashes`; of the box alone, so that a copy with bars has the hash of one without.
std::uint64_t differenceHash(const std::uint8_t* luma, int width, const Box& box);

}  // namespace dailies::curation
