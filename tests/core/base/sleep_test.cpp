#include "core/base/sleep.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <thread>

namespace dailies {
namespace {

using namespace std::chrono_literals;

TEST(Sleep, LastsAsLongAsItIsTold) {
    const auto begin = std::chrono::steady_clock::now();
    sleepUnlessStopped(20ms, {});
    EXPECT_GE(std::chrono::steady_clock::now() - begin, 20ms);
}

TEST(Sleep, EndsAtOnceWhenItIsStopped) {
    std::stop_source source;
    const std::jthread stopper([&] { source.request_stop(); });
    EXPECT_THROW(sleepUnlessStopped(10min, source.get_token()), Cancelled);
}

}  // namespace
}  // namespace dailies
