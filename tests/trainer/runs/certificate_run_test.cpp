#include "tests/trainer/free_port.h"
#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace dailies::trainer {
namespace {

using events::Certificate;
using testing::HasSubstr;

Json provenRun(const Json& more = Json::object()) {
    Json changes = {{"model.depth", 3}, {"layout.certificate", "always"}};
    changes.update(more);
    return changes;
}

std::vector<std::string> typesOf(const TrainingRun& run) {
    std::vector<std::string> types;
    for (const auto& event : run.events()) types.push_back(Json::parse(events::encode(event)).at("type"));
    return types;
}

TEST(ACertificate, IsTheFirstThingThatARunOfSeveralRanksTellsAndIsMadeAgainWhenItGoesOn) {
    TrainingRun run(provenRun({{"layout.shard", "zero3"}, {"checkpoint.every", 6}, {"steps", 6}}));
    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    ASSERT_EQ(run.all<Certificate>().size(), 1U);
    const auto first = run.all<Certificate>()[0];
    EXPECT_TRUE(first.proven);
    EXPECT_EQ(first.ranks, 2);
    EXPECT_EQ(first.blocks, 2);
    EXPECT_EQ(first.layout, "dp 2, zero3 over 2 ranks");
    EXPECT_EQ(typesOf(run)[1], "certificate") << "behind the start, before any step";

    run.configure({{"steps", 12}, {"layout.shard", "none"}, {"layout.cp", 2}});
    ASSERT_EQ(trainOnRanks(run, 2), 0) << readFile(run.path() / "output-0.txt");
    ASSERT_EQ(run.all<Certificate>().size(), 2U);
    EXPECT_EQ(run.all<Certificate>()[1].layout, "dp 1 × cp 2 (Ulysses 2)");
    const auto types = typesOf(run);
    EXPECT_LT(std::ranges::find(types.begin() + 2, types.end(), "certificate"),
              std::ranges::find(types, "resume"))
        << "proven before it goes on";
}

TEST(ACertificate, ChangesNothingOfTheRun) {
    const TrainingRun with(provenRun({{"layout.shard", "zero2"}})),
        without(provenRun({{"layout.shard", "zero2"}, {"layout.certificate", "never"}}));
    ASSERT_EQ(trainOnRanks(with, 2), 0);
    ASSERT_EQ(trainOnRanks(without, 2), 0);
    EXPECT_EQ(with.all<Certificate>().size(), 1U);
    EXPECT_EQ(without.all<Certificate>().size(), 0U);
    EXPECT_EQ(with.metric("loss"), without.metric("loss")) << "bit for bit";
}

TEST(ACertificate, IsOfNoUseToOneProcess) {
    const TrainingRun run(provenRun());
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_TRUE(run.all<Certificate>().empty());
}

TEST(ACertificate, ThatIsRefusedEndsTheRunBeforeItsFirstStepWithAnExitOfItsOwn) {
    const TrainingRun run(provenRun());
    // a node that reads another configuration than the others
    const TrainingRun strange(provenRun({{"seed", 7}}));
    const int port = freePort();
    std::vector<std::unique_ptr<TrainerProcess>> ranks;
    for (const int rank : {0, 1})
        ranks.push_back(std::make_unique<TrainerProcess>(
            std::vector<std::string>{"train", "--config",
                                     ((rank == 0 ? run : strange).path() / "config.json").string(),
                                     "--run-dir", run.path().string()},
            run.path() / ("output-" + std::to_string(rank) + ".txt"), variablesOfRank(rank, 2, port)));
    EXPECT_EQ(ranks[0]->wait(), 3) << "not one that a job's script starts again";
    EXPECT_EQ(ranks[1]->wait(), 3);
    ASSERT_EQ(run.all<Certificate>().size(), 1U);
    const auto refused = run.all<Certificate>()[0];
    EXPECT_FALSE(refused.proven);
    EXPECT_TRUE(run.metric("loss").empty()) << "no step was made";
    ASSERT_EQ(run.all<events::End>().size(), 1U);
    EXPECT_EQ(run.all<events::End>()[0].status, "failed");
    const auto reason = run.all<events::End>()[0].reason;
    EXPECT_THAT(reason, HasSubstr("Layout verification failed"));
    EXPECT_THAT(reason, HasSubstr(refused.weight));
    EXPECT_THAT(reason, HasSubstr("2 ranks, dp 2"));
    EXPECT_THAT(reason, HasSubstr("See that all ranks read the same configuration"));
    EXPECT_THAT(readFile(run.path() / "output-0.txt"), HasSubstr("Layout verification failed"));
    EXPECT_THAT(readFile(run.path() / "output-1.txt"), Not(HasSubstr("Layout verification failed")))
        << "one tells it";
}

}  // namespace
}  // namespace dailies::trainer
