#include "ui/charts/series.h"

#include <algorithm>

namespace dailies::ui {

SeriesPtr makeSeries(const std::vector<tracking::MetricPoint>& history) {
    auto result = std::make_shared<Series>();
    result->reserve(history.size());
    for (const auto& point : history) {
        result->push_back({static_cast<double>(point.step), point.value});
    }
    return result;
}

Series smoothedSeries(const Series& raw, double weight) {
    std::vector<double> values;
    values.reserve(raw.size());
    for (const auto& point : raw) {
        values.push_back(point.y);
    }
    values = series::smoothed(values, weight);
    Series result = raw;
    for (std::size_t i = 0; i < result.size(); ++i) {
        result[i].y = values[i];
    }
    return result;
}

std::size_t nearestIndex(const Series& points, double step) {
    const auto after = std::lower_bound(points.begin(), points.end(), step,
                                        [](const series::Point& point, double x) { return point.x < x; });
    if (after == points.begin()) {
        return 0;
    }
    if (after == points.end() || step - (after - 1)->x <= after->x - step) {
        return static_cast<std::size_t>(after - points.begin()) - 1;
    }
    return static_cast<std::size_t>(after - points.begin());
}

}  // namespace dailies::ui
