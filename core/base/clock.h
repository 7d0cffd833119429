#pragma once

#include <cstdint>

namespace dailies {

std::int64_t unixMillis();  ///< milliseconds since 1970, as MLflow's columns hold them
double unixSeconds();       ///< the same clock in seconds, as events hold it

}  // namespace dailies
