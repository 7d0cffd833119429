#pragma once

#include "core/compare/comparison.h"

#include <optional>
#include <string>

// What the sections share in making their rows.
namespace dailies::compare::detail {

/// The whole text as a number ("1e-3", "inf", "nan"); nullopt when it is none.
std::optional<double> numberOf(const std::string& text);

/// "×3.3" where both have the same sign, else "+0.5"; empty when they are equal or one is not finite.
std::string ratioText(double value, double reference);
/// "+0.012"; empty when they are equal or one is not finite.
std::string differenceText(double value, double reference);

/// Sets `differs` of the cells and of the row, from what the cells say.
void markDifferences(Row& row, std::size_t reference);

Section configSection(const Subject& subject);
Section environmentSection(const Subject& subject);
Section metricsSection(const Subject& subject);

}  // namespace dailies::compare::detail
