#include "tests/core/objects/running_bucket.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Json mirrored(std::int64_t steps) {
    return {{"steps", steps},
            {"checkpoint.every", 5},
            {"checkpoint.keep", 1},
            {"checkpoint.mirror", "s3://lab/runs"},
            {"optimizer.schedule", "constant"}};
}

class MirrorRun : public testing::Test {
protected:
    MirrorRun() { bucket.put("lab/there", "x"); }

    fs::path copyOf(const TrainingRun& run) const {
        return bucket.file("lab/runs/" + run.path().filename().string());
    }
    /// As a machine that is given back takes it along; what the launch writes is there again.
    void loseTheFolderOf(const TrainingRun& run) const {
        for (const auto& entry : fs::directory_iterator(run.path()))
            if (entry.path().filename() != "config.json") fs::remove_all(entry.path());
    }

    objects::RunningBucket bucket;
    const TrainerProcess::Variables access = {{"AWS_ACCESS_KEY_ID", bucket.access().keyId},
                                              {"AWS_SECRET_ACCESS_KEY", bucket.access().secret},
                                              {"AWS_ENDPOINT_URL", bucket.endpoint()}};
};

TEST_F(MirrorRun, GoesOnFromTheBucketWhereItsFolderIsLostAsIfNothingHadHappened) {
    const TrainingRun whole({{"steps", 20}, {"checkpoint.every", 5}, {"optimizer.schedule", "constant"}});
    ASSERT_EQ(whole.train(), 0) << whole.output();

    TrainingRun run(mirrored(10));
    ASSERT_EQ(run.train(access), 0) << run.output();
    EXPECT_EQ(readFile(copyOf(run) / "events.jsonl"), readFile(run.path() / "events.jsonl"));
    EXPECT_TRUE(fs::exists(copyOf(run) / "checkpoints/step-000000010/manifest.json"));
    EXPECT_FALSE(fs::exists(copyOf(run) / "checkpoints/step-000000005")) << "the run keeps one";
    EXPECT_TRUE(fs::exists(copyOf(run) / "clips"));

    loseTheFolderOf(run);
    run.configure(mirrored(20));
    bucket.fail({{"busy", 3}});
    ASSERT_EQ(run.train(access), 0) << run.output();
    EXPECT_EQ(run.all<events::Resume>().at(0).fromStep, 10);
    EXPECT_EQ(run.metric("loss"), whole.metric("loss"));
    EXPECT_THAT(
        run.all<events::Message>(),
        AllOf(Contains(Field(&events::Message::text, HasSubstr("that of step 10 was fetched"))),
              Contains(Field(&events::Message::text, HasSubstr("A copy of the run is in s3://lab")))));
    EXPECT_EQ(readFile(copyOf(run) / "events.jsonl"), readFile(run.path() / "events.jsonl"));
}

TEST_F(MirrorRun, CopiesWhileItTrainsSoThatAKillLosesNoCheckpoint) {
    auto config = mirrored(100'000);
    config["checkpoint.every"] = 20;
    const TrainingRun run(config);
    auto process = run.start(access);
    const auto copied = [&] {
        if (!fs::exists(copyOf(run) / "checkpoints")) return false;
        for (const auto& checkpoint : fs::directory_iterator(copyOf(run) / "checkpoints"))
            if (fs::exists(checkpoint.path() / "manifest.json")) return true;
        return false;
    };
    for (int i = 0; i < 600 && !copied(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(100));
    process.signal(SIGKILL);
    process.wait();
    ASSERT_TRUE(copied()) << run.output();

    loseTheFolderOf(run);
    auto next = run.start(access);
    for (int i = 0; i < 600 && run.all<events::Resume>().empty(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    next.signal(SIGTERM);
    EXPECT_EQ(next.wait(), 0) << run.output();
    EXPECT_THAT(run.all<events::Resume>(), SizeIs(1)) << run.output();
}

TEST_F(MirrorRun, ABucketThatFillsUpIsSaidOnceAndStopsNothing) {
    auto config = mirrored(30);
    const TrainingRun run(config);
    auto process = run.start(access);
    ASSERT_TRUE(run.waitForStep(1)) << run.output();
    bucket.fail({{"full", true}});
    EXPECT_EQ(process.wait(), 0) << run.output();
    const auto health = run.all<events::Health>();
    ASSERT_THAT(health, SizeIs(1));
    EXPECT_EQ(health[0].kind, "copy_failed");
    EXPECT_THAT(health[0].text, AllOf(HasSubstr("The bucket is full."), HasSubstr("The run goes on.")));
    EXPECT_EQ(run.all<events::End>().at(0).status, "finished");
    EXPECT_TRUE(fs::exists(run.path() / "checkpoints/step-000000030/manifest.json"));

    bucket.fail(Json::object());
    ASSERT_EQ(run.train(access), 0) << run.output();
    EXPECT_TRUE(fs::exists(copyOf(run) / "checkpoints/step-000000030/manifest.json")) << "the next attempt";
}

TEST_F(MirrorRun, WithoutAccessIsRefusedBeforeItTrains) {
    const TrainingRun run(mirrored(10));
    EXPECT_NE(run.train({{"AWS_ENDPOINT_URL", bucket.endpoint()}}), 0);
    EXPECT_THAT(run.output(), AllOf(HasSubstr("Cannot read s3://lab/runs/"), HasSubstr("AWS_PROFILE")));
    EXPECT_THAT(run.all<events::Metrics>(), IsEmpty());
    EXPECT_EQ(run.all<events::End>().at(0).status, "failed");

    TrainingRun other(mirrored(10));
    bucket.fail({{"full", true}});
    EXPECT_NE(other.train(access), 0);
    EXPECT_THAT(other.output(), HasSubstr("Cannot write s3://lab/runs/"));
}

TEST_F(MirrorRun, AMirrorThatIsNoBucketIsRefused) {
    for (const char* url : {"/data/copy", "s3://", "https://example.org/copy"}) {
        auto config = mirrored(10);
        config["checkpoint.mirror"] = url;
        const TrainingRun run(config);
        EXPECT_NE(run.train(access), 0) << url;
        EXPECT_THAT(run.output(), HasSubstr("checkpoint.mirror: found")) << url;
    }
}

}  // namespace
}  // namespace dailies::trainer
