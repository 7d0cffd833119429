#pragma once

#include "core/tracking/store.h"

#include <string>
#include <vector>

namespace dailies::remote {

/// How a sweep went, or stands: what was stopped and why, and what that spared.
struct SweepSummary {
    struct Stopped {
        std::string run;  ///< its name
        std::string why;  ///< "Stopped early at step 400: …"
    };
    std::string name;
    std::size_t runs = 0, finished = 0, failed = 0, killed = 0,
                active = 0;  ///< killed: those stopped not counted
    std::vector<Stopped> stopped;
    std::int64_t stepsTrained = 0;  ///< of all ended runs
    std::int64_t stepsPlanned = 0;
    std::string best;  ///< "lr=0.003 with loss 0.21"; empty: nothing to compare

    /// "9 runs: 3 finished, 6 stopped early, which spared 58 % of the steps. Best: lr=0.003 with loss 0.21."
    std::string text() const;
};

/// Of one sweep; `name` is empty when the store has none of this id.
SweepSummary summarize(const tracking::Store& store, const std::string& sweepId);

}  // namespace dailies::remote
