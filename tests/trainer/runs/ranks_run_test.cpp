#include "tests/trainer/runs/rank_processes.h"
#include "trainer/checkpoint/checkpoints.h"

#include <gmock/gmock.h>
#include <torch/types.h>

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

/// A run with what a layout must not change: dropped captions, held-out clips, an average, gradients in
/// parts.
Json layoutRun(const Json& layout = Json::object()) {
    Json changes = {{"model.depth", 2},
                    {"model.kv_heads", 2},
                    {"data.batch_size", 8},
                    {"optimizer.accumulate", 2},
                    {"optimizer.weight_decay", 0.1},
                    {"optimizer.schedule", "constant"},  // whatever the number of steps
                    {"validation.every", 6},
                    {"validation.clips", 4},
                    {"validation.levels", 2},
                    {"checkpoint.every", 4},
                    {"checkpoint.keep", 9}};
    changes.update(layout);
    return changes;
}

const TrainingRun& aloneInOneProcess() {
    static const TrainingRun run(layoutRun());
    static const int status = run.train();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

struct RanksAndLayout {
    std::string name;
    int ranks = 2;
    Json layout;
};

/// For messages of a test that fails.
void PrintTo(const RanksAndLayout& which, std::ostream* out) {
    *out << which.ranks << " ranks, " << which.layout;
}

class EveryLayout : public testing::TestWithParam<RanksAndLayout> {};

TEST_P(EveryLayout, TrainsAsOneProcessDoes) {
    const auto& alone = aloneInOneProcess();
    const TrainingRun together(layoutRun(GetParam().layout));
    ASSERT_EQ(trainOnRanks(together, GetParam().ranks), 0) << readFile(together.path() / "output-0.txt");
    expectSameLosses(alone, together);
    for (const auto* metric : {"grad_norm", "val/loss", "val/clip_error", "loss/decile_9"}) {
        const auto expected = alone.metric(metric), found = together.metric(metric);
        ASSERT_EQ(found.size(), expected.size()) << metric;
        for (const auto& [step, value] : expected)
            EXPECT_NEAR(found.at(step), value, 3e-5 * value) << metric << " at step " << step;
    }
    EXPECT_GT(together.metric("sent_mib").at(12), 0);
    EXPECT_GT(alone.all<events::Clip>().size(), 0U);
    EXPECT_EQ(together.all<events::Clip>().size(), alone.all<events::Clip>().size());
    // its checkpoints hold what one process writes
    const auto expected = Checkpoints(alone.path(), {}).load(12),
               found = Checkpoints(together.path(), {}).load(12);
    for (const auto& [mine, theirs] :
         {std::pair{&found.weights, &expected.weights}, std::pair{&found.average, &expected.average},
          std::pair{&found.optimizer, &expected.optimizer}}) {
        ASSERT_EQ(mine->names().size(), theirs->names().size());
        for (const auto& name : theirs->names())
            EXPECT_TRUE(at::allclose((*mine)[name], (*theirs)[name], 1e-3, 5e-4)) << name;
    }
}

TEST_P(EveryLayout, GoesOnFromWhatOneProcessLeftAndBack) {
    const auto& alone = aloneInOneProcess();
    TrainingRun changing(layoutRun({{"steps", 8}}));
    ASSERT_EQ(changing.train(), 0) << changing.output();
    std::filesystem::remove_all(changing.path() / "checkpoints" / "step-000000008");
    changing.configure(GetParam().layout);  // from step 4
    ASSERT_EQ(trainOnRanks(changing, GetParam().ranks), 0) << readFile(changing.path() / "output-0.txt");
    changing.configure({{"steps", 12},
                        {"layout.cp", 1},
                        {"layout.ring", 1},
                        {"layout.tp", 1},
                        {"layout.pp", 1},
                        {"layout.pp_chunks", 1},
                        {"layout.shard", "none"},
                        {"layout.shard_ranks", 0},
                        {"model.recompute", "none"}});
    ASSERT_EQ(changing.train(), 0) << changing.output();
    ASSERT_EQ(changing.all<events::Resume>().size(), 2U);
    expectSameLosses(alone, changing);
}

INSTANTIATE_TEST_SUITE_P(
    Ranks, EveryLayout,
    testing::Values(
        RanksAndLayout{"zero1_on_2", 2, {{"layout.shard", "zero1"}}},
        RanksAndLayout{"zero2_on_4", 4, {{"layout.shard", "zero2"}}},
        RanksAndLayout{"zero2_in_pairs", 4, {{"layout.shard", "zero2"}, {"layout.shard_ranks", 2}}},
        RanksAndLayout{"zero3_on_2", 2, {{"layout.shard", "zero3"}, {"model.recompute", "selective"}}},
        RanksAndLayout{"zero3_on_4", 4, {{"layout.shard", "zero3"}}},
        RanksAndLayout{"zero3_in_pairs",
                       4,
                       {{"layout.shard", "zero3"}, {"layout.shard_ranks", 2}, {"model.recompute", "full"}}},
        RanksAndLayout{"ulysses_2_zero3", 2, {{"layout.cp", 2}, {"layout.shard", "zero3"}}},
        RanksAndLayout{"tp_2", 2, {{"layout.tp", 2}}}, RanksAndLayout{"tp_2_dp_2", 4, {{"layout.tp", 2}}},
        RanksAndLayout{
            "tp_2_zero2", 4, {{"layout.tp", 2}, {"layout.shard", "zero2"}, {"model.recompute", "selective"}}},
        RanksAndLayout{"tp_2_ring_2_zero3",
                       4,
                       {{"layout.tp", 2}, {"layout.cp", 2}, {"layout.ring", 2}, {"layout.shard", "zero3"}}},
        RanksAndLayout{"pp_2", 2, {{"layout.pp", 2}}},
        RanksAndLayout{"pp_2_tp_2_zero1", 4, {{"layout.pp", 2}, {"layout.tp", 2}, {"layout.shard", "zero1"}}},
        RanksAndLayout{"pp_2_zero1_of_parts",
                       4,
                       {{"layout.pp", 2}, {"layout.shard", "zero1"}, {"model.recompute", "full"}}},
        RanksAndLayout{"ulysses_2", 2, {{"layout.cp", 2}}},
        RanksAndLayout{"ring_2_zero1", 2, {{"layout.cp", 2}, {"layout.ring", 2}, {"layout.shard", "zero1"}}},
        RanksAndLayout{
            "ulysses_2_ring_2_zero2", 4, {{"layout.cp", 4}, {"layout.ring", 2}, {"layout.shard", "zero2"}}}),
    [](const auto& which) { return which.param.name; });

TEST(Layouts, ARunOfDividedStatesResumesOnAnotherNumberOfRanks) {
    const auto& alone = aloneInOneProcess();
    TrainingRun changing(layoutRun({{"layout.shard", "zero2"}}));
    {
        auto ranks = startRanks(changing, 4);
        ASSERT_TRUE(changing.waitForStep(6, std::chrono::seconds(120)));
        for (const auto& rank : ranks) rank->signal(SIGKILL);
    }
    changing.configure({{"layout.shard", "zero1"}});
    ASSERT_EQ(trainOnRanks(changing, 2), 0) << readFile(changing.path() / "output-0.txt");
    expectSameLosses(alone, changing);
}

TEST(Layouts, ARunOfSlicesResumesInAnyOtherAndBack) {
    const auto& alone = aloneInOneProcess();
    TrainingRun changing(layoutRun({{"layout.tp", 2}, {"layout.shard", "zero1"}, {"steps", 4}}));
    ASSERT_EQ(trainOnRanks(changing, 4), 0) << readFile(changing.path() / "output-0.txt");
    changing.configure({{"layout.tp", 1}, {"layout.cp", 2}, {"layout.shard", "zero3"}, {"steps", 8}});
    ASSERT_EQ(trainOnRanks(changing, 2), 0) << readFile(changing.path() / "output-0.txt");
    changing.configure({{"layout.tp", 2}, {"layout.cp", 1}, {"layout.shard", "none"}, {"steps", 12}});
    ASSERT_EQ(trainOnRanks(changing, 2), 0) << readFile(changing.path() / "output-0.txt");
    expectSameLosses(alone, changing);
}

TEST(Layouts, ARunOfStagesResumesInAnyOtherAndBack) {
    const auto& alone = aloneInOneProcess();
    TrainingRun changing(layoutRun({{"layout.pp", 2}, {"steps", 4}}));
    ASSERT_EQ(trainOnRanks(changing, 4), 0) << readFile(changing.path() / "output-0.txt");
    changing.configure({{"layout.pp", 1}, {"layout.cp", 2}, {"layout.shard", "zero3"}, {"steps", 8}});
    ASSERT_EQ(trainOnRanks(changing, 2), 0) << readFile(changing.path() / "output-0.txt");
    changing.configure(
        {{"layout.pp", 2}, {"layout.tp", 2}, {"layout.cp", 1}, {"layout.shard", "zero1"}, {"steps", 12}});
    ASSERT_EQ(trainOnRanks(changing, 4), 0) << readFile(changing.path() / "output-0.txt");
    expectSameLosses(alone, changing);
}

TEST(Layouts, ThatDoNotDivideAreRefusedOnEveryRank) {
    const TrainingRun run(Json{{"layout.cp", 2}, {"data.batch_size", 4}});
    EXPECT_EQ(trainOnRanks(run, 3), 2);
    EXPECT_THAT(
        run.all<events::End>().at(0).reason,
        testing::HasSubstr("layout.cp: found 2, expected a divisor of the number of ranks (3): 1 or 3."));
}

}  // namespace
}  // namespace dailies::trainer
