#pragma once

#include "core/tracking/store.h"
#include "remote/fit/memory_check.h"
#include "remote/launch/sampling_launch.h"

namespace dailies::remote {

/// Whether the jobs of a sampling request get the memory that they need, told by the run that comes off
/// worst. A run whose config this program does not understand is left out.
MemoryCheck checkSamplingMemory(const tracking::Store& store, const SamplingRequest& request,
                                const ClusterProfile& profile, const slurm::ClusterFacts* facts);

}  // namespace dailies::remote
