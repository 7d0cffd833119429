#pragma once

#include "core/sweep/sweep.h"
#include "remote/cluster/profile.h"
#include "remote/job_script/program_parts.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// How often a run may stop cleanly at its time limit and go on in a requeued job.
inline constexpr int kMaxRequeues = 100;

/// How often a job whose preflight found a bad node is put on other nodes.
inline constexpr int kMaxBadNodes = 3;

/// What a preflight may take, in seconds.
inline constexpr int kPreflightBudget = 90;

/// Jobs of which a job waits to end; none: it waits for nothing.
struct Dependency {
    std::vector<std::string> jobs;
    bool afterAny = false;    ///< else all of them must end well, or the job that waits is cancelled
    bool taskByTask = false;  ///< each task waits for that of its number in the one array, not for all
};

/// What the job array of a sweep is written from.
struct ArrayJob {
    std::string sweepId;
    std::string sweepName;  ///< any text; what a job name cannot hold becomes '-'
    std::size_t tasks = 1;
    sweep::Resources resources;
    std::string workspace;                ///< absolute, on the cluster
    ProgramParts program;                 ///< what each task starts
    sweep::Environment environment = {};  ///< over the profile's
    Dependency after = {};
};

/// Prints the folder of TorchConfig.cmake. PyTorch is located, not imported: importing takes seconds on a
/// shared file system.
inline constexpr const char* kFindTorch =
    "import importlib.util as u; print(u.find_spec('torch').submodule_search_locations[0] + "
    "'/share/cmake/Torch')";

/// The sbatch script of a sweep's job array. Every value is quoted or checked: an `InputError` names a
/// resource that is no word for sbatch. Partition, account and QOS come from the sweep, else from the
/// profile.
std::string arrayScript(const ArrayJob& job, const ClusterProfile& profile);

/// The script of one further run of a sweep, made from the script that the sweep was launched with, so that
/// what a person changed in it holds for every run: one task, and `submission` in the sweep id's place.
std::string singleRunScript(const std::string& sweepScript, const std::string& sweepId,
                            const std::string& submission);

/// The sbatch script that builds the trainer in `folder`, which holds source.tar. `torchDir`: of
/// TorchConfig.cmake; empty: what is in the profile's container is asked.
std::string trainerBuildScript(const std::string& folder, const std::string& torchDir, int cpus,
                               const ClusterProfile& profile);

/// The sbatch script that looks at a compute node; its answer lies in `folder` afterwards. `gpus`: for how
/// many it asks.
std::string nodeCheckScript(const std::string& folder, int gpus, const ClusterProfile& profile);

/// Any text as a job name: [A-Za-z0-9._-]{1,64}, because Slurm puts names into paths and other tools' tables.
std::string jobName(const std::string& text);

}  // namespace dailies::remote
