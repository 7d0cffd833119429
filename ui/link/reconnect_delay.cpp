#include "ui/link/reconnect_delay.h"

#include <algorithm>
#include <random>

namespace dailies::ui {

std::chrono::milliseconds reconnectDelay(int failures) {
    using namespace std::chrono_literals;
    constexpr auto kLongest = 60s;
    thread_local std::minstd_rand random{std::random_device{}()};
    const auto base = std::min<std::chrono::milliseconds>(1s * (1 << std::min(failures, 6)), kLongest);
    return base * std::uniform_int_distribution<int>(75, 125)(random) / 100;
}

}  // namespace dailies::ui
