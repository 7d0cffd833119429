#pragma once

#include "remote/slurm/job.h"
#include "remote/slurm/partition.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

/// Reading what Slurm's commands print. Pure functions. A row is a line, its columns are separated by the
/// unit separator (0x1f), and free text comes last, because job names and comments may hold anything. A job's
/// owner may forge even line feeds and unit separators, so what does not look like an id or a state is
/// dropped, and callers keep only the ids that they asked for.
namespace dailies::remote::slurm {

inline constexpr char kUnit = '\x1f';
/// Opens a separator that ends in a word drawn for one call: whoever named a job before cannot have known it.
inline constexpr char kBoundaryStart = '\x1e';

/// The -O columns that `parseSqueue` reads, comment last because it is free text.
const std::vector<std::string>& squeueColumns();
/// `squeue -O` as columns above, one row a job or array task.
std::vector<JobStatus> parseSqueue(std::string_view out);

/// The -o columns that `parseSacct` reads (`sacct -X -n -P --delimiter=<unit separator>`).
inline constexpr std::string_view kSacctColumns =
    "JobID,State,Reason,ExitCode,NodeList,Submit,Start,End,Comment";
std::vector<JobStatus> parseSacct(std::string_view out);

/// The rows of `sinfo -o` with the columns %R %P %a %l %D %c %G %m, and %f where they are to tell kinds of
/// nodes apart, one Partition for all rows of a name.
std::vector<Partition> parseSinfo(std::string_view out);

/// Of `scontrol show config`: its lines "Key = value" by their keys.
std::map<std::string, std::string> parseConfig(std::string_view out);

/// Fills in what jobs of these partitions get that ask for no memory: by `scontrol -o show partition`, else
/// by the cluster's configuration.
void addDefaultMemory(std::vector<Partition>& partitions, std::string_view shown,
                      const std::map<std::string, std::string>& config);

/// "12_[1-2,6-9%2]" → {"12_1", "12_2", "12_6", …}; "12_3" and "12" stay as they are. Empty when `id` is no
/// job id, or names more than `limit` tasks.
std::vector<std::string> expandTasks(std::string_view id, std::size_t limit = 100'000);

/// "12", "12_3" and "21+0" (a component of a heterogeneous job): what may be asked of Slurm.
bool isJobId(std::string_view id);
/// The id of the array, or of the heterogeneous job: "12_3" → "12", "21+0" → "21".
std::string arrayJobId(std::string_view id);

/// "code:signal" as scontrol prints it, also of the raw wait(2) status that squeue prints.
std::string exitCodeOf(std::string_view field);

/// "CANCELLED by 1000" and "OUT_OF_ME+" → Slurm's full word; empty when it is none that Slurm has.
std::string normalizeState(std::string_view text);

/// What a Slurm command wrote to standard error, without the "sbatch: error: " prefixes, as one line.
std::string slurmMessage(std::string_view err);

}  // namespace dailies::remote::slurm
