#pragma once

#include "core/tracking/metric_point.h"

#include <optional>
#include <string_view>

namespace dailies::sources {

/// A line of a metric's file in MLflow's file store: "timestamp value step", unix ms; the earliest releases
/// had no step, and 3.x may name a data set behind it. Nothing for what is no such line.
std::optional<tracking::MetricPoint> parseMlflowLine(std::string_view line);

}  // namespace dailies::sources
