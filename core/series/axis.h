#pragma once

#include "core/series/trace.h"

#include <cstddef>
#include <optional>
#include <vector>

/// The ranges of a chart's axes and where their ticks stand.
namespace dailies::series {

struct Range {
    double minimum = 0;
    double maximum = 1;
    double length() const { return maximum - minimum; }
    bool operator==(const Range&) const = default;
};

/// A range and its ticks, from the least on.
struct Axis {
    Range range;
    std::vector<double> ticks;
    double step = 1;  ///< between two ticks; on a logarithmic axis in decades, below 1 when ticks lie closer
};

/// The least step of 1, 2 or 5 times a power of ten that is not below `rough`, which is above 0.
double niceStep(double rough);

/// About `count` ticks at 1, 2 or 5 times a power of ten within the range.
Axis linearAxis(Range range, int count);
/// The same, widened to whole ticks.
Axis niceAxis(Range range, int count);
/// Ticks of a range of logarithms (base 10): whole decades, or 1, 2, 5 within them where there are few.
Axis logarithmicAxis(Range range, int count);
/// Ticks of seconds at the steps that clocks have: 1, 2, 5, 10, 15, 30 s or min, 1, 2, 3, 6, 12 h, days.
/// `offset` is added before a tick is called round (the time zone's).
Axis timeAxis(Range range, int count, double offset = 0);

/// The values to show of these curves between left and right. Where a few values lie so far out that the rest
/// would be squashed into less than a fifth of the height, and `robust` is on, the range leaves them out.
struct ValueRange {
    Range range;
    bool cut = false;    ///< some values lie outside
    bool empty = false;  ///< nothing to show
};
ValueRange valueRange(const std::vector<const Trace*>& traces, double left, double right, bool robust);

/// How many values between left and right lie outside the range.
struct OutOfRangeCounts {
    std::size_t above = 0, below = 0;
    bool exact = true;  ///< false: at least so many, since some segments hold several
};
OutOfRangeCounts countOutOfRange(const std::vector<const Trace*>& traces, double left, double right,
                                 Range shown);

}  // namespace dailies::series
