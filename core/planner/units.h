#pragma once

#include "core/base/byte_units.h"

#include <cstdint>

namespace dailies::planner {

/// Bytes of a number.
inline constexpr double kFloat = 4, kHalf = 2;

/// That are sampled where a config names none.
inline constexpr std::int64_t kDefaultPrompts = 6;

}  // namespace dailies::planner
