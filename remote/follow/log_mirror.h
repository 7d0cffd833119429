#pragma once

#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace dailies::remote {

/// Where the desktop's copy of an attempt's log lies, whether or not there is one: below `mirror` as on the
/// cluster, <run-id>/logs/<job>.out. Throws `Error` for a job whose name is no plain file name.
std::filesystem::path mirroredLog(const std::filesystem::path& mirror, const std::string& runId,
                                  const std::string& job);

/// The job of the run's newest attempt; "" while none is known.
std::string newestJob(const tracking::Store& store, const tracking::Run& run);

/// The log of one attempt on the cluster, or what Slurm wrote before the job script could open it: that is
/// beside the script, in the folder of the sweep or, of a run that followed from others, of its submission.
std::string remoteLog(Cluster& cluster, const tracking::Run& run, const std::string& job);

/// What one call of `mirrorLog` brought.
struct LogUpdate {
    std::filesystem::path file;  ///< the desktop's copy; may not exist while the job has written nothing
    std::int64_t size = 0;       ///< of the copy now
    bool more = false;           ///< the cluster has more already: call again
};

/// Appends what is new in an attempt's log to the desktop's copy, at most 4 MiB a call, so that it can be
/// read without a connection. The copy's length is the offset, so an interrupted call loses nothing and the
/// next one goes on. A log that was begun anew (it is shorter than the copy) replaces the copy.
LogUpdate mirrorLog(Cluster& cluster, const std::filesystem::path& mirror, const tracking::Run& run,
                    const std::string& job);

}  // namespace dailies::remote
