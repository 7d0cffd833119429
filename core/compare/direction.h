#pragma once

#include "core/tracking/store.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dailies::compare {

/// Whether less or more of a metric is better.
enum class Direction { LowerIsBetter, HigherIsBetter };

/// What the metrics of sweeps are searched for, by metric: "adherence" → HigherIsBetter.
using Goals = std::map<std::string, Direction>;

/// What these sweeps say of their own metrics; where two disagree, the earlier in the list. A sweep whose
/// file a newer version wrote says nothing.
Goals goalsOf(const std::vector<tracking::SweepRecord>& sweeps);

/// The goal of a sweep over this metric, else what its name suggests: losses, errors, distances (fid, fvd,
/// lpips, …) and times are better when lower, everything else when higher.
Direction directionOf(std::string_view metric, const Goals& goals = {});

/// Whether `value` beats `other`. A NaN beats nothing and everything beats a NaN.
bool isBetter(double value, double other, Direction direction);

}  // namespace dailies::compare
