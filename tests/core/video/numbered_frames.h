#pragma once

#include "core/video/clip_file.h"

#include <filesystem>
#include <string>
#include <vector>

namespace dailies::video {

/// A picture that says which one it is, also after lossy coding and scaling: the bits of `number` as eight
/// upright stripes, white for 1 and black for 0, the lowest bit on the left.
Frame numberedFrame(int number, int width = 64, int height = 48);
std::vector<Frame> numberedFrames(int count, int width = 64, int height = 48);

/// The number that a picture shows.
int shownNumber(const Frame& frame);

/// The colour in the middle of a cell, the picture being cut into columns × rows; as "#rrggbb" rounded to 00,
/// 80 or ff.
std::string colourAt(const Frame& frame, int column, int columns, int row, int rows);

/// Makes `file` with the ffmpeg program from raw frames; `arguments` stand between input and output ("-c:v
/// libx264 -g 250").
void makeWithFfmpeg(const std::filesystem::path& file, const std::vector<Frame>& frames,
                    const std::string& arguments);

/// Runs `ffmpeg -y <arguments>`; throws with its messages when it fails.
void runFfmpeg(const std::string& arguments);

}  // namespace dailies::video
