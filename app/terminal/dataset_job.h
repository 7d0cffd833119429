#pragma once

#include "core/base/json.h"
#include "remote/cluster/cluster.h"
#include "remote/service/dataset_service.h"

#include <memory>
#include <stop_token>
#include <string>

namespace dailies::app {

// What `curate` and `caption` share: jobs that make a dataset on a cluster.

/// For --dry-run. `job`: of every task; `does`: "would curate /films into /set".
void printDatasetPlan(const remote::DatasetPlan& plan, const Json& job, const std::string& does,
                      const std::string& format);

/// Says what was sent: "Job 17, harbour, DOES by 4 tasks."
void saySubmitted(const remote::SubmittedDatasetJob& submitted, const std::string& does);

/// Follows until all tasks have ended, prints what the folder holds then, and returns the exit status.
int waitForDatasetJob(const remote::ClusterProfile& profile, std::unique_ptr<remote::Cluster> cluster,
                      tracking::Store& store, const remote::DatasetPlan& plan, const std::string& folder,
                      const std::string& format, std::stop_token stop);

}  // namespace dailies::app
