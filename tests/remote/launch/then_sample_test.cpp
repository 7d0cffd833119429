#include "remote/launch/then_sample.h"

#include "core/tracking/sampled_run.h"
#include "remote/cluster/sweep_runs.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using testing::Not;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

constexpr const char* kOneClip = "prompts: [red square]\nresources: {memory: 100M, parallel_runs: 4}\n";

/// Two runs that train and are then sampled, by a script that does as dailies-train does.
class ThenSampling : public SandboxTest {
protected:
    /// `training`: lines of the script while it trains, before it has written its checkpoint.
    void trainAndSampleBy(const std::string& training) {
        const std::vector<std::uint8_t> grey(std::size_t{3} * 32 * 32, 128);
        video::writeClip(m_files.path() / "clip.mp4", {{32, 32, grey}, {32, 32, grey}}, {});
        trainer("if [ \"$1\" = train ]; then\n" + training +
                "\n    mkdir -p \"$run/checkpoints/step-000000007\"\n"
                "    echo \"$run\" >\"$run/checkpoints/step-000000007/manifest.json\"\n"
                "    metric 7 0.5\n"
                "else\n"
                "    checkpoint=$(sed -n 's/.*\"\\(.*begins-from\\)\".*/\\1/p' \"$3\")\n"
                "    cp \"$checkpoint/manifest.json\" \"$run/sampled-from\" || exit 9\n"
                "    mkdir -p \"$run/clips\"; cp " +
                (m_files.path() / "clip.mp4").string() +
                " \"$run/clips/a.mp4\"\n"
                "    emit "
                "'\"type\":\"clip\",\"step\":7,\"prompt\":\"red square\",\"seed\":1,\"path\":\"clips/a.mp4\","
                "\"frames\":2,\"height\":32,\"width\":32,\"fps\":8'\n"
                "fi\nfinish");
    }
    SamplingPlan launchBoth(Cluster& cluster, LaunchPlan& training, const std::string& sampling) {
        training = plan(cluster, 2);
        return launchBoth(cluster, training, sampling, m_store).sampling;
    }
    TrainingThenSampling launchBoth(Cluster& cluster, const LaunchPlan& training, const std::string& sampling,
                                    tracking::Store& store, const Progress& progress = {}) {
        return launchThenSample(cluster, training, sweep::parseSamplingFile(sampling, "sample.yaml"),
                                {"test", (m_files.path() / "trainer").string()}, store, progress);
    }
    /// In a process of its own that ends when this many of both jobs have been submitted.
    void launchBothAndDieAfter(int jobs, const LaunchPlan& training) {
        ASSERT_NO_FATAL_FAILURE(
            dieBeforeSbatch([&](Cluster& cluster, tracking::Store& store, const Progress& dies) {
                launchBoth(cluster, training, kOneClip, store, [&](const std::string& line) {
                    if (line != "Submitting the job array" || jobs-- == 0) dies(line);
                });
            }));
    }
    /// The sampling of this training, as it was recorded.
    tracking::SweepRecord samplingOf(const LaunchPlan& training) {
        for (auto& record : m_store.sweeps())
            if (upstreamSweep(record) == training.sweepId) return record;
        ADD_FAILURE() << "no sampling was recorded";
        return {};
    }
    tracking::Run sampled(const SamplingPlan& then, std::size_t i) const {
        return *m_store.run(then.runs[i].id);
    }
    std::int64_t startOf(const std::string& runId) { return m_store.attempts(runId).at(0).startMs; }
    std::int64_t endOf(const std::string& runId) { return m_store.attempts(runId).at(0).endMs; }
    bool everRan(Cluster& cluster, const std::string& runId) {
        return fs::exists(fs::path(cluster.runFolder(runId)) / "attempts.tsv");
    }
};

TEST_F(ThenSampling, EachRunIsSampledWhenItIsTrainedFromItsNewestCheckpoint) {
    trainAndSampleBy("    sleep $((1 + 7 * task))");
    Cluster cluster = connect();
    LaunchPlan training;
    const auto then = launchBoth(cluster, training, kOneClip);
    EXPECT_EQ(then.name, "samples of quick");
    EXPECT_THAT(then.script, HasSubstr("#SBATCH --dependency=aftercorr:"));
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto run = sampled(then, i);
        EXPECT_EQ(run.status, RunStatus::Finished) << run.tags.at(tag::kReason);
        EXPECT_EQ(run.tags.at(tag::kSampledRun), training.runIds[i]) << "recorded as what it is";
        EXPECT_EQ(readFile(fs::path(cluster.runFolder(run.id)) / "sampled-from"),
                  cluster.runFolder(training.runIds[i]) + "\n");
        const auto clips = m_store.clips({run.id});
        ASSERT_EQ(clips.size(), 1u);
        EXPECT_TRUE(fs::exists(clips[0].localPath)) << "it can be watched";
    }
    EXPECT_LT(startOf(then.runs[0].id), endOf(training.runIds[1]))
        << "the first run was sampled while the second still trained";
}

