#pragma once

#include "core/compare/comparison.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dailies::compare {

struct BestRun {
    std::size_t run = 0;      ///< index into the runs
    std::string metric = {};  ///< by which it is the best
};

/// The run with the best value of what these runs are judged by: the metric that a sweep of theirs is
/// searched for, else one that judges the result (adherence, a score), else a validation loss, else a loss. A
/// run's best point counts where it is known, its last otherwise. nullopt: fewer than two runs have such a
/// metric, or all are equally good.
std::optional<BestRun> bestRun(const std::vector<const tracking::Run*>& runs, const BestPoints& best,
                               const Goals& goals);

}  // namespace dailies::compare
