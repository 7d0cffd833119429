#pragma once

#include "core/video/clip_file.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace dailies::trainer {

/// Members of a tar to be: name and bytes, in order.
using Members = std::vector<std::pair<std::string, std::string>>;

/// A ustar of these members, as bytes.
std::string tarOf(const Members& members);

/// One header block, its sum right; `type` and `name` as given.
std::string tarHeader(const std::string& name, std::uint64_t bytes, char type = '0');

/// An .mp4 whose frames tell their number by their brightness: 20 + 4·n.
std::string videoBytes(int frames, int width = 64, int height = 48, double fps = 8);

/// The number of the frame that a pixel of such a video belongs to.
double frameNumber(std::uint8_t pixel);

/// A .npy of float32.
std::string npyOf(const std::vector<std::int64_t>& shape, const std::vector<float>& values);

}  // namespace dailies::trainer
