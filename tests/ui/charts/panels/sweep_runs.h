#pragma once

#include "ui/charts/charted_run.h"

#include <string>

namespace dailies::ui {

/// A finished sweep of this many runs, the same every time: params lr (searched by decades), batch, optimizer
/// (words), warmup (only of the runs with "adam") and dropout (without effect); metrics adherence, which
/// follows lr and the optimizer, and loss. The third run's adherence is NaN, the fifth's is missing.
ChartedRuns sweepRuns(std::size_t count);

/// "00…07" for 7.
std::string runId(std::size_t index);

}  // namespace dailies::ui
