#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/snapshot_cache.h"
#include "ui/cluster/node_grid.h"
#include "ui/cluster/snapshot_model.h"

#include <QString>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

/// What the Cluster page's lists say, from what Slurm said. Pure functions.
namespace dailies::ui {

/// Our runs by the job that executes them ("12_3").
struct RunRef {
    std::string runId;
    std::string name;
    bool operator==(const RunRef&) const = default;
};
using RunsByJob = std::map<std::string, RunRef>;

// -- the queue, an array in one line that can be opened
std::vector<SnapshotModel::Column> queueColumns();
inline constexpr int kQueueUserColumn = 2;
struct QueueFilter {
    bool everybody = false;
    std::set<QString> open;  ///< arrays whose tasks are listed
};
/// What has lasted is reckoned by the cluster's own clock, at the time of the snapshot.
std::vector<SnapshotRow> queueRows(const remote::ClusterView& view, const QueueFilter& choice,
                                   const RunsByJob& runs);

// -- the nodes
std::vector<SnapshotModel::Column> nodeColumns();
/// Which nodes: those whose condition is in the set; all when it is empty.
using NodeFilter = std::set<remote::slurm::NodeCondition>;
std::vector<SnapshotRow> nodeRows(const remote::ClusterView& view, const NodeFilter& filter);
std::vector<NodeGrid::Square> nodeSquares(const remote::ClusterView& view, const NodeFilter& filter);
StatusTone toneOf(remote::slurm::NodeCondition condition);
QString displayName(remote::slurm::NodeCondition condition);

// -- the partitions, with what is free in each
std::vector<SnapshotModel::Column> partitionColumns();
std::vector<SnapshotRow> partitionRows(const remote::ClusterView& view);

// -- what ended lately
std::vector<SnapshotModel::Column> historyColumns();
std::vector<SnapshotRow> historyRows(const std::vector<remote::slurm::QueuedJob>& jobs,
                                     const RunsByJob& runs);
/// Of our own store, for clusters without accounting and while there is no connection.
std::vector<SnapshotRow> historyRows(const std::vector<tracking::Run>& runs);

/// "1.5 TiB"
QString bytesText(std::int64_t bytes);

}  // namespace dailies::ui
