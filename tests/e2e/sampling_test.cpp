#include "core/tracking/sampled_run.h"
#include "core/video/clip_file.h"
#include "tests/e2e/sandbox_with_trainer.h"

#include <gmock/gmock.h>

#include <set>

// Sampling checkpoints again.

namespace {

using namespace dailies;
using testing::HasSubstr;

class Sampling : public test::SandboxWithTrainer {
protected:
    static void SetUpTestSuite() {
        SandboxWithTrainer::SetUpTestSuite();
        if (!HasFatalFailure())
            s_launch = train("tiny", "optimizer.lr: {values: [0.01, 0.001]}", "steps: 20");
    }

    void SetUp() override { ASSERT_EQ(s_launch.status, 0) << s_launch.err; }

    static std::string runId(std::size_t i) { return SandboxWithTrainer::runId(s_launch, i); }

    static inline test::DailiesProgram::Answer s_launch;
};

TEST_F(Sampling, APlanSaysHowManyClipsInWhichRunsAndShowsTheScript) {
    writeFileAtomically(s_home->path() / "prompts.txt", "red square left\nblue circle up\n");
    const auto plan =
        s_dailies->json({"sample", runId(0), runId(1), "--prompts", (s_home->path() / "prompts.txt").string(),
                         "--seeds", "0..3", "--guidance", "1,3,5", "--checkpoint", "all", "--dry-run"});
    EXPECT_EQ(plan.at("runs").size(), 2u * 2 * 3) << "runs × checkpoints × guidance";
    EXPECT_EQ(plan.at("clips"), 2 * 2 * 3 * 2 * 4);
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("#SBATCH --array=0-11%2\n"));
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("\"$program\" sample --config"));
    std::set<std::string> names;
    for (const auto& run : plan.at("runs")) names.insert(run.at("name").get<std::string>());
    EXPECT_EQ(names.size(), 12u);
    EXPECT_TRUE(names.contains("lr=0.001 step 10 guidance 3")) << plan.dump(2);
}

TEST_F(Sampling, ClipsOfACheckpointComeBackAsARunOfTheirOwn) {
    const auto sampled =
        s_dailies->run({"sample", runId(0), "--prompt", "red square left", "--prompt", "blue circle up",
                        "--seeds", "1..2", "--guidance", "1,2", "--wait", "--format", "json"});
    ASSERT_EQ(sampled.status, 0) << sampled.err;
    const Json runs = parseJson(sampled.out, "sample");
    ASSERT_EQ(runs.size(), 2u);
    std::vector<std::string> ids;
    for (const auto& run : runs) {
        EXPECT_EQ(run.at("status"), "FINISHED") << run.dump(2);
        EXPECT_EQ(run.at("tags").at(tracking::tag::kSampledRun), runId(0));
        EXPECT_EQ(run.at("tags").at(tracking::tag::kSampledStep), "20");
        EXPECT_EQ(run.at("params").at("checkpoint.step"), "20");
        ids.push_back(run.at("run_id"));
    }
    EXPECT_EQ(runs.at(0).at("name"), "guidance 1");
    const auto clips = store().clips(ids);
    ASSERT_EQ(clips.size(), 2u * 4);
    for (const auto& clip : clips) {
        EXPECT_EQ(clip.step, 20);
        ASSERT_FALSE(clip.localPath.empty()) << clip.path;
        EXPECT_EQ(video::ClipReader(clip.localPath).info().frames, 4);
    }
    const auto estimate =
        s_dailies->json({"sample", runId(0), "--prompt", "red square left", "--dry-run"}).at("estimate");
    EXPECT_TRUE(estimate.at("known").get<bool>()) << "the next one can be judged by this one";
    EXPECT_THAT(estimate.at("basis").get<std::string>(), HasSubstr("of the same runs on sandbox"));
}

TEST_F(Sampling, TheClipsOfTrainingAreMadeAgainByteForByte) {
    const auto sampled = s_dailies->run(
        {"sample", runId(1), "--prompt", "red square left", "--seeds", "1", "--wait", "--format", "json"});
    ASSERT_EQ(sampled.status, 0) << sampled.err;
    const auto again = store().clips({parseJson(sampled.out, "sample").at(0).at("run_id")});
    const auto trained = store().clips({runId(1)});
    ASSERT_EQ(again.size(), 1u);
    ASSERT_FALSE(trained.empty());
    EXPECT_EQ(readFile(again[0].localPath), readFile(trained.back().localPath));
}

