#pragma once

#include "core/sweep/sampling_file.h"
#include "remote/launch/launch.h"
#include "remote/launch/sampling_launch.h"
#include "remote/trainer_install/trainer_install.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Throws `InputError` for a sweep whose runs cannot be sampled once it is trained: those of an adaptive
/// method are not known when it is launched.
void requireSampleable(const sweep::Sweep& sweep, const sweep::SamplingFile& file);

/// The sampling of the newest checkpoint of each run of a recorded sweep. It waits for the training, run by
/// run where each run is one task of it, else for all of it; what it waits for in vain cancels it. The job
/// that it waits for stands in its script by the sweep's id: see `scriptWithTrainingJob`.
SamplingPlan planThenSample(const tracking::Store& store, const LaunchPlan& training,
                            const sweep::SamplingFile& file, const ClusterProfile& profile,
                            const std::string& workspace, const InstalledTrainer& trainer);

struct TrainingThenSampling {
    SamplingPlan sampling;
    std::string trainingJob, samplingJob;
};

/// Launches the training and its sampling exactly once, as `launch` does: both are recorded before the first
/// is sent, so that a client which dies, or a connection that breaks, between the two loses neither. A
/// sampling whose training is refused ends with it.
TrainingThenSampling launchThenSample(Cluster& cluster, const LaunchPlan& training,
                                      const sweep::SamplingFile& file, const InstalledTrainer& trainer,
                                      tracking::Store& store, const Progress& progress = {},
                                      std::stop_token stop = {});

/// The sweep that a recorded sampling waits for; empty: it waits for none.
std::string upstreamSweep(const tracking::SweepRecord& record);

/// A recorded sampling's script with the job of the sweep that it waits for, and so in the record. Nothing
/// while that has no job; where it never will, because it was refused or cancelled, the sampling ends too.
std::optional<std::string> scriptWithTrainingJob(tracking::Store& store,
                                                 const tracking::SweepRecord& sampling);

/// The runs of sampling jobs that wait for these runs of a sweep.
std::vector<tracking::Run> dependentSamplingRuns(const tracking::Store& store, const std::string& sweepId,
                                                 const std::vector<std::string>& runIds);

}  // namespace dailies::remote
