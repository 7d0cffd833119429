#pragma once

#include "core/tracking/store.h"

#include <stop_token>

namespace dailies::tracking {

/// From now on a request to stop ends whatever the store works at or waits for (a long statement, another
/// program's lock) with `Cancelled`; what was being written is rolled back.
void interruptOnStop(const Store& store, std::stop_token stop);

}  // namespace dailies::tracking
