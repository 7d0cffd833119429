#pragma once

#include "core/compare/comparison.h"

#include <string>
#include <string_view>

// What the sections share in making their rows.
namespace dailies::compare::detail {

/// A number with so many significant digits.
std::string digits(double value, int significant);
/// "×3.3" where both have the same sign, else "+0.5"; empty when they are equal or one is not finite.
std::string ratioText(double value, double reference);
/// "+0.012"; empty when they are equal or one is not finite.
std::string differenceText(double value, double reference);

/// Whether a sweep or the metric's name says which way is better; of a learning rate or a gradient norm
/// neither does, so no run is best in it.
bool isGoalKnown(std::string_view metric, const Goals& goals);

/// Sets `differs` of the cells and of the row, from what the cells say.
void markDifferences(Row& row, std::size_t reference);
/// The same of those alone that have something there: a run of another program records other params, and
/// each would count as a difference.
void markDifferentValues(Row& row, std::size_t reference);

Section configSection(const ComparisonInput& subject);
Section environmentSection(const ComparisonInput& subject);
Section metricsSection(const ComparisonInput& subject);

}  // namespace dailies::compare::detail
