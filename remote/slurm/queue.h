#pragma once

#include "remote/slurm/job.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::remote::slurm {

/// A row of Slurm's queue, anybody's: a job, a task of an array, the tasks of an array that still wait
/// ("12_[2-5%2]"), or a component of a heterogeneous job ("21+0").
struct QueuedJob {
    JobStatus status;
    std::string user, name, partition, account, qos;
    int tasks = 1;                   ///< of an array that this row stands for
    int nodes = 0;                   ///< given, or asked for while it waits; as all of these, of one task
    int cpus = 0, gpus = 0;          ///< of all its nodes together
    std::int64_t memory = 0;         ///< MiB, of all its nodes together; 0: not known
    std::int64_t priority = 0;       ///< Slurm's number; only its order means something
    std::int64_t expectedStart = 0;  ///< of a job that waits, where Slurm's scheduler has planned it; unix s
    std::int64_t timeLimit = 0;      ///< seconds; 0: none
    std::int64_t elapsed = 0;        ///< seconds that a job of the history ran
};

/// The -O format whose output `parseQueue` reads. `boundary` closes a row and each text that its owner chose,
/// so it must be drawn anew for every call: jobs named before cannot hold it, and so cannot forge a row.
std::string queueFormat(const std::string& boundary);

/// Text of `squeue -h -O <queueFormat(boundary)>`. A row that is not as it should be is left out.
std::vector<QueuedJob> parseQueue(std::string_view out, std::string_view boundary);

/// The -o columns of `sacct -X -n -P --delimiter=<unit separator>` that `parseHistory` reads, with the name
/// last. A user's own jobs only, so nobody else can forge them.
inline constexpr std::string_view kHistoryColumns =
    "JobID,State,Reason,ExitCode,NodeList,Submit,Start,End,ElapsedRaw,Timelimit,Partition,Account,QOS,User,"
    "AllocTRES,ReqTRES,Comment,JobName";
std::vector<QueuedJob> parseHistory(std::string_view out);

/// Rows of one array in the order of the first of them: what a list shows in one line. A row of another job
/// stands alone.
struct FoldedJob {
    std::string id;                            ///< "12" of an array, else the row's own
    std::vector<std::size_t> rows;             ///< indices of the queue
    int waiting = 0, running = 0, others = 0;  ///< tasks
};
std::vector<FoldedJob> foldArrays(const std::vector<QueuedJob>& queue);

/// How many tasks "12_[1-2,6-9%2]" names; 1 of any other id. Of one that Slurm cut ("12_[1,3,5,…...]") those
/// that are there.
int countTasks(std::string_view id);

}  // namespace dailies::remote::slurm
