#pragma once

#include "core/curation/clip_record.h"

#include <cstddef>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::curation {

/// Clips of one film, one behind the other in the list, that one thread works on with the film open.
struct ClipShare {
    std::size_t first = 0, count = 0;
};

/// Work on each of a curated folder's clips, alone or with other processes.
struct ClipWork {
    std::filesystem::path parent;  ///< a folder in it is where processes agree (`SharedWork`)
    std::string sharedBy;          ///< the same in all that share the clips; empty: this is the only one
    unsigned threads = 1;
    std::function<void(const ClipShare&)> work;            ///< called from all threads
    std::function<void()> finish;                          ///< once all is done, by one of the processes
    std::function<void(std::size_t open)> onWaiting = {};  ///< others are at all shares that are left
};

/// Returns when all clips are done and `finish` has ended, in whatever process. Throws what `work` and
/// `finish` throw, and `Cancelled`.
void workOnClips(const std::vector<ClipRecord>& clips, const ClipWork& work, const std::stop_token& stop);

}  // namespace dailies::curation
