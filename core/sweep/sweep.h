#pragma once

#include "core/base/json.h"
#include "core/sweep/early_stop.h"
#include "core/sweep/environment.h"
#include "core/sweep/goal.h"
#include "core/sweep/history.h"
#include "core/sweep/program.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// What one parameter of a sweep may be: a fixed value, a list of values, or a distribution. W&B's words.
struct Parameter {
    enum class Kind {
        Fixed,
        Values,
        Uniform,
        LogUniform,  ///< W&B's log_uniform_values
        IntUniform,
        QUniform,     ///< a multiple of q
        QLogUniform,  ///< a multiple of q
        Normal,
        LogNormal,   ///< its natural logarithm is normal
        QNormal,     ///< a multiple of q
        QLogNormal,  ///< a multiple of q
        Beta,        ///< between 0 and 1
        QBeta,       ///< a multiple of q
    };
    std::string key;  ///< of the config schema: "optimizer.lr"; of a program of the user's own: any name
    std::vector<std::string> groups =
        {};  ///< W&B's nested parameters: names of those around it; a program's own
    Kind kind = Kind::Fixed;
    std::vector<Json> values;  ///< Fixed: one; Values: all
    std::vector<std::string> spellings =
        {};                             ///< of `values`, where a program's words keep the file's: "1e-4"
    std::vector<double> probabilities;  ///< of `values`, adding up to 1; none: all are equally likely
    double minimum = 0, maximum = 0;    ///< of the value itself: the uniform kinds
    double mu = 0, sigma = 1;           ///< the normal kinds
    double a = 1, b = 1;                ///< the beta kinds
    double q = 1;                       ///< the kinds with a Q
};

inline bool isListed(Parameter::Kind kind) {
    return kind == Parameter::Kind::Fixed || kind == Parameter::Kind::Values;
}
inline bool isNormal(Parameter::Kind kind) {
    using enum Parameter::Kind;
    return kind == Normal || kind == LogNormal || kind == QNormal || kind == QLogNormal;
}
inline bool isBeta(Parameter::Kind kind) {
    using enum Parameter::Kind;
    return kind == Beta || kind == QBeta;
}
inline bool isQuantized(Parameter::Kind kind) {
    using enum Parameter::Kind;
    return kind == QUniform || kind == QLogUniform || kind == QNormal || kind == QLogNormal || kind == QBeta;
}

/// What each run asks of the cluster. Empty text = the cluster's default.
struct Resources {
    std::string partition, account, qos, reservation;
    int nodes = 1;
    int ranksPerNode = 1;
    int cpusPerRank = 1;
    int gpusPerNode = 0;
    std::string gpuType;                   ///< as the cluster's GRES call it: "h100"; empty: any
    std::string memory;                    ///< as sbatch takes it: "2G"
    std::string timeLimit = "0-01:00:00";  ///< as sbatch takes it
    std::string constraint;                ///< features that its nodes must have: "ib&nvme"
    std::string nodeList, exclude;         ///< nodes to use, and not to use: "n[1-4],gpu7"
    bool exclusive = false;                ///< no other job on its nodes
    int parallelRuns = 2;                  ///< how many runs of the sweep may run at once
    bool preflight =
        true;  ///< measure the nodes of a run of several before it trains, and leave out bad ones

    bool operator==(const Resources&) const = default;
};

/// What a sweep waits for.
struct SweepDependency {
    std::string sweep;  ///< the id of a sweep, its beginning, or its name; empty: that before it in a chain
    bool afterAny = false;        ///< also after a sweep of which runs failed or were cancelled
    bool fromCheckpoint = false;  ///< each run goes on from the newest checkpoint of that sweep's run
    bool initFromBest = false;  ///< each run's `model.init` is the newest checkpoint of that sweep's best run
};

/// A part of each run's training with sizes, data, layout or nodes of its own. The next one goes on from its
/// checkpoints.
struct Stage {
    std::string name;                 ///< unique in the sweep: "512px"
    Json config = Json::object();     ///< nested, over the sweep's; its `steps` is the step where it ends
    Json resources = Json::object();  ///< what of the sweep's resources is another: {"nodes": 8}

    bool operator==(const Stage&) const = default;
};

/// In the folder of a run that begins with the weights of another sweep's best: a link to them.
inline constexpr const char* kInitLink = "init";

/// How each checkpoint of a run is sampled: by a command of the user's, in a job of its own that the run's
/// job submits once the checkpoint is whole. Its clips are the run's, at the checkpoint's step.
struct CheckpointSampling {
    /// Words, in which ${checkpoint} is its path, ${step} the number in that, ${clips} the folder for what is
    /// made, and ${run_dir} and ${envvar:NAME} what they are in the program's command.
    std::vector<std::string> command;
    std::string checkpoints = {};  ///< a pattern, below the run's folder unless absolute; empty: of `resume`
    std::optional<Resources> resources = {};  ///< none: those of the run, for one process

