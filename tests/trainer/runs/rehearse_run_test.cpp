#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// `plan --rehearse` of a run's configuration, with further words.
struct Rehearsed {
    Rehearsed(const TrainingRun& run, std::vector<std::string> more) {
        std::vector<std::string> words = {"plan", "--config", (run.path() / "config.json").string(),
                                          "--rehearse"};
        words.insert(words.end(), more.begin(), more.end());
        status = TrainerProcess(words, run.path() / "rehearsed.txt").wait();
        output = readFile(run.path() / "rehearsed.txt");
    }
    Json json() const { return Json::parse(output); }

    int status = -1;
    std::string output;
};

TEST(RehearseVerb, TellsWhatRealRanksThenSend) {
    TrainingRun run({{"layout.shard", "zero3"}, {"layout.cp", 2}, {"optimizer.accumulate", 2}});
    const Rehearsed rehearsed(run, {"--ranks", "4", "--ranks-per-node", "2", "--json"});
    ASSERT_EQ(rehearsed.status, 0) << rehearsed.output;
    const auto found = rehearsed.json();
    EXPECT_TRUE(found.at("agrees"));
    EXPECT_EQ(found.at("layout"), "dp 2 × cp 2 (Ulysses 2), zero3 over 4 ranks");
    EXPECT_EQ(found.at("links").at("nodes"), 2);
    double sent = 0;
    for (const auto& [collective, count] : found.at("kinds").at(0).at("sent").items())
        sent += count.at("bytes").get<double>();

    ASSERT_EQ(trainOnRanks(run, 4), 0) << readFile(run.path() / "output-0.txt");
    const auto measured = run.metric("sent_mib");
    ASSERT_FALSE(measured.empty());
    EXPECT_NEAR(measured.begin()->second, sent / (1 << 20), 1e-6)
        << "the first step, before anything is saved";
    const auto checkpoints = run.all<events::Checkpoint>();
    ASSERT_FALSE(checkpoints.empty());
    const auto bytes = found.at("checkpoint_bytes").get<double>();
    EXPECT_GE(static_cast<double>(checkpoints[0].bytes), bytes);
    EXPECT_NEAR(static_cast<double>(checkpoints[0].bytes), bytes, 0.2 * bytes) << "and the files' headers";
}

TEST(RehearseVerb, TellsAPersonTheVerdictFirst) {
    const TrainingRun run(Json{{"layout.shard", "zero2"}});
    const Rehearsed rehearsed(run, {"--ranks", "4"});
    EXPECT_EQ(rehearsed.status, 0);
    EXPECT_TRUE(rehearsed.output.starts_with("4 ranks agree: each of ")) << rehearsed.output;
    EXPECT_THAT(
        rehearsed.output,
        AllOf(HasSubstr("is met by all members of its group, in one order, with equal sizes and types."),
              HasSubstr("Layout: dp 4, zero2 over 4 ranks."), HasSubstr("Each of ranks 0, 1, 2, 3 sends"),
              HasSubstr("A rank's tensors take up to "), HasSubstr("A checkpoint's tensors take ")));
}

TEST(RehearseVerb, TakesALayoutOfAHundredAndTwentyEightRanks) {
    const TrainingRun run({{"layout.shard", "zero3"}, {"layout.cp", 2}, {"data.batch_size", 128}});
    const Rehearsed rehearsed(run, {"--ranks", "128", "--json"});
    ASSERT_EQ(rehearsed.status, 0) << rehearsed.output;
    const auto found = rehearsed.json();
    EXPECT_TRUE(found.at("agrees"));
    EXPECT_EQ(found.at("links").at("nodes"), 16);
    std::size_t ranks = 0;
    for (const auto& kind : found.at("kinds")) ranks += kind.at("ranks").size();
    EXPECT_EQ(ranks, 128U);
    EXPECT_LT(found.at("seconds"), 60);
}

TEST(RehearseVerb, RefusesALayoutThatDoesNotDivideTheRanks) {
    const TrainingRun run(Json{{"layout.cp", 2}});
    const Rehearsed rehearsed(run, {"--ranks", "3"});
    EXPECT_EQ(rehearsed.status, 2);
    EXPECT_THAT(rehearsed.output,
                HasSubstr("layout.cp: found 2, expected a divisor of the number of ranks (3)"));
    EXPECT_EQ(Rehearsed(run, {"--ranks-per-node", "none"}).status, 2);
}

}  // namespace
}  // namespace dailies::trainer
