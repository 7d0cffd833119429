#pragma once

#include "remote/slurm/node.h"
#include "remote/slurm/partition.h"
#include "remote/slurm/queue.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace dailies::remote::slurm {

/// How full the file system of a folder is.
struct DiskUsage {
    std::int64_t total = 0, used = 0, available = 0;  ///< bytes; total 0: not known
    /// Of the user, where the file system has a limit for them (Lustre, or the `quota` command).
    std::int64_t quotaUsed = 0, quotaLimit = 0;  ///< bytes; limit 0: none that is known
};

/// What Slurm said of everybody's jobs, the nodes and the partitions at one moment.
struct Snapshot {
    std::int64_t time = 0;  ///< unix seconds, by the cluster's clock
    std::string user;       ///< who asked
    std::vector<Partition> partitions;
    std::vector<Node> nodes;
    bool hasNodes = false;  ///< whether nodes were asked for; else `nodes` says nothing
    std::vector<QueuedJob> jobs;
    DiskUsage disk;
};

/// Which jobs of the queue (by their place in it) run on each node.
using JobsByNode = std::unordered_map<std::string, std::vector<std::size_t>>;
JobsByNode jobsByNode(const std::vector<QueuedJob>& queue);

/// A POSIX shell script whose output `parseSnapshot` reads. `boundary`: as queueFormat's. `folder`: whose
/// file system is looked at; empty: none. Nodes are the larger part of the answer and change slowly, so that
/// they need not be asked for each time.
std::string snapshotScript(const std::string& boundary, const std::string& folder, bool withNodes);

/// The output holds its own boundary, so that it can be kept and read again. Throws `Error` for what is no
/// such output.
Snapshot parseSnapshot(std::string_view out);

/// Of `df -Pk`.
DiskUsage parseDf(std::string_view out);
/// Adds the limit that `lfs quota -q` or `quota -w` tells of, when `out` is what one of them printed.
void addQuota(DiskUsage& disk, std::string_view out);

}  // namespace dailies::remote::slurm
