#pragma once

#include "remote/slurm/scheduler.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Reading what Slurm says of what may be asked of it. Pure functions, as in output.h.
namespace dailies::remote::slurm {

/// Of `scontrol -o show partition`: how large a job may be, and who may send it.
void addLimits(std::vector<Partition>& partitions, std::string_view shown);

/// The rows of `sacctmgr -n -P show associations` with the columns Account,Partition,QOS.
std::vector<Association> parseAssociations(std::string_view out);

/// The rows of `sacctmgr -n -P show qos` with the columns Name,MaxWall.
std::map<std::string, std::string> parseQosLimits(std::string_view out);

/// What `sbatch --test-only` writes to standard error, with times in unix seconds.
StartEstimate parseTestOnly(std::string_view err);

/// Seconds of a limit as Slurm prints it: "1-00:00:00", "30:00"; nullopt: "infinite", "UNLIMITED", or none.
std::optional<std::int64_t> parseTimeLimit(const std::string& limit);

}  // namespace dailies::remote::slurm
