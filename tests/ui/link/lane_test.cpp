#include "ui/link/lane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <mutex>
#include <string>
#include <vector>

namespace dailies::ui {
namespace {

using testing::ElementsAre;

class Idle final : public Lane::Owner {
public:
    void onError(const Error& error) override { errors.emplace_back(error.what()); }
    std::vector<std::string> errors;
    Lane lane{*this};

    /// Waits until all that was asked is done.
    void finish() {
        std::promise<void> done;
        lane.ask([&](std::stop_token) { done.set_value(); });
        done.get_future().wait();
    }
};

/// Blocks until it is stopped.
void waitForStop(const std::stop_token& stop, std::promise<void>& begun) {
    std::promise<void> stopped;
    const std::stop_callback heard(stop, [&] { stopped.set_value(); });
    begun.set_value();
    stopped.get_future().wait();
    throw Cancelled();
}

TEST(Lane, StopsWhatIsDoneNowAndNothingThatWaits) {
    Idle idle;
    std::promise<void> begun;
    std::atomic<bool> next = false;
    idle.lane.ask([&](const std::stop_token& stop) { waitForStop(stop, begun); });
    idle.lane.ask([&](const std::stop_token& stop) { next = !stop.stop_requested(); });
    begun.get_future().wait();
    idle.lane.stopCurrent();
    idle.finish();
    EXPECT_TRUE(next);
    EXPECT_TRUE(idle.errors.empty());
}

TEST(Lane, WhatMakesWayIsBegunAgainBehindWhatAPersonWaitsFor) {
    Idle idle;
    std::promise<void> begun, again;
    std::vector<std::string> order;
    int tries = 0;
    idle.lane.askLeisurely([&](const std::stop_token& stop) {
        if (++tries == 1) waitForStop(stop, begun);
        order.emplace_back("history");
        again.set_value();
    });
    begun.get_future().wait();
    idle.lane.ask([&](std::stop_token) { order.emplace_back("waits"); });
    idle.lane.askSoon([&](std::stop_token) { order.emplace_back("cancel"); });
    again.get_future().wait();
    idle.finish();
    EXPECT_THAT(order, ElementsAre("waits", "cancel", "history"));
}

TEST(Lane, WhatMakesWayByItselfNoticesWhatCameJustBefore) {
    Idle idle;
    std::promise<void> begun, asked;
    bool brokenOff = false;
    idle.lane.ask([&](const std::stop_token& stop) {
        begun.set_value();
        asked.get_future().wait();
        idle.lane.makeWay();
        brokenOff = stop.stop_requested();
    });
    begun.get_future().wait();
    idle.lane.askSoon([](std::stop_token) {});
    asked.set_value();
    idle.finish();
    EXPECT_TRUE(brokenOff);
}

TEST(Lane, WhatAPersonStopsIsNotBegunAgain) {
    Idle idle;
    std::promise<void> begun;
    std::atomic<int> tries = 0;
    idle.lane.askLeisurely([&](const std::stop_token& stop) {
        ++tries;
        waitForStop(stop, begun);
    });
    begun.get_future().wait();
    idle.lane.stopCurrent();
    idle.finish();
    EXPECT_EQ(tries, 1);
}

TEST(Lane, AnErrorIsTheOwnersAndTheThreadGoesOn) {
    Idle idle;
    idle.lane.ask([](std::stop_token) { throw Error("no disk"); });
    idle.finish();
    EXPECT_THAT(idle.errors, ElementsAre("no disk"));
}

TEST(Lane, EndsWhatIsUnderWayAndBeginsNothingMore) {
    std::promise<void> begun;
    std::atomic<bool> next = false;
    {
        Idle idle;
        idle.lane.ask([&](const std::stop_token& stop) { waitForStop(stop, begun); });
        idle.lane.ask([&](std::stop_token) { next = true; });
        begun.get_future().wait();
    }
    EXPECT_FALSE(next);
}

}  // namespace
}  // namespace dailies::ui
