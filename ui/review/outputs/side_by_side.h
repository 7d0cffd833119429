#pragma once

#include "ui/review/outputs/clip_grid.h"

#include <filesystem>
#include <stop_token>

namespace dailies::ui {

/// Renders the clips into one video, frame-locked in rows and columns, with run, step, prompt and frame burnt
/// in below each: its rate is that of the fastest clip, its length that of the longest, and a clip that ends
/// earlier holds its last frame. A clip that cannot be read, or stops being readable, says so in its place.
/// Without labels only the pictures. At most 3840 × 2160; H.264 in MP4. The file is whole or absent. Any
/// thread; needs a QGuiApplication for its fonts. Throws `Error`, `Cancelled`.
void writeSideBySide(const ClipGrid& grid, const std::filesystem::path& file,
                     const OutputProgress& progress = {}, const std::stop_token& stop = {},
                     const OutputOptions& options = {});

}  // namespace dailies::ui
