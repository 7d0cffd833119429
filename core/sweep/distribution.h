#pragma once

#include "core/sweep/sweep.h"

#include <cstddef>

namespace dailies::sweep {

/// A parameter as the unit interval: every strategy thinks in [0, 1) and leaves to this file what a number
/// there means. Equal lengths of the interval are equally likely values of the parameter, so that a uniform
/// number gives a draw from its distribution.

/// The value at `u`. Numbers are rounded to six significant digits: what the eye and the name of a run can
/// hold, finer than any search resolves.
Json valueAt(const Parameter& parameter, double u);

/// Where a value lies: the inverse of `valueAt`; for one of finitely many values the middle of its stretch.
/// A value that the parameter does not have (from an edited sweep) lies at the nearest end.
double unitOf(const Parameter& parameter, const Json& value);

/// The value of that index, below `valueCount`.
Json valueOf(const Parameter& parameter, std::size_t index);

/// How many values the parameter has; 0: a continuum.
std::size_t valueCount(const Parameter& parameter);

/// Whether its values have no order: the distance between two of them means nothing.
bool isUnordered(const Parameter& parameter);

/// The probability that a standard normal variable lies below `z`.
double normalCdf(double z);

}  // namespace dailies::sweep
