#pragma once

#include "ui/review/outputs/clip_grid.h"

#include <filesystem>
#include <stop_token>

namespace dailies::ui {

/// How wide a page shows its clips unless somebody says otherwise: three and a name fit beside each other on
/// a laptop.
inline constexpr int kPageClipWidth = 256;

/// Writes the clips as one HTML file that needs nothing else: the videos stand in it, under one play head,
/// with names, metrics and remarks. It asks no other computer for anything and follows the reader's light or
/// dark mode. Clips that a browser cannot play (Y4M) are encoded anew; one that cannot be read says so in its
/// place. `pictureWidth` is how wide they are shown; the videos are as they are. The file is whole or absent.
/// Any thread. Throws `Error`, `Cancelled`.
void writeClipPage(const ClipGrid& grid, const std::filesystem::path& file,
                   const OutputProgress& progress = {}, const std::stop_token& stop = {},
                   const OutputOptions& options = {.pictureWidth = kPageClipWidth});

}  // namespace dailies::ui
