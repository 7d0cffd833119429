#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

enum class Goal { Minimize, Maximize };

/// What one parameter of a sweep may be: a fixed value, a list of values, or a distribution. W&B's words.
struct Parameter {
    enum class Kind { Fixed, Values, Uniform, LogUniform, IntUniform, QUniform, Normal };
    std::string key;  ///< a key of the config schema: "optimizer.lr"
    Kind kind = Kind::Fixed;
    std::vector<Json> values;  ///< Fixed: one; Values: all
    double minimum = 0,
           maximum = 0;  ///< Uniform, LogUniform (of the value itself: W&B's log_uniform_values), IntUniform
    double mu = 0, sigma = 1, q = 1;  ///< Normal, QUniform
};

/// What each run asks of the cluster. Empty text = the cluster's default.
struct Resources {
    std::string partition, account, qos;
    int nodes = 1;
    int ranksPerNode = 1;
    int cpusPerRank = 1;
    int gpusPerNode = 0;
    std::string memory;                    ///< as sbatch takes it: "2G"
    std::string timeLimit = "0-01:00:00";  ///< as sbatch takes it
    int parallelRuns = 2;                  ///< how many runs of the sweep may run at once
};

/// A sweep file (YAML, the shape that W&B users know). Example — resources/presets/shapes-lr.yaml:
///
///     name: shapes-lr
///     experiment: moving-shapes
///     method: grid                       # or random, with run_cap
///     metric: {name: adherence, goal: maximize}
///     parameters:
///       optimizer.lr: {values: [3.0e-4, 1.0e-3, 1.0e-2, 5.0e-2]}
///     config: {steps: 1600}              # fixed keys, nested or dotted
///     resources: {parallel_runs: 2, cpus_per_rank: 1, time_limit: "0:20:00"}
struct Sweep {
    std::string name;
    std::string experiment;
    std::string method = "grid";  ///< "grid" or "random"
    std::string metric;           ///< empty: none
    Goal goal = Goal::Minimize;
    std::vector<Parameter> parameters;
    Json config = Json::object();  ///< nested partial config, under every run
    std::optional<int> runCap;
    std::int64_t seed = 0;  ///< of method random
    Resources resources;
};

/// Reads a sweep file. Nested W&B parameter groups (`parameters: {optimizer: {parameters: {lr: …}}}`) are
/// accepted. Throws `InputError` naming `source`, the line, the key, what was found and what would be
/// accepted. Keys of W&B that have no effect here (program, command, …) are refused by name with the reason,
/// except `program`, `project` (= experiment when that is absent), `entity`, `description`, which are
/// accepted and named in `ignored`.
Sweep parseSweep(std::string_view yaml, const std::string& source,
                 std::vector<std::string>* ignored = nullptr);

/// The file that `parseSweep` reads back to the same sweep.
std::string toYaml(const Sweep& sweep);

/// One run of an expanded sweep.
struct PlannedRun {
    std::string name;  ///< "lr=0.01": the varied keys' last parts and values; unique in the sweep
    Json varied;       ///< {"optimizer.lr": 0.01}: flat, what this run does not share with all others
    Json config;       ///< nested and fully resolved (config::resolve); ready for config.json
};

/// Expands and validates: every run's config passes `config::resolve`, or `InputError` says which run and
/// key. A grid of more than 10,000 runs, a grid over a distribution, or random without run_cap is refused.
std::vector<PlannedRun> expand(const Sweep& sweep);

}  // namespace dailies::sweep
