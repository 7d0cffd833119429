#pragma once

#include "core/sweep/sweep.h"

#include <optional>
#include <string>

namespace dailies::remote {

/// How often a run whose trainer was killed (SIGKILL: a failing node, memory that ran out) is tried again.
inline constexpr int kMaxKills = 2;

/// How often a run that hung (its watchdog ended it) is tried again.
inline constexpr int kMaxHangs = 3;

/// What samples each checkpoint of a run.
struct SamplingParts {
    std::string checkpoints;  ///< a pattern, below the run's folder unless absolute
    std::string command;      ///< words of bash
    std::string codeFolder;   ///< where it is started
    sweep::Resources resources;
};

/// What the script of a job array takes from the program that its tasks start. All else in it is the same for
/// every program: which run a task is, marks, environment, signals, how often a job is requeued. All of it is
/// bash, which finds $run, $run_id, $sweep, $job and $restarts, and `mark` and `requeue` (sweep.sbatch).
struct ProgramParts {
    std::string settings;         ///< variables, set before all else
    std::string begin;            ///< once the run is known; may `mark end` and exit
    std::string enter;            ///< in the run's environment, before the start
    std::string start;            ///< the words behind srun
    std::string forward;          ///< hands a signal on to the step, whose process is $step
    std::string end;              ///< after the step ended with $code: marks the end, may requeue, exits
    bool takesSignals = false;    ///< whether Slurm is to send USR1 before the time limit
    int signalLead = 0;           ///< seconds before it; 0: up to a minute, as the limit allows
    bool startsItsRanks = false;  ///< one task a node, with what all ranks of it were given; else one a rank
    bool onFirstNode = false;     ///< one task in all
    bool isPreflighted = false;   ///< whether it can measure several nodes before it begins
    std::optional<SamplingParts> sampling = {};
};

/// dailies-train at this path, with a verb that takes a run's config.json by this option.
ProgramParts trainerParts(const std::string& path, const std::string& verb,
                          const std::string& option = "--config");

/// The same, training runs that begin with the weights of the best run of another sweep.
ProgramParts trainerPartsWithInit(const std::string& path);

/// A program of the user's own, started in `code`, a folder of the cluster, by the command.sh of each run,
/// which is read on each node where words differ from node to node.
ProgramParts ownProgramParts(const std::string& code, const sweep::Program& program = {},
                             const sweep::Resources& resources = {},
                             const std::optional<sweep::CheckpointSampling>& sampling = {});

}  // namespace dailies::remote
