#pragma once

#include "core/analysis/correlation.h"
#include "core/analysis/table.h"

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::analysis {

/// What one param did to the target.
struct Importance {
    Field field = {};
    /// Share of the target's variance that goes through this param, alone or together with others: see
    /// `Forest::importance`. Shares of params that work together overlap, so they may add up to more than 1.
    double share = 0;
    /// Standard error of `share` over the choice of runs: delete-d jackknife, the forest grown anew each
    /// time on half of the runs, at most a thousand (Ishwaran & Lu, Statistics in Medicine 38, 2019).
    double error = 0;
    RankCorrelation direction = {};  ///< of numbers: does more of it go with more of the target?
    std::string highestWith = {};    ///< of categories: the one with the highest mean target
    /// More than two standard errors above nothing.
    bool isSignificant() const { return share > 2 * error; }
};

struct ImportanceReport {
    std::vector<Importance> params = {};  ///< the most important first
    /// How much of the target's variance the params explain in runs that the model has not seen (out-of-bag
    /// R²). At or below 0 the shares mean nothing.
    double explained = 0;
    std::size_t runs = 0;              ///< with a finite target
    std::size_t runsLeftOut = 0;       ///< without one
    bool logarithmicTarget = false;    ///< the shares are of the target's logarithm (see `Column`)
    std::vector<Field> setAside = {};  ///< params that differ in every run (names, paths)
};

struct ImportanceOptions {
    std::size_t trees = 200;
    std::size_t repeats = 5;     ///< shuffles of each param
    std::size_t resamples = 16;  ///< forests for the standard error
    std::uint64_t seed = 1;
    unsigned threads = 0;  ///< 0: as many as there are cores
};

/// Fewer say nothing: half of them is what the standard error's forests learn from.
inline constexpr std::size_t kMinRuns = 8;

/// Which of the params explain the target, by shuffling each in a random forest. Missing params count as a
/// value of their own. Repeatable: the same arguments give the same report on any number of threads. Throws
/// `InputError` when there are too few runs or nothing varies, `Cancelled` when asked to stop.
ImportanceReport importanceOf(const std::vector<Column>& params, const Column& target,
                              const ImportanceOptions& options = {}, std::stop_token stop = {});

}  // namespace dailies::analysis
