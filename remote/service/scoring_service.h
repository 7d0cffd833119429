#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/scoring_launch.h"
#include "remote/service/submitted.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// A sentence where every clip that the request means has its score already, so that there is nothing to
/// send; nullopt otherwise. Reads the store alone.
std::optional<std::string> nothingToScore(const tracking::Store& store, const ScoringRequest& request,
                                          std::stop_token stop = {});

/// The plan as it is known before there is a trainer. Sends nothing; throws `InputError` for a scorer that is
/// none and for runs that cannot be scored together.
ScoringPlan previewScoring(const tracking::Store& store, const ScoringRequest& request,
                           const ClusterProfile& profile);

/// Gives runs' clips to a scorer: validate, make sure of the trainer, upload the scorer, plan, record,
/// submit. Blocks, throws and reports as `LaunchService` does; where there is nothing to score it throws
/// `InputError` with the sentence of `nothingToScore`.
Submitted<ScoringPlan> submitScoring(Cluster& cluster, tracking::Store& store, const ScoringRequest& request,
                                     const Progress& progress = {}, std::stop_token stop = {});

}  // namespace dailies::remote
