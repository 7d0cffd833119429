#pragma once

#include <string>
#include <string_view>

namespace dailies {

/// "1,234,567"
std::string grouped(long long number);

/// "1 run", "3 runs", "1,200 runs"
std::string pluralize(long long count, std::string_view one, std::string_view many);

}  // namespace dailies
