#pragma once

#include "core/curation/film_scores.h"
#include "core/video/clip_file.h"
#include "trainer/data/example.h"

#include <optional>
#include <vector>

namespace dailies::trainer {

/// The frames that are on the screen at `start`, start + 1/fps, … seconds from a video's first: right also
/// where the time between frames varies. The last frame stays after the video's end.
std::vector<int> framesByTime(const video::ClipReader& reader, double start, double fps, int count);

/// Those frames, which must ascend, scaled to cover width × height and cropped in the middle. `part`: what of
/// the picture there is, without its black bars; none: all of it.
RgbClip cutClip(video::ClipReader& reader, const std::vector<int>& frames, int height, int width,
                const std::optional<curation::Box>& part = {});

}  // namespace dailies::trainer
