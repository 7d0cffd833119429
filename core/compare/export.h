#pragma once

#include "core/compare/comparison.h"

#include <string>
#include <vector>

namespace dailies::compare {

/// The lines as a Markdown table a section: rows are keys, columns runs, the reference marked with ★, best
/// values bold. Foreign text cannot break out of its cell.
std::string toMarkdown(const Comparison& comparison, const std::vector<Line>& lines);

/// The lines as one CSV table (RFC 4180): section, key, unit, then a column a run.
std::string toCsv(const Comparison& comparison, const std::vector<Line>& lines);

}  // namespace dailies::compare
