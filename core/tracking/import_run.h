#pragma once

#include "core/tracking/store.h"

#include <stop_token>

namespace dailies::tracking {

/// `Store::importRun` that can be stopped: `Cancelled`, and nothing of the run is in the store.
ImportedRun importRun(Store& store, const Run& run, const MetricHistories& histories, std::stop_token stop);

}  // namespace dailies::tracking
