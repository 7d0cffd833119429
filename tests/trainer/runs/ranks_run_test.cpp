#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

#include <csignal>

namespace dailies::trainer {
namespace {

void expectSameLosses(const TrainingRun& one, const TrainingRun& other) {
    const auto expected = one.metric("loss"), found = other.metric("loss");
    ASSERT_EQ(found.size(), expected.size());
    for (const auto& [step, loss] : expected)
        EXPECT_NEAR(found.at(step), loss, 1e-5 * loss) << "step " << step;
}

TEST(DataParallel, TwoRanksGiveTheLossesOfOne) {
    const TrainingRun alone, together;
    ASSERT_EQ(alone.train(), 0) << alone.output();
    ASSERT_EQ(trainOnRanks(together, 2), 0) << readFile(together.path() / "output-0.txt");
    expectSameLosses(alone, together);
    EXPECT_EQ(together.all<events::Start>().size(), 1U) << "rank 0 alone writes events";
    EXPECT_EQ(together.all<events::Start>()[0].ranks, 2);
}

TEST(DataParallel, ARunResumesOnAnotherNumberOfRanks) {
    const TrainingRun alone;
    ASSERT_EQ(alone.train(), 0) << alone.output();
    TrainingRun changing(Json{{"checkpoint.every", 4}});
    {
        auto ranks = startRanks(changing, 2);
        ASSERT_TRUE(changing.waitForStep(5));
        for (const auto& rank : ranks) rank->signal(SIGKILL);
    }
    ASSERT_EQ(changing.train(), 0) << changing.output();
    expectSameLosses(alone, changing);
}

TEST(DataParallel, AStopSignalToOneRankStopsAllAtTheSameStep) {
    const TrainingRun run(Json{{"steps", 100000}, {"optimizer.warmup_steps", 0}});
    auto ranks = startRanks(run, 2);
    ASSERT_TRUE(run.waitForStep(3));
    ranks[1]->signal(SIGUSR1);
    EXPECT_EQ(ranks[0]->wait(), 0);
    EXPECT_EQ(ranks[1]->wait(), 0);
    ASSERT_EQ(run.all<events::End>().size(), 1U);
    EXPECT_EQ(run.all<events::End>()[0].status, "stopped");
}

TEST(DataParallel, ALostRankEndsTheRunWithAReason) {
    const TrainingRun run(Json{{"steps", 100000}, {"optimizer.warmup_steps", 0}});
    auto ranks = startRanks(run, 2);
    ASSERT_TRUE(run.waitForStep(3));
    ranks[1]->signal(SIGKILL);
    EXPECT_EQ(ranks[0]->wait(), 1);
    ASSERT_EQ(run.all<events::End>().size(), 1U);
    EXPECT_THAT(run.all<events::End>()[0].reason, testing::HasSubstr("Lost another rank"));
}

TEST(DataParallel, ABatchThatDoesNotDivideIsRefusedOnEveryRank) {
    const TrainingRun run(Json{{"data.batch_size", 3}});
    EXPECT_EQ(trainOnRanks(run, 2), 2);
    EXPECT_THAT(run.all<events::End>().at(0).reason, testing::HasSubstr("data.batch_size"));
}

}  // namespace
}  // namespace dailies::trainer
