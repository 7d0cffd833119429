#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// The tag of runs that another store launched: what their sweep decides, it decides there.
inline constexpr const char* kAdoptedTag = "dailies.adopted";

/// A run in the workspace that another store launched.
struct UntrackedRun {
    std::string id, name;
    std::size_t task = 0;    ///< its place in the sweep
    std::string submission;  ///< its own job's comment, where the sweep decided on it later
    std::string why;         ///< of such a run: why it was proposed
};

/// A sweep in the workspace with runs that this store does not have.
struct UntrackedSweep {
    std::string id, name;
    std::string yaml;            ///< the sweep file
    std::int64_t createdMs = 0;  ///< when its files were written
    std::vector<UntrackedRun> runs;
};

/// What lies in the cluster's workspace and is not in the store: launched from another computer, or into
/// another database. Newest first. Jobs that sample or score runs are not among them.
std::vector<UntrackedSweep> findUntrackedSweeps(Cluster& cluster, const tracking::Store& store,
                                                std::stop_token stop = {});

/// Those of `found` that these words name: ids, their beginnings, or names, of sweeps or of single runs.
/// Throws `InputError` for a word that names nothing, or several things.
std::vector<UntrackedSweep> selectUntracked(const std::vector<UntrackedSweep>& found,
                                            const std::vector<std::string>& words);

struct Adoption {
    std::vector<std::string> runIds;
    std::vector<std::string> notes;  ///< what was left out and why, for a person
};

/// Records these runs as the launch would have, all of a sweep or none: from then on they are followed,
/// cancelled and sampled like those of this store. What their sweep still decides (further runs, early
/// stopping) stays with the store that launched it. Nothing on the cluster is changed.
Adoption adopt(Cluster& cluster, tracking::Store& store, const std::vector<UntrackedSweep>& sweeps,
               std::stop_token stop = {});

}  // namespace dailies::remote
