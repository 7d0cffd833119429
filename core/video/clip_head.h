#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace dailies::video {

/// How many bytes of the file, from its first, its first picture needs; `file` may be just its beginning.
/// nullopt where the beginning does not say: it is shorter than the container's index, or that lies at the
/// file's end (MP4 without `faststart`; the trainer's clips have it in front), or the file is no video.
std::optional<std::uint64_t> firstPictureEnd(const std::filesystem::path& file);

}  // namespace dailies::video
