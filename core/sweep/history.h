#pragma once

#include "core/base/json.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::sweep {

/// One run of a sweep as a strategy sees it: what it was given and what came of it.
struct Trial {
    enum class State {
        Open,  ///< waits or runs
        Finished,
        Stopped,  ///< ended before its last step: early stopping, or a person
        Failed,
    };
    Json values = Json::object();  ///< flat, an entry for each parameter of the sweep
    State state = State::Open;
    std::optional<double> result;  ///< the metric's latest value, which may be NaN; nullopt: none was logged
    std::int64_t step = 0;         ///< of the result
};

/// In the order in which the runs were planned.
using History = std::vector<Trial>;

}  // namespace dailies::sweep
