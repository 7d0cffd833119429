#pragma once

#include "core/sweep/sampling_file.h"
#include "remote/cluster/launch.h"
#include "remote/cluster/sampling_launch.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// Throws `InputError` for a sweep whose runs cannot be sampled once it is trained: those of an adaptive
/// method are not known when it is launched.
void requireSampleable(const sweep::Sweep& sweep, const sweep::SamplingFile& file);

/// The sampling of the newest checkpoint of each run of a sweep that was just launched. It waits for the
/// training, run by run where each run is one task of it, else for all of it; what it waits for in vain
/// cancels it.
SamplingPlan planThenSample(const tracking::Store& store, const LaunchPlan& training,
                            const sweep::SamplingFile& file, const ClusterProfile& profile,
                            const std::string& workspace, const InstalledTrainer& trainer);

/// The runs of sampling jobs that wait for these runs of a sweep.
std::vector<tracking::Run> waitingSamplings(const tracking::Store& store, const std::string& sweepId,
                                            const std::vector<std::string>& runIds);

}  // namespace dailies::remote
