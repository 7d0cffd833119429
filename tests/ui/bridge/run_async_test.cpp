#include "ui/bridge/run_async.h"

#include "tests/ui/wait_until.h"

#include <QThread>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace dailies::ui {
namespace {

const auto kNoFailure = [](const Error& error) { ADD_FAILURE() << error.what(); };

TEST(RunAsync, TheWorkLeavesTheGuiThreadAndItsResultComesBackToIt) {
    QObject context;
    QThread* const gui = QThread::currentThread();
    QThread* worker = nullptr;
    QThread* receiver = nullptr;
    int result = 0;
    runAsync(
        &context, [](std::stop_token) { return std::make_pair(42, QThread::currentThread()); },
        [&](std::pair<int, QThread*> value) {
            result = value.first;
            worker = value.second;
            receiver = QThread::currentThread();
        },
        kNoFailure);
    ASSERT_TRUE(waitUntil([&] { return receiver != nullptr; }));
    EXPECT_EQ(result, 42);
    EXPECT_NE(worker, gui);
    EXPECT_EQ(receiver, gui);
}

TEST(RunAsync, ResultsThatCannotBeCopiedAreMoved) {
    QObject context;
    std::unique_ptr<std::string> got;
    runAsync(
        &context, [](std::stop_token) { return std::make_unique<std::string>("one"); },
        [&](std::unique_ptr<std::string> value) { got = std::move(value); }, kNoFailure);
    ASSERT_TRUE(waitUntil([&] { return got != nullptr; }));
    EXPECT_EQ(*got, "one");
}

TEST(RunAsync, AnErrorArrivesWithItsRemedy) {
    QObject context;
    std::string remedy;
    runAsync(
        &context, [](std::stop_token) { throw Error("the store is locked", "Close the other program."); },
        [] { ADD_FAILURE() << "work that threw has no result"; },
        [&](const Error& error) { remedy = error.remedy(); });
    ASSERT_TRUE(waitUntil([&] { return !remedy.empty(); }));
    EXPECT_EQ(remedy, "Close the other program.");
}

TEST(RunAsync, AnyOtherExceptionArrivesAsAnErrorToo) {
    QObject context;
    std::string what;
    runAsync(
        &context, [](std::stop_token) -> int { throw std::out_of_range("no such column"); },
        [](int) { ADD_FAILURE() << "work that threw has no result"; },
        [&](const Error& error) { what = error.what(); });
    ASSERT_TRUE(waitUntil([&] { return !what.empty(); }));
    EXPECT_EQ(what, "no such column");
}

TEST(RunAsync, TheResultIsDroppedAndTheWorkAskedToStopWhenTheContextDies) {
    auto context = std::make_unique<QObject>();
    std::atomic<bool> stopped = false;
    bool called = false;
    runAsync(
        context.get(),
        [&](std::stop_token stop) {
            while (!stop.stop_requested()) {
                std::this_thread::yield();
            }
            stopped = true;
        },
        [&] { called = true; }, [&](const Error&) { called = true; });
    context.reset();
    ASSERT_TRUE(waitUntil([&] { return stopped.load(); }));
    waitUntil([] { return false; }, 50);
    EXPECT_FALSE(called);
}

TEST(RunAsync, ACancelledTaskCallsNothingEvenWhenItsResultIsOnTheWay) {
    QObject context;
    std::atomic<bool> worked = false;
    bool called = false;
    AsyncTask task = runAsync(
        &context,
        [&](std::stop_token) {
            worked = true;
            return 1;
        },
        [&](int) { called = true; }, kNoFailure);
    while (!worked) {
        std::this_thread::yield();
    }
    task.cancel();
    waitUntil([] { return false; }, 50);
    EXPECT_FALSE(called);
}

TEST(RunAsync, WorkThatGivesUpBecauseItWasAskedToIsNoFailure) {
    QObject context;
    bool called = false;
    runAsync(
        &context, [](std::stop_token) -> int { throw Cancelled(); }, [&](int) { called = true; },
        [&](const Error&) { called = true; });
    waitUntil([] { return false; }, 50);
    EXPECT_FALSE(called);
}

}  // namespace
}  // namespace dailies::ui
