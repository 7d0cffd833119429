#include "core/tracking/store_interrupt.h"

#include "core/tracking/database.h"

namespace dailies::tracking {

void interruptOnStop(const Store& store, std::stop_token stop) {
    store.database().interruptOnStop(std::move(stop));
}

}  // namespace dailies::tracking
