#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/kept_snapshot.h"
#include "ui/cluster/fact_model.h"
#include "ui/cluster/node_grid.h"

#include <QString>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

/// What the Cluster page's lists say, from what Slurm said. Pure functions.
namespace dailies::ui {

/// Our runs by the job that executes them ("12_3").
struct OurRun {
    std::string runId;
    std::string name;
    bool operator==(const OurRun&) const = default;
};
using OurRuns = std::map<std::string, OurRun>;

// -- the queue, an array in one line that can be opened
std::vector<FactModel::Column> queueColumns();
inline constexpr int kQueueUserColumn = 2;
struct QueueChoice {
    bool everybody = false;
    std::set<QString> open;  ///< arrays whose tasks are listed
};
/// What has lasted is reckoned by the cluster's own clock, at the time of the snapshot.
std::vector<FactRow> queueRows(const remote::ClusterView& view, const QueueChoice& choice,
                               const OurRuns& runs);

// -- the nodes
std::vector<FactModel::Column> nodeColumns();
/// Which nodes: those whose condition is in the set; all when it is empty.
using NodeFilter = std::set<remote::slurm::NodeCondition>;
std::vector<FactRow> nodeRows(const remote::ClusterView& view, const NodeFilter& filter);
std::vector<NodeGrid::Square> nodeSquares(const remote::ClusterView& view, const NodeFilter& filter);
FactTone toneOf(remote::slurm::NodeCondition condition);
QString wordFor(remote::slurm::NodeCondition condition);

// -- the partitions, with what is free in each
std::vector<FactModel::Column> partitionColumns();
std::vector<FactRow> partitionRows(const remote::ClusterView& view);

// -- what ended lately
std::vector<FactModel::Column> historyColumns();
std::vector<FactRow> historyRows(const std::vector<remote::slurm::QueuedJob>& jobs, const OurRuns& runs);
/// Of our own store, for clusters without accounting and while there is no connection.
std::vector<FactRow> historyRows(const std::vector<tracking::Run>& runs);

/// "1.5 TiB"
QString bytesText(std::int64_t bytes);

}  // namespace dailies::ui
