#include "tests/trainer/runs/rank_processes.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <random>
#include <set>
#include <string>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

void expectLosses(const TrainingRun& one, const TrainingRun& other, double tolerance) {
    const auto expected = one.metric("loss"), found = other.metric("loss");
    ASSERT_EQ(found.size(), expected.size()) << other.output();
    for (const auto& [step, loss] : expected)
        ASSERT_NEAR(found.at(step), loss, tolerance * loss) << "step " << step;
}

TEST(Accumulation, GivesTheLossesOfTheWholeBatch) {
    const TrainingRun whole, parts(Json{{"optimizer.accumulate", 2}}),
        single(Json{{"optimizer.accumulate", 4}});
    for (const auto* run : {&whole, &parts, &single}) ASSERT_EQ(run->train(), 0) << run->output();
    expectLosses(whole, parts, 1e-5);
    expectLosses(whole, single, 1e-5);
}

TEST(Accumulation, RefusesPartsThatDoNotDivideARanksClips) {
    const TrainingRun run(Json{{"optimizer.accumulate", 4}});
    EXPECT_EQ(trainOnRanks(run, 2), 2);
    EXPECT_THAT(run.all<events::End>().at(0).reason,
                HasSubstr("optimizer.accumulate: found 4 for the 2 clips"));
}

TEST(MasterWeights, GiveTheLossesOfAutocastBitForBit) {
    const TrainingRun cast(Json{{"runtime.precision", "bf16"}}),
        masters(Json{{"runtime.precision", "bf16"}, {"optimizer.master_weights", true}});
    for (const auto* run : {&cast, &masters}) ASSERT_EQ(run->train(), 0) << run->output();
    EXPECT_EQ(cast.metric("loss"), masters.metric("loss"));
    const auto* weights = "checkpoints/step-000000012/weights.safetensors";
    EXPECT_EQ(readFile(cast.path() / weights), readFile(masters.path() / weights));
}

TEST(MasterWeights, AreRefusedWhereTheModelComputesInFloat32) {
    const TrainingRun run(Json{{"optimizer.master_weights", true}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("optimizer.master_weights"));
}

TEST(Optimizer, IsNotSwappedByAResumption) {
    TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"optimizer.name", "adamw8bit"}, {"steps", 20}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(),
                HasSubstr("has the moments of optimizer.name adamw, the config names adamw8bit"));
}

TEST(LossSpike, IsToldWithItsSamples) {
    TrainingRun run(Json{{"steps", 60}});
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"steps", 70}, {"optimizer.lr", 10.0}, {"optimizer.schedule", "constant"}});
    run.train();
    const auto health = run.all<events::Health>();
    const auto spike = std::ranges::find(health, "loss_spike", &events::Health::kind);
    ASSERT_NE(spike, health.end());
    EXPECT_THAT(spike->text, AllOf(HasSubstr("times the median before it"), HasSubstr("gradient norm"),
                                   HasSubstr("Its samples: ")));
    EXPECT_EQ(std::ranges::count(health, "loss_spike", &events::Health::kind), 1) << "told once";
}

TEST(Saving, TellsWhatItCost) {
    const TrainingRun run(Json{{"checkpoint.every", 4}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Checkpoint>().size(), 3U);
    EXPECT_FALSE(run.metric("checkpoint_stall_seconds").empty());
    for (const auto& [step, seconds] : run.metric("checkpoint_stall_seconds")) EXPECT_GE(seconds, 0) << step;
}

TEST(Saving, KeepsTheBestByAMetric) {
    const TrainingRun run(Json{{"steps", 40},
                               {"checkpoint.every", 10},
                               {"checkpoint.keep", 1},
                               {"checkpoint.keep_best", "lr"},
                               {"checkpoint.best_is", "highest"}});
    ASSERT_EQ(run.train(), 0) << run.output();
    std::set<std::string> left;
    for (const auto& found : std::filesystem::directory_iterator(run.path() / "checkpoints"))
        left.insert(found.path().filename().string());
    EXPECT_EQ(left, (std::set<std::string>{"step-000000010", "step-000000040"}));
}

/// Settings under which nothing of the state may be forgotten.
struct Variant {
    const char* name;
    Json changes;
    /// How near the losses of other numbers of ranks come: sums in another order differ in their last bits,
    /// and rounding to few bits may then fall to the other side.
    double acrossLayouts = 1e-4;
};

class ResumeProof : public testing::TestWithParam<Variant> {
protected:
    static Json settings() {
        Json settings = {{"steps", 60},
                         {"checkpoint.every", 3},
                         {"runtime.log_every", 2},
                         {"model.width", 48},
                         {"model.heads", 4},
                         {"checkpoint.keep", 3},
                         {"checkpoint.shard_bytes", 30'000}};
        settings.update(GetParam().changes);
        return settings;
    }
    static const TrainingRun& undisturbed() {
        static std::map<std::string, TrainingRun> runs;
        const auto [run, isNew] = runs.try_emplace(GetParam().name, settings());
        if (isNew) {
            EXPECT_EQ(run->second.train(), 0) << run->second.output();
        }
        return run->second;
    }
};

TEST_P(ResumeProof, KilledTwiceOnTheSameLayoutTheLossesAreBitEqual) {
    std::mt19937 random(std::random_device{}());
    const TrainingRun run(settings());
    std::int64_t step = 0;
    for (int kill = 0; kill < 2; ++kill) {
        auto process = run.start();
        step = std::uniform_int_distribution<std::int64_t>(step + 8, step + 22)(random);
        ASSERT_TRUE(run.waitForStep(step)) << run.output();
        process.signal(SIGKILL);
        process.wait();
    }
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss"), undisturbed().metric("loss"));
    EXPECT_GE(run.all<events::Resume>().size(), 1U);
}

TEST_P(ResumeProof, KilledTwiceAndResumedOnOtherRanksTheLossesAreEqual) {
    std::mt19937 random(std::random_device{}());
    const TrainingRun run(settings());
    std::int64_t step = 0;
    for (const int ranks : {2, 1}) {
        auto processes = startRanks(run, ranks);
        step = std::uniform_int_distribution<std::int64_t>(step + 8, step + 22)(random);
        ASSERT_TRUE(run.waitForStep(step)) << run.output();
        for (const auto& process : processes) process->signal(SIGKILL);
        for (const auto& process : processes) process->wait();
    }
    ASSERT_EQ(trainOnRanks(run, 4), 0) << readFile(run.path() / "output-0.txt");
    expectLosses(undisturbed(), run, GetParam().acrossLayouts);
}

INSTANTIATE_TEST_SUITE_P(
    Settings, ResumeProof,
    testing::Values(Variant{"adamw", Json::object()},
                    Variant{"adamw8bit", {{"optimizer.name", "adamw8bit"}, {"optimizer.lr", 2e-3}}, 2e-3},
                    Variant{"muon", {{"optimizer.name", "muon"}}, 5e-3},
                    Variant{"accumulation", {{"data.batch_size", 8}, {"optimizer.accumulate", 2}}},
                    Variant{"masters",
                            {{"runtime.precision", "bf16"},
                             {"optimizer.master_weights", true},
                             {"optimizer.ema_power", 6.94}},
                            5e-3}),
    [](const auto& which) { return std::string(which.param.name); });

}  // namespace
}  // namespace dailies::trainer
