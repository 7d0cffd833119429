#pragma once

#include "core/sweep/sweep.h"
#include "core/tracking/store.h"
#include "remote/launch/launch.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace dailies::remote {

/// What a store remembers that helps to judge a launch. Reading it takes as long as reading all runs; what
/// was read can be used for many forecasts, on any thread.
class PastRuns {
public:
    PastRuns() = default;  ///< nothing ran yet
    PastRuns(const tracking::Store& store, const std::string& cluster);

    /// How fast runs were, from start to end with everything between: sampling, checkpoints.
    struct Speed {
        double secondsPerStep = 0;  ///< the median
        std::size_t runs = 0;       ///< that it is taken from; 0: there is none to judge by
        bool sameSizes = false;     ///< they had the same model, data and resources
    };
    /// From the start of a step to that of the next; of runs that began with a checkpoint, their own steps.
    Speed estimateSpeed(const Json& config, const sweep::Resources& resources) const;

    /// The name of a run with this resolved config that finished or goes on; empty: there is none.
    std::string sameRun(const Json& config) const;

    const std::string& cluster() const { return m_cluster; }

private:
    std::string m_cluster;
    std::map<std::string, std::string> m_names;            ///< by all params
    std::map<std::string, std::vector<double>> m_bySizes;  ///< seconds a step of finished runs
    std::vector<double> m_all;
};

/// What a launch would cost and repeat.
struct Forecast {
    std::size_t runs = 0;          ///< in the end, those included that follow from results
    std::int64_t stepsBefore = 0;  ///< of the checkpoints that they begin with
    /// For each planned run the one of which it is a repeat, or empty.
    std::vector<std::string> duplicateInSweep;
    std::vector<std::string> duplicateInStore;

    bool known = false;   ///< the rest is an estimate; false: no earlier run to judge by
    std::string basis;    ///< on what it is based, or that there is nothing: a sentence
    double gpuHours = 0;  ///< if every run trains all its steps
    double cpuHours = 0;
    double seconds = 0;  ///< from the first start to the last end, `parallel_runs` at once, without queueing
    double savedShare = 0;  ///< of this what early stopping is expected to spare, 0 … 1

    std::set<std::size_t> repeatedRuns() const;  ///< indices of planned runs that repeat another
};

/// `stepsBefore`: `Forecast::stepsBefore`, which are not charged.
Forecast forecast(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs, const PastRuns& past,
                  std::int64_t stepsBefore = 0);

/// Of sweeps each of which waits for the one before it. Those that begin with its checkpoints are charged the
/// steps that they add.
std::vector<Forecast> forecastChain(std::span<const LaunchPlan> chain, const PastRuns& past);

}  // namespace dailies::remote
