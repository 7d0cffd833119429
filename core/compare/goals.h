#pragma once

#include "core/sweep/goal.h"
#include "core/tracking/store.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::compare {

/// What the metrics of sweeps are searched for, by metric: "adherence" → Maximize.
using Goals = std::map<std::string, sweep::Goal>;

/// What these sweeps say of their own metrics; where two disagree, the earlier in the list. A sweep whose
/// file a newer version wrote says nothing.
Goals goalsOf(const std::vector<tracking::SweepRecord>& sweeps);

/// The goal of a sweep over this metric, else what its name suggests: losses, errors, distances (fid, fvd,
/// lpips, …) and times are better when lower, everything else when higher.
sweep::Goal goalOf(std::string_view metric, const Goals& goals = {});

}  // namespace dailies::compare