    bool operator==(const CheckpointSampling&) const = default;
};

/// A sweep file (YAML, the shape that W&B users know). Example — resources/presets/shapes-lr.yaml:
///
///     name: shapes-lr
///     experiment: moving-shapes
///     method: grid                       # or random, sobol, bayes, with run_cap
///     metric: {name: adherence, goal: maximize}
///     parameters:
///       optimizer.lr: {values: [3.0e-4, 1.0e-3, 1.0e-2, 5.0e-2]}
///     early_terminate: {type: asha, min_iter: 200, eta: 3}
///     config: {steps: 1600}              # fixed keys, nested or dotted
///     resources: {parallel_runs: 2, cpus_per_rank: 1, time_limit: "0:20:00"}
///     environment: {modules: [cuda/12.4], venv: ~/envs/train, fabric: infiniband}
///     after: {sweep: shapes-stage-1, from_checkpoint: true}  # or init_from: best
///     stages:                            # see `stagesOf`
///       - {name: 256px, config: {steps: 1000, data: {height: 256, width: 256}}}
///       - {name: 512px, config: {steps: 1600, data: {height: 512, width: 512}}, resources: {nodes: 2}}
///
/// With W&B's keys `program` or `command` the runs are those of that program, and the parameters may have any
/// name; there is no config then.
struct Sweep {
    std::string name;
    std::string experiment;
    std::string method = "grid";     ///< a strategy's: "grid", "random", "sobol", "bayes"
    std::optional<Program> program;  ///< what each run starts; none: dailies-train
    std::optional<CheckpointSampling> sampleCheckpoints;  ///< of a program; dailies-train samples by itself
    std::string metric;                                   ///< empty: none
    Goal goal = Goal::Minimize;
    std::vector<Parameter> parameters;  ///< none, in a grid: one run
    Json config = Json::object();       ///< nested partial config, under every run
    std::optional<int> runCap;
    std::int64_t seed = 0;  ///< of the draws
    std::optional<EarlyStop> earlyStop;
    Resources resources;
    Environment environment;  ///< over that of the cluster's profile
    std::optional<SweepDependency> after;
    std::vector<Stage> stages = {};  ///< empty: the runs are trained in one piece
};

/// Reads a sweep file. Nested W&B parameter groups (`parameters: {optimizer: {parameters: {lr: …}}}`) are
/// accepted. Throws `InputError` naming `source`, the line, the key, what was found and what would be
/// accepted. Keys of W&B that mean nothing or something else here are accepted; `notices` gets a sentence for
/// each that says what becomes of it.
Sweep parseSweep(std::string_view yaml, const std::string& source,
                 std::vector<std::string>* notices = nullptr);

/// The file that `parseSweep` reads back to the same sweep.
std::string toYaml(const Sweep& sweep);

/// One run of an expanded sweep.
struct PlannedRun {
    std::string name;  ///< "lr=0.01": the varied keys' last parts and values; unique in the sweep
    Json drawn;        ///< {"optimizer.lr": 0.01, "seed": 3}: flat, the value of each parameter
    Json varied;       ///< of these what this run does not share with all others
    Json config;       ///< for config.json: nested and fully resolved (config::resolve), or of a program of
                       ///< the user's own what was drawn
};

/// How many runs a program's sweep makes whose file has no run_cap; W&B's would go on until it is stopped.
inline constexpr int kDefaultRunCap = 20;

/// Expands and validates: every run's config passes `config::resolve`, or `InputError` says which run and
/// key. A grid of more than 10,000 runs, a grid over a distribution, or draws without run_cap are refused. Of
/// an adaptive method only the runs that depend on no result: `propose` gives the others.
std::vector<PlannedRun> expand(const Sweep& sweep);

/// The next `count` runs after those of `history`, or fewer when run_cap is reached or the space has no more.
/// The same history gives the same runs.
std::vector<PlannedRun> propose(const Sweep& sweep, const History& history, std::size_t count);

/// The run that has these values, named apart from the runs that have `earlier`.
PlannedRun plannedRun(const Sweep& sweep, const Json& drawn, const std::vector<Json>& earlier = {});

/// Whether later runs follow from the results of earlier ones (method bayes).
bool isAdaptive(const Sweep& sweep);

/// How many runs the sweep makes in the end, those of an adaptive method included.
std::size_t runCountOf(const Sweep& sweep);

}  // namespace dailies::sweep
