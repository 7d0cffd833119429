#pragma once

#include "core/compare/comparison.h"
#include "ui/charts/charted_run.h"

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::ui {

using compare::kMaxCompared;

/// The runs of the page as the store has them. Immutable once loaded.
struct CompareData {
    std::vector<RunPtr> runs;       ///< in the order asked for, without those that are gone
    std::vector<std::string> gone;  ///< asked for, but deleted or not in the store (any more)
    std::map<std::string, std::vector<tracking::Attempt>> attempts;  ///< by run id
    compare::Goals goals;
};

/// Reads these runs; for a worker thread. Throws `Error`, `Cancelled`.
CompareData loadCompare(const tracking::Store& store, const std::vector<std::string>& runIds,
                        const std::stop_token& stop);

/// The comparison of these runs in their order; `reference` is a run id, the first run when it is not among
/// them. `connectedTo`: the cluster whose active runs are heard of; the time of others stands still where
/// they were last heard of.
compare::Comparison makeComparison(const CompareData& data, const compare::BestPoints& best,
                                   const std::string& reference, const std::string& connectedTo);

}  // namespace dailies::ui
