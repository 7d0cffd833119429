#pragma once

#include "core/curation/clip_list.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/launch/dataset_launch.h"
#include "remote/service/submitted.h"

#include <optional>
#include <stop_token>
#include <string>

namespace dailies::remote {

/// The plan as it is known before there is a trainer. Sends nothing.
DatasetPlan previewCuration(const CurationRequest& request, const ClusterProfile& profile);
DatasetPlan previewCaptions(const CaptionRequest& request, const ClusterProfile& profile);
DatasetPlan previewClipScores(const ClipScoringRequest& request, const ClusterProfile& profile);
DatasetPlan previewShards(const ShardRequest& request, const ClusterProfile& profile);

/// Films of a cluster become clips by its jobs: validate, make sure that the films are there and of the
/// trainer, plan, record, submit. Blocks, throws and reports as `LaunchService` does.
Submitted<DatasetPlan> submitCuration(Cluster& cluster, tracking::Store& store,
                                      const CurationRequest& request, const Progress& progress = {},
                                      std::stop_token stop = {});

/// The clips of a curated folder get captions; likewise.
Submitted<DatasetPlan> submitCaptions(Cluster& cluster, tracking::Store& store, const CaptionRequest& request,
                                      const Progress& progress = {}, std::stop_token stop = {});

/// They are given to a scorer of this machine; likewise.
Submitted<DatasetPlan> submitClipScores(Cluster& cluster, tracking::Store& store,
                                        const ClipScoringRequest& request, const Progress& progress = {},
                                        std::stop_token stop = {});

/// They are packed into shards; likewise.
Submitted<DatasetPlan> submitShards(Cluster& cluster, tracking::Store& store, const ShardRequest& request,
                                    const Progress& progress = {}, std::stop_token stop = {});

/// What the folder of a curation holds by its summary.json; nothing where there is none yet.
std::optional<curation::ClipListSummary> curatedSummary(Cluster& cluster, const std::string& folder);

}  // namespace dailies::remote
