#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/cluster/cluster.h"
#include "remote/diagnostics/cluster_check.h"
#include "remote/fit/memory_check.h"
#include "remote/fit/storage_check.h"
#include "remote/job_script/program_parts.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::remote {

/// Where a program was made ready on a cluster.
struct ReadyProgram {
    std::string version = {};  ///< of the trainer, or of the code that was uploaded; empty where it has none
    std::string path = {};  ///< absolute, there: the trainer's binary, or the folder that another starts in
};

using PresentProgram = std::function<ReadyProgram(sweep::Sweep& sweep)>;

/// A launch that repeats an earlier one.
struct RepeatedLaunch {
    sweep::Sweep& sweep;
    std::string& script;  ///< as it was sent then, edits of it included
    std::vector<sweep::PlannedRun>& runs;
    std::vector<std::string>& differences;  ///< sentences: what could not be kept
    /// The present version, asked for where that of then is gone.
    PresentProgram present;
};

/// What the runs of a sweep execute: dailies-train, or a program of the user's own. It says how it is made
/// ready on a cluster, how a run of it is started, what is known of it beforehand and who tells how a run
/// ended. What is the same for every program (the job array, exactly-once submission, marks, following) asks
/// it and never which one it is. The two that there are hold no state; any thread.
class Program {
public:
    virtual ~Program() = default;

    /// What a person calls it: "train.py".
    virtual std::string name(const sweep::Sweep& sweep) const = 0;

    /// Makes it ready: builds it, or brings its files there. `sweep` becomes what is recorded, so that the
    /// same launch again finds the very same files. Blocks; throws `Error`, `InputError`, `Cancelled`.
    virtual ReadyProgram prepare(Cluster& cluster, sweep::Sweep& sweep, const Progress& progress,
                                 std::stop_token stop) const = 0;

    /// What `prepare` would make ready, by its name alone: nothing is built or sent.
    virtual ReadyProgram present(const std::string& workspace) const = 0;

    /// Makes it ready for a launch that is repeated by its very script, whose files should still be there.
    /// Where they are gone others take their place, which becomes a difference, or it throws `InputError`.
    virtual ReadyProgram prepareAgain(Cluster& cluster, RepeatedLaunch& launch,
                                      std::stop_token stop) const = 0;

    /// What of it the job script holds. An empty `ready`, before there is one, gives a placeholder.
    virtual ProgramParts parts(const sweep::Sweep& sweep, const ReadyProgram& ready,
                               const std::string& workspace) const = 0;

    /// The words that a run is started with, for a person.
    virtual std::vector<std::string> command(const sweep::Sweep& sweep, const sweep::PlannedRun& run,
                                             const ReadyProgram& ready,
                                             const std::string& workspace) const = 0;

    /// Files of the run's folder by name, beside config.json.
    virtual std::map<std::string, std::string> runFiles(const sweep::Sweep& sweep,
                                                        const sweep::PlannedRun& run) const = 0;

    /// Files of the sweep's folder by name, which all of its runs share.
    virtual std::map<std::string, std::string> sweepFiles() const { return {}; }

    /// Tags of every run: what following and the pages know the program by.
    virtual std::map<std::string, std::string> tags(const sweep::Sweep& sweep) const = 0;

    /// What may be amiss with the sweep's metric and keys, by what the program is known to do.
    virtual std::vector<ClusterFinding> findings(const sweep::Sweep& sweep) const = 0;

    /// Throws `InputError` for runs that no launch could hold.
    virtual MemoryCheck memory(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs,
                               const ClusterProfile& profile, const slurm::ClusterFacts* facts) const = 0;

    /// What the runs write; `total` as of `estimateStorage`. nullopt: nobody knows.
    virtual std::optional<SweepStorage> storage(const std::vector<sweep::PlannedRun>& runs,
                                                std::size_t total) const = 0;

    /// Says on a run, before it is sent, what is predicted of it. `facts` must outlive the function.
    using Predict = std::function<void(tracking::Run& run, const Json& config)>;
    virtual Predict predictor(const sweep::Sweep& sweep, const ClusterProfile& profile,
                              const slurm::ClusterFacts& facts) const = 0;

    /// How many steps the run is to train; nullopt: nobody knows, and early stopping counts how often the
    /// metric was logged, as W&B does.
    virtual std::optional<std::int64_t> steps(const tracking::Run& run) const = 0;

    /// The same of a run that was planned with this config and not launched.
    virtual std::optional<std::int64_t> plannedSteps(const Json& config) const = 0;

    /// The config of a run whose folder is gone, `planned` anew from the values that it drew.
    virtual Json configAgain(const tracking::Run& run, Json planned) const = 0;

    /// Whether dailies-train reads its checkpoints, and so can sample them.
    virtual bool isSampledByTrainer() const = 0;

    /// Whether the params of a run say how to configure another one.
    virtual bool isForkable() const = 0;

    /// Whether a run can be asked to write a checkpoint and end; else it is cancelled.
    virtual bool canBeAskedToStop(const sweep::Sweep& sweep) const = 0;

    /// Whether a run tells its end in events.jsonl; else the exit code of its job does.
    virtual bool tellsItsEnd() const = 0;
};

const Program& programOf(const sweep::Sweep& sweep);
const Program& programOf(const tracking::Run& run);  ///< that was launched

}  // namespace dailies::remote
