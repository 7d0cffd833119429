#pragma once

#include "core/tracking/store.h"

#include <memory>
#include <string>
#include <vector>

namespace dailies::ui {

/// A run as the pages hand it around: one copy, shared, never changed once made. Any thread may read it.
using RunPtr = std::shared_ptr<const tracking::Run>;

/// A run that the charts are to show, and how. Its colour is `runColor(run->id)` everywhere.
struct ChartedRun {
    RunPtr run;
    std::string group = {};   ///< runs of one group are drawn as one mean and band; empty: not grouped
    bool emphasized = false;  ///< selected in the table
};
using ChartedRuns = std::vector<ChartedRun>;

}  // namespace dailies::ui
