#pragma once

#include "core/curation/clip_list.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/curation_launch.h"

#include <optional>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// What was sent.
struct SubmittedCuration {
    CurationPlan plan;
    std::string job;
};

/// The plan as it is known before there is a trainer. Sends nothing.
CurationPlan previewCuration(const CurationRequest& request, const ClusterProfile& profile);

/// Films of a cluster become clips by its jobs: validate, make sure that the films are there and of the
/// trainer, plan, record, submit. Blocks, throws and reports as `LaunchService` does.
SubmittedCuration submitCuration(Cluster& cluster, tracking::Store& store, const CurationRequest& request,
                                 const Progress& progress = {}, std::stop_token stop = {});

/// What the folder of a curation holds by its summary.json; nothing where there is none yet.
std::optional<curation::ClipListSummary> curatedSummary(Cluster& cluster, const std::string& folder);

}  // namespace dailies::remote
