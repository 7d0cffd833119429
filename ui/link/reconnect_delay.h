#pragma once

#include <chrono>

namespace dailies::ui {

/// Until a lost connection is tried again: 1, 2, 4 … 60 s, ± a quarter so that a room of desktops does not
/// return at once.
std::chrono::milliseconds reconnectDelay(int failures);

}  // namespace dailies::ui
