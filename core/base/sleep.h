#pragma once

#include <chrono>
#include <stop_token>

namespace dailies {

/// Blocks for that long. Throws `Cancelled` as soon as it is asked to stop.
void sleepUnlessStopped(std::chrono::milliseconds time, const std::stop_token& stop);

}  // namespace dailies
