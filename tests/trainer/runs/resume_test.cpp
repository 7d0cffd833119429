#include "core/base/error.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <csignal>
#include <random>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

constexpr const char* kLastWeights = "checkpoints/step-000000060/weights.safetensors";

Json sixtySteps() {
    return {{"steps", 60},
            {"checkpoint.every", 7},
            {"runtime.log_every", 3}};  // checkpoints fall inside of loss windows
}

const TrainingRun& undisturbed() {
    static const TrainingRun run(sixtySteps());
    static const int status = run.train();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

TEST(Resume, AfterAKillAtARandomStepEndsInTheSameLossesAndWeights) {
    std::mt19937 random(std::random_device{}());
    for (int repetition = 0; repetition < 2; ++repetition) {
        const TrainingRun run(sixtySteps());
        const auto step = std::uniform_int_distribution<std::int64_t>(8, 50)(random);
        {
            auto process = run.start();
            ASSERT_TRUE(run.waitForStep(step)) << run.output();
            process.signal(SIGKILL);
            ASSERT_EQ(process.wait(), 128 + SIGKILL);
        }
        ASSERT_EQ(run.train(), 0) << run.output();
        EXPECT_LE(run.all<events::Resume>().size(), 1U) << "none when it fell before the first save ended";
        EXPECT_EQ(run.metric("loss"), undisturbed().metric("loss")) << "killed after step " << step;
        EXPECT_EQ(readFile(run.path() / kLastWeights), readFile(undisturbed().path() / kLastWeights));
    }
}

TEST(Resume, AfterAStopSignalEndsInTheSameLossesAndWeights) {
    for (const int signal : {SIGTERM, SIGUSR1}) {
        const TrainingRun run(sixtySteps());
        {
            auto process = run.start();
            ASSERT_TRUE(run.waitForStep(12)) << run.output();
            process.signal(signal);
            EXPECT_EQ(process.wait(), 0) << run.output();
        }
        const auto end = run.all<events::End>();
        ASSERT_EQ(end.size(), 1U);
        EXPECT_EQ(end[0].status, "stopped");
        EXPECT_THAT(end[0].reason, HasSubstr(signal == SIGTERM ? "SIGTERM" : "SIGUSR1"));
        const auto saved = run.all<events::Checkpoint>();
        ASSERT_FALSE(saved.empty());
        EXPECT_EQ(saved.back().step, end[0].step) << "nothing of the work done is lost";

        ASSERT_EQ(run.train(), 0) << run.output();
        EXPECT_EQ(run.all<events::Resume>().at(0).fromStep, end[0].step);
        EXPECT_EQ(run.metric("loss"), undisturbed().metric("loss"));
        EXPECT_EQ(readFile(run.path() / kLastWeights), readFile(undisturbed().path() / kLastWeights));
    }
}

/// The messages of a run that speak of its data.
std::vector<std::string> saidOfData(const TrainingRun& run, const std::string& level) {
    std::vector<std::string> said;
    for (const auto& message : run.all<events::Message>())
        if (message.level == level && message.text.find("before") != std::string::npos)
            said.push_back(message.text);
    return said;
}

TEST(Resume, WithAnotherBatchSizeGoesOnBehindTheClipsTakenAndSaysSo) {
    TrainingRun run({{"steps", 6}, {"data.batch_size", 8}});
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"steps", 12}, {"data.batch_size", 4}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(
        saidOfData(run, "info"),
        testing::ElementsAre("data.batch_size 4 from step 7 on, data.batch_size 8 before: the run goes "
                             "on behind the 48 clips taken so far; none is skipped or repeated."));
    const auto manifest =
        parseJson(readFile(run.path() / "checkpoints/step-000000012/manifest.json"), "manifest");
    EXPECT_EQ(manifest.at("data").at("position").at("stretches").size(), 2U);

    run.configure({{"steps", 14}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(saidOfData(run, "info").size(), 1U) << "nothing has changed since";
}

TEST(Resume, FromACheckpointThatTellsNoPositionFollowsItsConfiguration) {
    TrainingRun run({{"steps", 6}, {"data.batch_size", 8}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto file = run.path() / "checkpoints/step-000000006/manifest.json";
    auto manifest = parseJson(readFile(file), "manifest");
    manifest.at("data").erase("position");
    writeFileAtomically(file, manifest.dump());
    run.configure({{"steps", 8}, {"data.batch_size", 4}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(saidOfData(run, "info"), testing::ElementsAre(HasSubstr("behind the 48 clips")));
}

TEST(Resume, OfAFinishedRunOnlySaysSo) {
    const TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto weights = readFile(run.path() / "checkpoints/step-000000012/weights.safetensors");
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::End>().back().status, "finished");
    EXPECT_EQ(run.all<events::Resume>().at(0).fromStep, 12);
    EXPECT_EQ(readFile(run.path() / "checkpoints/step-000000012/weights.safetensors"), weights);
}

TEST(Resume, RefusesACheckpointOfAnotherModel) {
    TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"model.width", 48}, {"steps", 20}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("step 12"), HasSubstr("width 24 there, 48 in the config")));
    EXPECT_EQ(run.all<events::End>().back().status, "failed");
    EXPECT_THAT(run.all<events::End>().back().reason, HasSubstr("another model"));
}

TEST(Resume, FallsBackToTheOlderCheckpointWhenTheNewestIsDamaged) {
    TrainingRun run(Json{{"checkpoint.every", 5}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto losses = run.metric("loss");
    std::filesystem::resize_file(run.path() / "checkpoints/step-000000012/optimizer.safetensors", 100);
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Resume>().at(0).fromStep, 10);
    EXPECT_EQ(run.metric("loss"), losses);
}

TEST(Resume, WithAChangedLearningRateGoesOn) {
    TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"optimizer.lr", 1e-4}, {"optimizer.schedule", "constant"}, {"steps", 20}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_DOUBLE_EQ(run.metric("lr").at(20), 1e-4);
}

}  // namespace
}  // namespace dailies::trainer
