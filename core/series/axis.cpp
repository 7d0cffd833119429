#include "core/series/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace dailies::series {

namespace {

constexpr double kSample = 25'600;  ///< segments that quantiles are taken of, over all curves
constexpr double kMinSample = 32;   ///< of each curve
constexpr double kMaxSample = 512;
constexpr double kSquashed = 5;       ///< times the bulk's height from which on outliers matter
constexpr double kMaxLeftOut = 0.02;  ///< of the sample: more is no outlier but the data
constexpr double kBeyondBulk = 0.25;  ///< of the bulk's height that the axis shows beyond it

void addTicks(Axis& axis, double step, double offset = 0) {
    axis.step = step;
    const double slack = 1e-9 * step;
    const double first = std::ceil((axis.range.minimum + offset - slack) / step);
    for (double i = first; i * step <= axis.range.maximum + offset + slack && i < first + 1000; i += 1)
        axis.ticks.push_back(i * step - offset);
}

/// A range that has a length, and one that floating point can divide.
Range usable(Range range) {
    if (!(range.length() > std::abs(range.maximum) * 1e-12)) {
        const double pad = range.maximum == 0 ? 1 : std::abs(range.maximum) * 0.1;
        return {range.minimum - pad, range.maximum + pad};
    }
    return range;
}

}  // namespace

double niceStep(double rough) {
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0})
        if (factor * power >= rough * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

Axis linearAxis(Range range, int count) {
    Axis axis{usable(range), {}, 1};
    addTicks(axis, niceStep(axis.range.length() / std::max(count, 1)));
    return axis;
}

Axis niceAxis(Range range, int count) {
    range = usable(range);
    const double step = niceStep(range.length() / std::max(count, 1));
    Axis axis{{std::floor(range.minimum / step + 1e-9) * step, std::ceil(range.maximum / step - 1e-9) * step},
              {},
              1};
    addTicks(axis, step);
    return axis;
}

Axis logarithmicAxis(Range range, int count) {
    if (range.length() < 1e-9) range = {range.minimum - 0.5, range.maximum + 0.5};
    const double decades = range.length();
    if (decades >= 2.5 || decades * 3 > count * 2) {
        Axis axis{range, {}, 1};
        addTicks(axis, std::max(1.0, std::ceil(decades / std::max(count, 1))));
        return axis;
    }
    if (decades < 0.5) {
        // Too little of a decade for powers: round values instead.
        const Axis values = linearAxis({std::pow(10, range.minimum), std::pow(10, range.maximum)}, count);
        Axis axis{range, {}, 0};
        for (const double value : values.ticks)
            if (value > 0) axis.ticks.push_back(std::log10(value));
        return axis;
    }
    Axis axis{range, {}, 0.3};
    for (double decade = std::floor(range.minimum); decade <= range.maximum; decade += 1)
        for (const double factor : {1.0, 2.0, 5.0})
            if (const double tick = decade + std::log10(factor);
                tick >= range.minimum - 1e-9 && tick <= range.maximum + 1e-9)
                axis.ticks.push_back(tick);
    return axis;
}

Axis timeAxis(Range range, int count, double offset) {
    constexpr std::array kSteps = {1.0,   2.0,   5.0,    10.0,   15.0,   30.0,    60.0,    120.0,   300.0,
                                   600.0, 900.0, 1800.0, 3600.0, 7200.0, 10800.0, 21600.0, 43200.0, 86400.0};
    Axis axis{usable(range), {}, 1};
    const double rough = axis.range.length() / std::max(count, 1);
    if (rough < 1 || rough > kSteps.back()) {
        addTicks(axis, rough < 1 ? niceStep(rough) : 86400 * std::ceil(niceStep(rough / 86400)), offset);
        return axis;
    }
    addTicks(axis, *std::lower_bound(kSteps.begin(), kSteps.end(), rough), offset);
    return axis;
}

ValueRange valueRange(const std::vector<const Trace*>& traces, double left, double right, bool robust) {
    ValueRange result;
    Range all{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    std::vector<double> lows, highs;
    const double sample = std::clamp(kSample / static_cast<double>(std::max<std::size_t>(traces.size(), 1)),
                                     kMinSample, kMaxSample);
    for (const Trace* trace : traces) {
        if (trace->empty()) continue;
        trace->visit(trace->part(left, right, sample), [&](const Segment& s) {
            if (!s.drawable() || s.x1 < left || s.x0 > right) return;
            all = {std::min(all.minimum, s.low), std::max(all.maximum, s.high)};
            lows.push_back(s.low);
            highs.push_back(s.high);
        });
    }
    if (lows.empty()) {
        result.empty = true;
        return result;
    }
    result.range = all;
    if (!robust) return result;

    const auto most = static_cast<std::size_t>(kMaxLeftOut * static_cast<double>(lows.size()));
    const std::size_t rank = std::max<std::size_t>(most, std::min<std::size_t>(3, lows.size() / 10));
    std::nth_element(lows.begin(), lows.begin() + static_cast<std::ptrdiff_t>(rank), lows.end());
    const auto fromEnd = highs.size() - 1 - rank;
    std::nth_element(highs.begin(), highs.begin() + static_cast<std::ptrdiff_t>(fromEnd), highs.end());
    const Range bulk{lows[rank], highs[fromEnd]};
    if (rank == 0 || !(bulk.length() > 0)) return result;
    const double beyond = kBeyondBulk * bulk.length();
    const bool top = all.maximum - bulk.maximum > (kSquashed - 1) * bulk.length();
    const bool bottom = bulk.minimum - all.minimum > (kSquashed - 1) * bulk.length();
    if (top) result.range.maximum = bulk.maximum + beyond;
    if (bottom) result.range.minimum = bulk.minimum - beyond;
    result.cut = top || bottom;
    return result;
}

OutOfRangeCounts countOutOfRange(const std::vector<const Trace*>& traces, double left, double right,
                                 Range shown) {
    OutOfRangeCounts result;
    for (const Trace* trace : traces) {
        if (trace->empty()) continue;
        const std::size_t above = trace->countAbove(shown.maximum, left, right);
        const std::size_t below = trace->countBelow(shown.minimum, left, right);
        result.exact = result.exact && (trace->exact() || above + below == 0);
        result.above += above;
        result.below += below;
    }
    return result;
}

}  // namespace dailies::series
