#pragma once

#include "core/tracking/store.h"

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>

namespace dailies::remote {

/// How much of the desktop's disk mirrored clips may take.
struct MirrorLimits {
    static constexpr std::uint64_t kDefaultBytes = 20ull << 30;
    std::uint64_t bytes = kDefaultBytes;
    std::uint64_t minFreeBytes = 2ull << 30;  ///< of the disk, which is never used
};

/// "clip_mirror_gib" in $XDG_CONFIG_HOME/dailies/settings.json: of a person's desktop, whatever the cluster.
MirrorLimits loadMirrorLimits();
/// 0: the usual. Throws `InputError` for a negative or senseless size, `Error` when it cannot be written.
void saveMirrorSize(double gibibytes);

/// How much of it the proxies of clips may take (core/video/proxy_folder.h).
inline std::uint64_t proxyBytes(const MirrorLimits& limits) {
    return limits.bytes / 8;
}

/// What lies below the clips folders of a mirror, and its proxies.
struct MirrorUsage {
    std::uint64_t bytes = 0;
    int clips = 0;  ///< whole ones
    int heads = 0;  ///< parts of clips that are not here
    int proxies = 0;
};

/// "3.2 GB of 21 GB: 512 clips, and the first pictures of 40 that are on the cluster."
std::string describe(const MirrorUsage& use, const MirrorLimits& limits);

/// Keeps the mirror of clips to its size. A clip is let go by removing its file: the store goes on saying
/// where it lay, so it is not fetched again by itself, keeps what was found in it, and comes again when it is
/// opened. One thread; any number of desktops and commands may do this to one mirror.
class MirrorBudget {
public:
    static constexpr std::int64_t kAnyTime = std::numeric_limits<std::int64_t>::max();

    /// `limits`: those of the settings where not given, read anew each time.
    MirrorBudget(const tracking::Store& store, std::filesystem::path mirror,
                 std::optional<MirrorLimits> limits = {});

    MirrorLimits limits() const;
    MirrorUsage use() const;

    /// Looks at the disk and at what people judged, for the calls of `makeRoom` that follow.
    void refresh();
    /// Whether there is room for so many more bytes, which are then spoken for. Clips are let go for them,
    /// the least recently watched or fetched first: those last used before `usedBefore` (unix seconds) that
    /// nobody rated, noted something of or compared. When all of these would not do, none goes.
    bool makeRoom(std::uint64_t bytes, std::int64_t usedBefore = kAnyTime);

private:
    struct Candidate {
        std::filesystem::path file;
        std::uint64_t bytes = 0;
        std::int64_t used = 0;  ///< unix seconds
    };

    const tracking::Store& m_store;
    std::filesystem::path m_mirror;
    std::optional<MirrorLimits> m_limits;
    std::vector<Candidate> m_candidates;  ///< the next to go last
    std::int64_t m_room = 0;              ///< negative: the mirror is too large
};

}  // namespace dailies::remote
