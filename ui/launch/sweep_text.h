#pragma once

#include "core/sweep/sweep.h"

#include <QString>

namespace dailies::ui {

/// What differs between the runs of a sweep: "lr × 3, width × 2", and of what is drawn its range, "lr 1e-05 …
/// 0.01". Empty when nothing does. Any thread.
QString varyingParamsText(const sweep::Sweep& sweep);

/// Whether early stopping can end a run of this plan: a rung lies below the steps that it trains.
bool canStopEarly(const sweep::Sweep& sweep, const std::vector<sweep::PlannedRun>& runs);

}  // namespace dailies::ui
