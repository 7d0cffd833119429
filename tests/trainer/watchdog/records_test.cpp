#include "core/base/files.h"
#include "trainer/runtime/flight_recorder.h"
#include "trainer/watchdog/heartbeat.h"
#include "trainer/watchdog/stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;

TEST(FlightRecorder, KeepsTheNewestCollectivesAndThatUnderWay) {
    FlightRecorder record;
    for (int i = 0; i < 100; ++i) record.end(record.begin("all-reduce", 1024));
    EXPECT_FALSE(record.inProgress());
    const auto number = record.begin("broadcast", 8);
    ASSERT_TRUE(record.inProgress());
    EXPECT_EQ(record.inProgress()->number, 101);
    EXPECT_EQ(record.newest().size(), FlightRecorder::kCapacity);
    EXPECT_EQ(record.newest().back().number, number);
    EXPECT_THAT(toText(record.newest()), HasSubstr("#101 broadcast of 8 bytes"));
    EXPECT_THAT(toText(record.newest()), HasSubstr("has not ended"));
}

TEST(Heartbeat, IsReadBackByTheOthersOfItsAttemptAndGoneWithItsRank) {
    const TemporaryFolder run;
    Heartbeat beat;
    beat.attempt = "12_0-1";
    beat.rank = 3;
    beat.node = std::string(200, 'n');
    beat.activity = "step";
    beat.collective = "all-reduce";
    {
        HeartbeatFile file(run.path(), 3);
        EXPECT_TRUE(file.write(beat));
        beat.beat = 2;
        beat.node = "n2";
        EXPECT_TRUE(file.write(beat)) << "shorter than the one before";
        const auto read = readHeartbeat(run.path(), 3, "12_0-1");
        ASSERT_TRUE(read);
        EXPECT_EQ(read->beat, 2);
        EXPECT_EQ(read->node, "n2");
        EXPECT_FALSE(readHeartbeat(run.path(), 3, "12_0-2")) << "of another attempt";
    }
    EXPECT_FALSE(readHeartbeat(run.path(), 3, "12_0-1"));
    EXPECT_TRUE(std::filesystem::is_empty(run.path()));
}

TEST(Stacks, TellWhereEveryOtherThreadStands) {
    prepareStacks();
    std::mutex mutex;
    std::condition_variable wake;
    bool stands = false;
    bool done = false;
    std::jthread waiting([&] {
        std::unique_lock lock(mutex);
        stands = true;
        wake.wait(lock, [&] { return done; });
    });
    // The mutex is free again only once the thread is within pthread_cond_wait().
    for (bool seen = false; !seen; std::this_thread::yield()) {
        const std::lock_guard lock(mutex);
        seen = stands;
    }
    std::string stacks;
    std::jthread([&] { stacks = stacksOfOtherThreads(); }).join();
    {
        const std::lock_guard lock(mutex);
        done = true;
    }
    wake.notify_one();
    EXPECT_THAT(stacks, HasSubstr("pthread_cond_wait"));
    EXPECT_THAT(stacks, HasSubstr("main"));
    EXPECT_THAT(stacks, testing::Not(HasSubstr("did not answer")));
}

}  // namespace
}  // namespace dailies::trainer
