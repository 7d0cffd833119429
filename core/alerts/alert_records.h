#pragma once

#include "core/alerts/rules.h"
#include "core/tracking/store.h"

#include <string>
#include <vector>

/// Alerts as the store keeps them: each is raised once, whichever desktop looks, and stays until somebody has
/// seen it.
namespace dailies::alerts {

/// Looks at the runs that are active or ended since alerts are kept, and records what is new: that is
/// returned, oldest first. Imported runs are no news.
std::vector<Alert> collectNewAlerts(tracking::Store& store, const Limits& limits, std::int64_t nowMs);

/// Records it unless it was raised before; whether it is new.
bool raise(tracking::Store& store, const Alert& alert);

/// Whether one was raised under this key, ever.
bool wasRaised(const tracking::Store& store, const std::string& key);

/// Those that need attention, newest first.
std::vector<Alert> recent(const tracking::Store& store, int atMost);

void acknowledge(tracking::Store& store, const std::vector<std::string>& keys);
void acknowledgeAll(tracking::Store& store);

}  // namespace dailies::alerts
