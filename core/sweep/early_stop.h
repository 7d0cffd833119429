#pragma once

#include "core/sweep/goal.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::sweep {

/// When a run of a sweep is ended before its last step: W&B's `early_terminate`. Runs are compared at rungs,
/// steps that lie a factor eta apart; at each a share of 1/eta may go on.
struct EarlyStop {
    enum class Rule {
        /// W&B's: a run is judged again and again, at the highest rung that it has reached, against all runs
        /// that have reached it by now.
        Hyperband,
        /// The stopping variant of ASHA (Li et al. 2020, "A System for Massively Parallel Hyperparameter
        /// Tuning"; there runs are paused and promoted, here they begin and are stopped): a run is judged
        /// once, when it reaches a rung, against those that reached it before. What is decided depends on
        /// the runs alone, not on when somebody looked.
        Asha,
    };
    Rule rule = Rule::Hyperband;
    std::optional<std::int64_t> minIter;  ///< the first rung; the next are minIter · eta^k. In steps.
    std::optional<std::int64_t> maxIter;  ///< else the rungs are maxIter / eta^k for k = s … 1. In steps.
    int s = 0;
    double eta = 3;
    /// Fewer go on where the share is no whole number, and Hyperband judges at every rung passed, not only at
    /// the highest.
    bool strict = false;

    bool operator==(const EarlyStop&) const = default;
};

/// What is wrong with it, as "early_terminate.eta: found …, expected …."; nullopt when nothing is.
std::optional<std::string> validationError(const EarlyStop& rule);

/// The rungs below `steps`, ascending, without repeats.
std::vector<std::int64_t> rungsOf(const EarlyStop& rule, std::int64_t steps);

/// The metric where a run passed a rung: its first point at or above it.
struct RungValue {
    std::int64_t rung = 0;
    std::int64_t step = 0;
    std::int64_t timeMs = 0;  ///< when the point was logged
    double value = 0;         ///< a value that is not finite is worse than every number
};

/// How far a run has come.
struct RungProgress {
    bool active = false;            ///< it may still be stopped
    std::vector<RungValue> passed;  ///< ascending rungs
};

/// That a run is to be stopped, and why.
struct StopDecision {
    std::size_t run = 0;  ///< index among the runs given
    RungValue at;
    double bound = 0;      ///< the worst value with which a run might go on
    std::size_t rank = 0;  ///< among `of`, best first, from 1
    std::size_t kept = 0;  ///< how many of them might go on
    std::size_t of = 0;    ///< runs compared
};

/// The active runs that are to be stopped now. A pure function: asked again with the same runs it decides
/// the same.
std::vector<StopDecision> stopDecisions(const EarlyStop& rule, Goal goal,
                                        const std::vector<RungProgress>& runs);

/// "Stopped early at step 400: its loss 0.31 was the 6th best of 9 runs there; the best 3 had 0.24 or less."
/// `countsValues`: rungs are counts of logged values: "after 3 values of loss".
std::string explain(const StopDecision& decision, Goal goal, const std::string& metric,
                    bool countsValues = false);

/// The share of all steps that is expected to be trained when as many runs are stopped at each rung as the
/// rule asks for; 1: nothing is saved.
double expectedShare(const EarlyStop& rule, std::int64_t steps);

}  // namespace dailies::sweep
