#pragma once

#include "core/base/json.h"
#include "core/sweep/sweep.h"

#include <string>
#include <string_view>
#include <vector>

namespace dailies::sweep {

/// Most runs that one sweep may expand into: beyond it a typo is likelier than a plan.
inline constexpr std::size_t kMaxRuns = 10'000;

/// How a search space becomes runs. A new one is one file with a `draw` function and a line in strategy.cpp.
struct Strategy {
    std::string_view method;  ///< as the sweep file names it
    /// The parameters of every run, flat ({"optimizer.lr": 0.01}), in the order of the sweep's parameters. A
    /// pure function of the sweep. Throws `InputError` when the sweep lacks something that the method needs.
    std::vector<Json> (*draw)(const Sweep& sweep);
};

const Strategy* findStrategy(std::string_view method);  ///< null when there is none
std::vector<std::string> strategyMethods();

std::vector<Json> drawGrid(const Sweep& sweep);
std::vector<Json> drawRandom(const Sweep& sweep);

}  // namespace dailies::sweep
