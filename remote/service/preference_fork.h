#pragma once

#include "core/judging/preferences.h"
#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// The run that learns what people preferred, and of whose clips.
struct PreferenceForkRequest {
    std::string base;                       ///< id of the run whose weights the adapter is trained on
    std::optional<std::int64_t> step = {};  ///< of its checkpoint: the newest one up to it; else the newest
    std::vector<std::string> comparedRuns = {};  ///< those that took part in blind arenas
};

/// One run, ready to be changed and launched.
struct PreferenceFork {
    sweep::Sweep sweep;
    judging::WrittenPreferences written;
    std::vector<std::string> notices;
};

/// Forks a run into one that trains an adapter of it on what blind arenas say of the runs' clips (DPO), and
/// copies the list of the pairs to <workspace>/preferences/ on the cluster, where the clips lie. Blocks.
/// Throws `InputError` where nobody preferred a clip, the clips or the run are not on this cluster, or the
/// run has no whole weights there.
PreferenceFork forkOnPreferences(Cluster& cluster, const tracking::Store& store,
                                 const PreferenceForkRequest& request, std::stop_token stop = {});

}  // namespace dailies::remote
