#pragma once

#include "core/planner/storage.h"
#include "core/sweep/sweep.h"
#include "remote/diagnostics/cluster_check.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote {

/// What a sweep writes into the workspace when all its runs have ended.
struct SweepStorage {
    double bytes = 0;          ///< the most at once
    double oneCheckpoint = 0;  ///< of its largest run
    std::int64_t checkpoints = 0;
};

/// `runs`: the planned ones; `total`: with those that follow from results.
SweepStorage estimateStorage(const std::vector<sweep::PlannedRun>& runs, std::size_t total);

/// Room in a folder, as far as the cluster tells it.
struct FreeSpace {
    std::optional<double> freeBytes;  ///< of the file system
    std::optional<double> freeInodes;
    std::optional<double> quotaBytes;  ///< that the user may still write; by `lfs quota` or `quota`
    std::string quotaSource;           ///< which of them said so
};

/// The script that asks for it in `$folder`, and the reading of what it prints.
extern const std::string_view kFreeSpaceScript;
FreeSpace parseFreeSpace(std::string_view out);

/// Whether the sweep's files have room there, in plain words.
ClusterFinding checkStorage(const SweepStorage& need, const FreeSpace& room, const std::string& folder);

}  // namespace dailies::remote
