#include "core/base/sleep.h"

#include "core/base/error.h"

#include <condition_variable>
#include <mutex>

namespace dailies {

void sleepUnlessStopped(std::chrono::milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait_for(lock, stop, time, [] { return false; });
    if (stop.stop_requested()) throw Cancelled();
}

}  // namespace dailies
