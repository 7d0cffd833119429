#include "core/base/clock.h"

#include <chrono>

namespace dailies {

std::int64_t unixMillis() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

double unixSeconds() {
    return static_cast<double>(unixMillis()) / 1000.0;
}

}  // namespace dailies
