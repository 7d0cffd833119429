#pragma once

#include "core/sources/collector.h"

#include <cstdint>
#include <string_view>

namespace dailies::sources {

/// Whether programs call the step so: step, global_step, iter, iteration and their like, in any case.
bool isStepName(std::string_view name);

/// One line of metrics as JSON: an object with a step, whose other numbers are its metrics; nested objects
/// become dotted keys. A unix time in it is the points' time, else it is `readMs`. False when the line is
/// nothing of the kind.
bool readJsonRow(std::string_view line, std::int64_t readMs, Collector& into);

}  // namespace dailies::sources
