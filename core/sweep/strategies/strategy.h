#pragma once

#include "core/base/json.h"
#include "core/sweep/history.h"
#include "core/sweep/sweep.h"

#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// Most runs that one sweep may expand into: beyond it a typo is likelier than a plan.
inline constexpr std::size_t kMaxRuns = 10'000;

/// How many runs an adaptive strategy draws before it looks at results.
inline constexpr std::size_t kStartupRuns = 10;

/// How a search space becomes runs. A new one is one file with a `draw` function and a line in strategy.cpp.
struct Strategy {
    std::string_view method;  ///< as the sweep file names it
    std::string_view title;   ///< for a form: "Grid: every combination"
    bool capped;              ///< the sweep must say how many runs (run_cap)
    bool adaptive;            ///< later runs depend on the results of earlier ones
    /// The parameters of the next runs after those of `history`, flat ({"optimizer.lr": 0.01}), in the order
    /// of the sweep's parameters: `count`, or fewer when the space has no more. A pure function of all three;
    /// a strategy that is not adaptive looks only at how many runs there are. Throws `InputError` when the
    /// sweep lacks something that the method needs.
    std::vector<Json> (*draw)(const Sweep& sweep, const History& history, std::size_t count);
};

const Strategy* findStrategy(std::string_view method);  ///< null when there is none
const std::vector<Strategy>& strategies();
std::vector<std::string> strategyMethods();

std::vector<Json> drawGrid(const Sweep& sweep, const History& history, std::size_t count);
std::vector<Json> drawRandom(const Sweep& sweep, const History& history, std::size_t count);
std::vector<Json> drawSobol(const Sweep& sweep, const History& history, std::size_t count);
std::vector<Json> drawBayes(const Sweep& sweep, const History& history, std::size_t count);

}  // namespace dailies::sweep
