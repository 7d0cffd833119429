#pragma once

#include "core/curation/film_scores.h"
#include "core/video/clip_file.h"

namespace dailies::curation {

/// A film's picture made smaller, and the part of it that is wanted. All of it is even, as H.264 asks.
struct SmallCrop {
    int width = 0, height = 0;  ///< of the whole picture
    Box box;
};

/// Of a film whose part `crop` is to have at most `side` pixels on its longer side; never enlarged.
SmallCrop smallCrop(const video::ClipInfo& film, const Box& crop, int side);

/// That part of the picture; an odd width or height loses its last column or row.
video::Frame cropped(const video::Frame& frame, const Box& box);

}  // namespace dailies::curation
