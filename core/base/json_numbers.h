#pragma once

#include "core/base/json.h"

#include <vector>

namespace dailies {

/// Several numbers as one array, each as `numberToJson` has it.
Json numbersToJson(const std::vector<double>& values);
std::vector<double> numbersFromJson(const Json& array);  ///< throws `InputError` as `numberFromJson`

}  // namespace dailies
