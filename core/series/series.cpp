#include "core/series/series.h"

#include <algorithm>
#include <cmath>

namespace dailies::series {

std::vector<double> smoothed(const std::vector<double>& values, double weight) {
    return smoothed(values, {}, weight);
}

std::vector<double> smoothed(const std::vector<double>& values, const std::vector<std::uint32_t>& counts,
                             double weight) {
    const bool constant =
        std::all_of(values.begin(), values.end(), [&](double value) { return value == values.front(); });
    if (weight <= 0 || constant) return values;
    std::vector<double> result;
    result.reserve(values.size());
    double average = 0;
    double missing = 1;  // weight to the power of the count: what the average still lacks of the whole
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double value = values[i];
        if (!std::isfinite(value)) {
            result.push_back(value);
            continue;
        }
        const double kept = counts.empty() || counts[i] == 1 ? weight : std::pow(weight, counts[i]);
        average = average * kept + (1 - kept) * value;
        missing *= kept;
        result.push_back(average / (1 - missing));
    }
    return result;
}

}  // namespace dailies::series
