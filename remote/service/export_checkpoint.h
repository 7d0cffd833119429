#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/sampling_launch.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// A checkpoint whose weights somebody wants for Python.
struct CheckpointExport {
    std::string runId;                 ///< of a run that samples another one: that one's checkpoint is meant
    CheckpointChoice checkpoint = {};  ///< one
    bool average = false;              ///< the averaged weights
    std::filesystem::path folder;      ///< on this machine
};

/// Makes sure of the trainer and has `dailies-train export` write the weights as safetensors on a node of the
/// cluster, unless they were written before, and copies them to a folder of their own in `wanted.folder`;
/// returns that. What was copied before is not copied again. Throws `InputError` where the run has no such
/// checkpoint (any more).
std::filesystem::path exportCheckpoint(Cluster& cluster, const tracking::Store& store,
                                       const CheckpointExport& wanted, const Progress& progress = {},
                                       std::stop_token stop = {});

}  // namespace dailies::remote
