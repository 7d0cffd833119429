#pragma once

#include "core/tracking/store.h"
#include "core/video/clip_file.h"

#include <filesystem>

namespace dailies::remote {

/// Records what a clip's file says of itself: frames, size, rate.
void recordFacts(tracking::Store& store, tracking::ClipRecord clip, const video::ClipInfo& info);

/// The clip is played from this file. One that cannot be played is told of on its place on the wall.
void playFrom(tracking::Store& store, const tracking::ClipRecord& clip, const std::filesystem::path& file);

}  // namespace dailies::remote
