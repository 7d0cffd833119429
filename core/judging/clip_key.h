#pragma once

#include "core/tracking/store.h"

#include <compare>
#include <string>

namespace dailies::judging {

/// Which clip: its run, and its path in the run's directory.
struct ClipKey {
    std::string runId;
    std::string path;
    auto operator<=>(const ClipKey&) const = default;
};

inline ClipKey keyOf(const tracking::ClipRecord& clip) {
    return {clip.runId, clip.path};
}

}  // namespace dailies::judging