TEST_F(ThenSampling, CancellingTheTrainingCancelsTheSamplingThatWaits) {
    trainAndSampleBy("    sleep 120");
    Cluster cluster = connect();
    LaunchPlan training;
    const auto then = launchBoth(cluster, training, kOneClip);
    Follower follower(cluster, m_store, mirror());
    follow(follower, [&](const FollowReport&) {
        return runOf(training, 0).status == RunStatus::Running && runOf(training, 1).status == RunStatus::Running;
    });
    cancelSweep(cluster, m_store, training.sweepId);
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(runOf(training, i).status, RunStatus::Killed);
        EXPECT_EQ(sampled(then, i).status, RunStatus::Killed);
        EXPECT_FALSE(everRan(cluster, then.runs[i].id));
    }
    EXPECT_EQ(cluster.session().run("squeue -h -o %i | wc -l\n").out, "0\n") << "nothing waits for ever";
}

TEST_F(ThenSampling, ARunThatFailedCostsOnlyItsOwnSampling) {
    trainAndSampleBy("    sleep 1; [ $task = 0 ] && exit 3");
    Cluster cluster = connect();
    LaunchPlan training;
    const auto then = launchBoth(cluster, training, kOneClip);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(training, 0).status, RunStatus::Failed);
    EXPECT_EQ(sampled(then, 0).status, RunStatus::Killed);
    EXPECT_FALSE(everRan(cluster, then.runs[0].id));
    EXPECT_EQ(sampled(then, 1).status, RunStatus::Finished) << sampled(then, 1).tags.at(tag::kReason);
}

TEST_F(ThenSampling, SeveralSettingsOfARunWaitForTheWholeSweep) {
    trainAndSampleBy("    sleep 1");
    Cluster cluster = connect();
    LaunchPlan training;
    const auto then = launchBoth(cluster, training, std::string(kOneClip) + "guidance: [1, 3]\n");
    ASSERT_EQ(then.runs.size(), 4u);
    EXPECT_THAT(then.script, HasSubstr("#SBATCH --dependency=afterok:"));
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_EQ(sampled(then, i).status, RunStatus::Finished) << sampled(then, i).tags.at(tag::kReason);
}

TEST_F(ThenSampling, AClientThatDiesBeforeOrBetweenTheTwoJobsLosesNeither) {
    trainAndSampleBy("    sleep 1");
    Cluster cluster = connect();
    Follower follower(cluster, m_store, mirror());
    for (const int jobs : {0, 1}) {
        LaunchPlan training = plan(cluster, 2);
        ASSERT_NO_FATAL_FAILURE(launchBothAndDieAfter(jobs, training));
        const auto sampling = samplingOf(training);
        EXPECT_EQ(sampling.jobId, "");
        EXPECT_EQ(resumeLaunches(cluster, m_store),
                  jobs == 0 ? (std::vector{training.sweepId, sampling.id}) : std::vector{sampling.id});
        EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
        EXPECT_THAT(
            m_store.sweep(sampling.id)->script,
            HasSubstr("#SBATCH --dependency=aftercorr:" + m_store.sweep(training.sweepId)->jobId + "\n"))
            << "the script that was sent is the one that is kept";
        followToTheEnd(follower);
        for (const auto& entry : sweepRuns(m_store, sampling.id))
            EXPECT_EQ(entry.run.status, RunStatus::Finished) << entry.run.tags.at(tag::kReason);
    }
}

TEST_F(ThenSampling, ATrainingThatSlurmRefusesTakesItsSamplingAlong) {
    Cluster cluster = connect();
    LaunchPlan training = plan(cluster, 2);
    training.script.insert(training.script.find("#SBATCH --nodes"), "#SBATCH --partition=gpuu\n");
    EXPECT_THROW(launchBoth(cluster, training, kOneClip, m_store), Error);
    EXPECT_EQ(runOf(training).status, RunStatus::Failed);
    for (const auto& entry : sweepRuns(m_store, samplingOf(training).id)) {
        EXPECT_EQ(entry.run.status, RunStatus::Killed);
        EXPECT_EQ(entry.run.tags.at(tag::kReason), "The training job that it depends on was not submitted.");
    }
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
}

TEST_F(ThenSampling, WhatIsNotKnownAtLaunchIsRefused) {
    sweep::Sweep adaptive;
    adaptive.name = "searching";
    adaptive.method = "bayes";
    try {
        requireSampleable(adaptive, sweep::parseSamplingFile(kOneClip, "sample.yaml"));
        FAIL() << "its runs are not known";
    } catch (const InputError& error) {
        EXPECT_THAT(error.full(), HasSubstr("chooses its runs adaptively (method bayes)"));
    }
}

}  // namespace
}  // namespace dailies::remote
