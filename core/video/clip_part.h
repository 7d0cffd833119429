#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

/// What the desktop holds of a clip that is not here: the bytes from its beginning, in a partial file beside
/// the place of the whole one, "clip.mp4.<bytes of the whole>-<state>.part". It was read ahead, is what an
/// interrupted or running download has brought, or stayed when the clip was let go to make room for others
/// (remote/cluster: `ClipMirror`, `MirrorBudget`). Shown as far as it reaches; never taken for the clip.
namespace dailies::video {

struct ClipPart {
    std::filesystem::path file;
    std::uint64_t bytes = 0;       ///< that are here
    std::uint64_t wholeBytes = 0;  ///< that the clip has on the cluster
};

/// The longest part of the clip whose whole file would be `whole`; nullopt where there is none. Looks at the
/// disk.
std::optional<ClipPart> partOf(const std::filesystem::path& whole);

/// Leaves no more of a clip than its first picture, as a part; of a clip whose beginning does not tell where
/// that ends, nothing. `file`: whole, or a part. Returns the bytes that became free. Throws `Error` when it
/// cannot be removed.
std::uint64_t shrinkToHead(const std::filesystem::path& file);

/// Removes all parts of a clip: it is here.
void removeParts(const std::filesystem::path& whole);

/// Remembers on the disk that somebody watches the clip, as its time of access.
void markWatched(const std::filesystem::path& whole);

}  // namespace dailies::video
