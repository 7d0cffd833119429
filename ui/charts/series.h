#pragma once

#include "core/series/series.h"
#include "core/tracking/store.h"

#include <memory>
#include <vector>

namespace dailies::ui {

/// One metric of one run, ready for drawing: (step, value), by step. Immutable once made, so any thread may
/// read it.
using Series = std::vector<series::Point>;
using SeriesPtr = std::shared_ptr<const Series>;

SeriesPtr makeSeries(const std::vector<tracking::MetricPoint>& history);

/// The same steps with the values of `series::smoothed`.
Series smoothedSeries(const Series& raw, double weight);

/// The index of the point whose step is nearest; the series must not be empty.
std::size_t nearestIndex(const Series& points, double step);

}  // namespace dailies::ui