TEST_F(Sampling, MoreTasksThanANodeHasCoresForAreRefusedBeforeTheyAreSent) {
    const auto refused = s_dailies->run({"sample", runId(0), "--prompt", "red square left", "--ranks", "2"});
    EXPECT_EQ(refused.status, 2) << refused.err;
    EXPECT_THAT(refused.err, HasSubstr("CPU")) << "nodes of this sandbox have one core";
    const auto plan =
        s_dailies->json({"sample", runId(0), "--prompt", "red square left", "--ranks", "2", "--dry-run"});
    EXPECT_THAT(plan.at("script").get<std::string>(), HasSubstr("#SBATCH --ntasks-per-node=2\n"));
}

TEST_F(Sampling, OneLaunchTrainsAndThenSamples) {
    writeFileAtomically(s_home->path() / "sample.yaml",
                        "prompts: [red square left, blue circle up]\nseeds: 1..2\n"
                        "resources: {memory: 800M, parallel_runs: 2}\n");
    const auto both = train("both", "optimizer.lr: {values: [0.01, 0.001]}", "steps: 20",
                            {"--then-sample", (s_home->path() / "sample.yaml").string()});
    ASSERT_EQ(both.status, 0) << both.err;
    EXPECT_THAT(both.err, HasSubstr("samples of both, waits for it and makes 8 clips in 2 runs"));
    const Json runs = parseJson(both.out, "launch");
    ASSERT_EQ(runs.size(), 4u);
    std::set<std::string> trained, sampled;
    for (const auto& run : runs) {
        EXPECT_EQ(run.at("status"), "FINISHED") << run.dump(2);
        if (!run.at("tags").contains(tracking::tag::kSampledRun)) {
            trained.insert(run.at("run_id").get<std::string>());
            continue;
        }
        sampled.insert(run.at("tags").at(tracking::tag::kSampledRun).get<std::string>());
        const auto clips = store().clips({run.at("run_id").get<std::string>()});
        ASSERT_EQ(clips.size(), 4u);
        for (const auto& clip : clips) {
            EXPECT_EQ(clip.step, 20) << "of the last checkpoint";
            EXPECT_TRUE(std::filesystem::exists(clip.localPath));
        }
    }
    EXPECT_EQ(sampled, trained) << "each run was sampled";
}

TEST_F(Sampling, ACheckpointThatIsGoneIsToldBeforeAnythingIsSent) {
    const auto folder = store().run(runId(1))->tags.at(tracking::tag::kFolder);
    std::filesystem::rename(folder + "/checkpoints/step-000000010", folder + "/checkpoints/hidden");
    const auto answer =
        s_dailies->run({"sample", runId(1), "--prompt", "x", "--checkpoint", "10", "--format", "json"});
    std::filesystem::rename(folder + "/checkpoints/hidden", folder + "/checkpoints/step-000000010");
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("None of the chosen checkpoints is on the cluster any more"));
}

TEST_F(Sampling, WordsThatMakeNoSenseAreRefusedWithWhatWould) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
        {{"sample", "nobody", "--prompt", "x"}, "No run is called"},
        {{"sample", runId(0)}, "prompts: found none"},
        {{"sample", runId(0), "--prompt", "x", "--checkpoint", "15"}, "It has those of steps 10, 20."},
        {{"sample", runId(0), "--prompt", "x", "--checkpoint", "newest"}, "expected last, best, all"},
        {{"sample", runId(0), "--prompt", "x", "--seeds", "a"}, "--seeds: found \"a\""},
        {{"sample", runId(0), "--prompt", "x", "--time-limit", "soon"}, "time_limit"},
    };
    for (const auto& [words, message] : wrong) {
        const auto answer = s_dailies->run(words);
        EXPECT_EQ(answer.status, 2) << message;
        EXPECT_THAT(answer.err, HasSubstr(message));
    }
}

}  // namespace
