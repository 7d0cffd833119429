#pragma once

#include <cstdint>
#include <string>

/// Where this attempt runs.
namespace dailies::trainer {

std::string hostName();
std::string nodeName();        ///< Slurm's name of this node, else the host's
std::string slurmJob();        ///< "<jobid>" or "<arrayjobid>_<task>"; empty outside Slurm
std::int64_t slurmRestarts();  ///< how often Slurm has requeued the job

}  // namespace dailies::trainer
