#include "core/tracking/stopping.h"

#include "core/tracking/database.h"

namespace dailies::tracking {

void endWhenStopped(const Store& store, std::stop_token stop) {
    store.database().endWhenStopped(std::move(stop));
}

}  // namespace dailies::tracking
