#include "core/base/error.h"
#include "core/tracking/store_interrupt.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <chrono>
#include <thread>

// A request to stop ends what a store works at or waits for.

namespace dailies::tracking {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

class StoreStop : public StoreTest {
protected:
    /// How long `work` goes on after it was asked to stop, so long after it began.
    template <class Work>
    Clock::duration timeToStop(std::chrono::milliseconds after, Work work) {
        Clock::time_point asked;
        std::jthread asker([&] {
            std::this_thread::sleep_for(after);
            asked = Clock::now();
            m_stop.request_stop();
        });
        EXPECT_THROW(work(), Cancelled);
        const auto ended = Clock::now();
        asker.join();
        return ended - asked;
    }

    std::stop_source m_stop;
};

TEST_F(StoreStop, AnImportThatIsBeingWrittenLeavesNothing) {
    Store store(file());
    interruptOnStop(store, m_stop.get_token());
    store.createRun(aRun("before"));
    const auto run = aRun("large");
    MetricHistories histories;
    auto& points = histories["loss"];
    for (std::int64_t step = 0; step < 2'000'000; ++step) points.push_back({step, 1'000 + step, 0.5});
    EXPECT_LT(timeToStop(500ms, [&] { store.importRun(run, histories); }), 1s);
    const Store after(file());
    EXPECT_EQ(after.runs().size(), 1u);
    EXPECT_TRUE(after.metricKeys({run.id}).empty());
}

TEST_F(StoreStop, WaitingForAnotherProgramEnds) {
    Store store(file());
    interruptOnStop(store, m_stop.get_token());
    const auto run = aRun();
    store.createRun(run);
    SQLite::Database other(file(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    EXPECT_LT(timeToStop(200ms, [&] { store.setTag(run.id, "key", "value"); }), 1s);
}

}  // namespace
}  // namespace dailies::tracking
