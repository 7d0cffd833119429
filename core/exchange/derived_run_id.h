#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace dailies::exchange {

/// A run id made of what tells a run from all others in its source: the same whenever the same parts are
/// given.
std::string derivedRunId(std::initializer_list<std::string_view> parts);

}  // namespace dailies::exchange
