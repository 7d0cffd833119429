#include "core/base/files.h"
#include "tests/trainer/runs/rank_processes.h"
#include "trainer/watchdog/watchdog.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <thread>

// Ranks that are really stopped, in runs that really train.

namespace dailies::trainer {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

/// Limits of seconds where a run has minutes.
const Json kShortLimits = {{"steps", 1000000},         {"optimizer.warmup_steps", 0},
                           {"runtime.log_every", 5},   {"watchdog.first_step_limit", 20},
                           {"watchdog.step_floor", 3}, {"watchdog.step_factor", 20}};

std::string hangOf(const TrainingRun& run) {
    for (const auto& health : run.all<events::Health>())
        if (health.kind == "hang") return health.text;
    return "";
}

std::string leftBy(const TrainingRun& run, int rank) {
    return readFile(run.path() / "hangs/without-slurm" / ("rank-" + std::to_string(rank) + ".txt"));
}

TEST(Watchdog, NamesTheStoppedRankOfFourAndTheCollectiveThatTheOthersWaitIn) {
    const TrainingRun run(kShortLimits);
    auto ranks = startRanks(run, 4);
    ASSERT_TRUE(run.waitForStep(20, std::chrono::seconds(120))) << readFile(run.path() / "output-0.txt");
    ranks[2]->signal(SIGSTOP);
    for (const int rank : {0, 1, 3}) EXPECT_EQ(ranks[static_cast<std::size_t>(rank)]->wait(), kHungExit);
    EXPECT_THAT(hangOf(run), HasSubstr("Rank 2 on "));
    EXPECT_THAT(hangOf(run), HasSubstr("no longer runs"));
    EXPECT_THAT(hangOf(run), HasSubstr("(all-reduce) of step"));
    ASSERT_EQ(run.all<events::End>().size(), 1u);
    EXPECT_EQ(run.all<events::End>()[0].status, "failed");
    EXPECT_THAT(run.all<events::End>()[0].reason, StartsWith("It hung. Rank 2"));
    for (const int rank : {0, 1, 3}) {
        EXPECT_THAT(leftBy(run, rank), HasSubstr("all-reduce of ")) << rank;
        EXPECT_THAT(leftBy(run, rank), HasSubstr("has not ended")) << rank;
        EXPECT_THAT(leftBy(run, rank), HasSubstr("trainStep")) << "the main thread's calls have names";
    }
}

TEST(Watchdog, TellsAlsoWhereRankZeroIsTheStoppedOne) {
    const TrainingRun run(kShortLimits);
    auto ranks = startRanks(run, 2);
    ASSERT_TRUE(run.waitForStep(20, std::chrono::seconds(120)));
    ranks[0]->signal(SIGSTOP);
    EXPECT_EQ(ranks[1]->wait(), kHungExit);
    EXPECT_THAT(hangOf(run), HasSubstr("Rank 0 on "));
    EXPECT_THAT(readFile(run.path() / "hangs/without-slurm/verdict.txt"), HasSubstr("Rank 0 on "));
}

TEST(Watchdog, ARunThatHungGoesOnAfterwardsFromItsCheckpoint) {
    TrainingRun run(kShortLimits);
    run.configure({{"checkpoint.every", 5}});
    {
        auto ranks = startRanks(run, 2);
        ASSERT_TRUE(run.waitForStep(20, std::chrono::seconds(120)));
        ranks[1]->signal(SIGSTOP);
        ASSERT_EQ(ranks[0]->wait(), kHungExit);
    }
    const auto reached = run.metric("loss").rbegin()->first;
    auto ranks = startRanks(run, 2);
    ASSERT_TRUE(run.waitForStep(reached + 10, std::chrono::seconds(120)));
    EXPECT_EQ(run.all<events::Resume>().size(), 1u);
    for (const auto& rank : ranks) rank->signal(SIGTERM);
    for (const auto& rank : ranks) EXPECT_EQ(rank->wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(run.path() / "heartbeats")) << "ranks that ended leave none";
}

TEST(Watchdog, LeavesARunAloneThatIsPausedAsAWhole) {
    const TrainingRun run(kShortLimits);
    auto ranks = startRanks(run, 2);
    ASSERT_TRUE(run.waitForStep(20, std::chrono::seconds(120)));
    for (const auto& rank : ranks) rank->signal(SIGSTOP);
    const auto reached = run.metric("loss").rbegin()->first;
    std::this_thread::sleep_for(std::chrono::seconds(5));  // that much longer than its limit: what is tried
    for (const auto& rank : ranks) rank->signal(SIGCONT);
    EXPECT_TRUE(run.waitForStep(reached + 20, std::chrono::seconds(60)))
        << readFile(run.path() / "output-0.txt");
    EXPECT_EQ(hangOf(run), "");
    for (const auto& rank : ranks) rank->signal(SIGTERM);
    for (const auto& rank : ranks) EXPECT_EQ(rank->wait(), 0);
}

TEST(Watchdog, ARankThatIsSlowerStepAfterStepIsNamedAsAStraggler) {
    TrainingRun run(kShortLimits);
    run.configure(
        {{"watchdog.step_floor", 60}, {"model.width", 96}, {"data.frames", 4}, {"data.batch_size", 6}});
    auto ranks = startRanks(run, 3);
    ASSERT_TRUE(run.waitForStep(5, std::chrono::seconds(120)));
    const auto named = [&] {
        return std::ranges::any_of(run.all<events::Health>(), [](const events::Health& health) {
            return health.kind == "straggler" && health.text.starts_with("Rank 1 on ");
        });
    };
    // The rank gets a third of the time: it is stopped for a while, again and again.
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(200);
    while (!named() && std::chrono::steady_clock::now() < end) {
        ranks[1]->signal(SIGSTOP);
        std::this_thread::sleep_for(std::chrono::milliseconds(40));
        ranks[1]->signal(SIGCONT);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    EXPECT_TRUE(named()) << readFile(run.path() / "events.jsonl");
    EXPECT_GT(run.metric("slowest_rank").rbegin()->second, 1.3);
}

}  // namespace
}  // namespace dailies::trainer
