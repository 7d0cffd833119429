#include "remote/launch/scoring_launch.h"

#include "core/config/scoring_job.h"
#include "core/tracking/scored_run.h"
#include "remote/launch/extend.h"
#include "remote/launch/source_runs.h"
#include "remote/service/scoring_service.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

/// A run with two clips on the sandbox, made and scored by a script that does as dailies-train does.
class Scoring : public SandboxTest {
protected:
    Scoring() {
        trainer(
            "if [ \"$1\" = train ]; then\n"
            "    for step in 5 9; do\n"
            "        emit "
            "\"\\\"type\\\":\\\"clip\\\",\\\"step\\\":$step,\\\"prompt\\\":\\\"cat\\\",\\\"seed\\\":1,"
            "\\\"path\\\":\\\"clips/$step.mp4\\\",\\\"frames\\\":2,\\\"height\\\":32,\\\"width\\\":32,"
            "\\\"fps\\\":8\"\n"
            "    done\n"
            "elif [ \"$1\" = score ]; then\n"
            "    value() { sed -nE \"s/.*\\\"$1\\\": \\\"([^\\\"]*)\\\".*/\\1/p\" \"$2\"; }\n"
            "    test -s \"$(value scorer \"$3\")\" || exit 9\n"
            "    source=$(basename \"$(value run_folder \"$3\")\")\n"
            "    score() { emit "
            "\"\\\"type\\\":\\\"score\\\",\\\"run\\\":\\\"$source\\\",\\\"step\\\":$1,\\\"path\\\":"
            "\\\"clips/$1.mp4\\\",\\\"scorer\\\":\\\"$(value name \"$3\")\\\",\\\"values\\\":"
            "{\\\"score/$(value name \"$3\")\\\":$2}\"; }\n"
            "    score 5 0.5 \"$3\"; score 9 0.75 \"$3\"\n"
            "fi\nfinish");
        writeFileAtomically(scorer(), "PK the weights of a scorer");
    }

    fs::path scorer() const { return m_files.path() / "aesthetic.pt"; }

    std::string trainedRun(Cluster& cluster) {
        const LaunchPlan sent = plan(cluster);
        launch(cluster, sent, m_store);
        Follower follower(cluster, m_store, mirror());
        follow(follower, [&](const FollowReport&) { return runOf(sent).status == RunStatus::Finished; });
        return sent.runIds.front();
    }

    ScoringPlan planned(Cluster& cluster, const ScoringRequest& wanted) {
        return planScoring(m_store, wanted, uploadScorer(cluster, wanted.scorer), s_profile,
                           cluster.workspace(), {"test", (m_files.path() / "trainer").string()});
    }
    ScoringRequest request(const std::string& runId) const {
        ScoringRequest wanted;
        wanted.runIds = {runId};
        wanted.scorer = scorer();
        wanted.resources = singleProcessResources(m_store, wanted.runIds);
        return wanted;
    }
    void followScoring(Cluster& cluster, const ScoringPlan& scoring) {
        Follower follower(cluster, m_store, mirror());
        follow(follower, [&](const FollowReport& report) {
            m_changed.insert(report.changedRuns.begin(), report.changedRuns.end());
            return !tracking::isActive(m_store.run(scoring.runs[0].id)->status);
        });
    }

    std::set<std::string> m_changed;  ///< what a window would be told of while it follows
};

TEST_F(Scoring, BringsScoresAsMetricsOfTheRunWhoseClipsTheyAreOf) {
    Cluster cluster = connect();
    const auto source = trainedRun(cluster);
    const auto scoring = planned(cluster, request(source));
    EXPECT_EQ(scoring.clips, 2);
    EXPECT_EQ(scoring.name, "aesthetic of quick");
    launchScoring(cluster, scoring, m_store);
    followScoring(cluster, scoring);
    const auto ended = *m_store.run(scoring.runs[0].id);
    EXPECT_EQ(ended.status, RunStatus::Finished);
    EXPECT_EQ(ended.tags.at(tag::kScoredRun), source);
    EXPECT_EQ(m_store.run(source)->metrics.at("score/aesthetic").value, 0.75);
    EXPECT_EQ(m_store.history(source, "score/aesthetic").size(), 2u);
    EXPECT_TRUE(m_changed.contains(source)) << "its curves are read again";
    EXPECT_EQ(m_store.scores({source}).front().path, "clips/5.mp4");
    EXPECT_THROW(extendRun(cluster, m_store, scoring.runs[0].id, 100), InputError);
}

TEST_F(Scoring, FindsNothingToDoOnceTheSameModuleHasScoredEveryClip) {
    Cluster cluster = connect();
    const auto source = trainedRun(cluster);
    EXPECT_EQ(alreadyScoredClips(m_store, request(source)), std::nullopt);
    const auto scoring = planned(cluster, request(source));
    launchScoring(cluster, scoring, m_store);
    EXPECT_EQ(alreadyScoredClips(m_store, request(source)), std::nullopt) << "it is under way";
    followScoring(cluster, scoring);
    EXPECT_EQ(alreadyScoredClips(m_store, request(source)), 2);
    EXPECT_EQ(nothingToScore(m_store, request(source)),
              "All 2 clips have been scored by aesthetic; nothing to do.");
    auto against = request(source);
    against.reference = "/data/real";
    EXPECT_EQ(alreadyScoredClips(m_store, against), std::nullopt) << "the distance to these is not known";
    writeFileAtomically(scorer(), "PK other weights");
    EXPECT_EQ(alreadyScoredClips(m_store, request(source)), std::nullopt) << "it judges otherwise";
}

TEST_F(Scoring, AClientThatDiesBeforeSbatchIsMadeGoodByTheNext) {
    Cluster cluster = connect();
    const auto scoring = planned(cluster, request(trainedRun(cluster)));
    ASSERT_NO_FATAL_FAILURE(
        dieBeforeSbatch([&](Cluster& own, tracking::Store& store, const Progress& progress) {
            launchScoring(own, scoring, store, progress);
        }));
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{scoring.id});
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
    followScoring(cluster, scoring);
    EXPECT_EQ(m_store.run(scoring.runs[0].id)->status, RunStatus::Finished);
}

TEST_F(Scoring, AScorerIsSentOnceWhateverItsFileIsCalled) {
    Cluster cluster = connect();
    const auto first = uploadScorer(cluster, scorer());
    EXPECT_EQ(readFile(first), readFile(scorer()));
    const auto written = fs::last_write_time(first);
    fs::rename(scorer(), m_files.path() / "other.pt");
    EXPECT_EQ(uploadScorer(cluster, m_files.path() / "other.pt"), first);
    EXPECT_EQ(fs::last_write_time(first), written);
    writeFileAtomically(scorer(), "PK other weights");
    EXPECT_NE(uploadScorer(cluster, scorer()), first);
}

TEST_F(Scoring, RefusesWhatCannotBeScoredBeforeAnythingIsSent) {
    Cluster cluster = connect();
    const auto refusal = [&](const ScoringRequest& wanted) {
        try {
            planned(cluster, wanted);
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string("planned");
    };
    tracking::Run fresh;
    fresh.id = "0123456789abcdef0123456789abcdef";
    fresh.name = "fresh";
    fresh.experiment = "tests";
    fresh.tags = {{tag::kFolder, "/runs/fresh"}, {tag::kCluster, s_profile.name}};
    m_store.createRun(fresh);
    EXPECT_THAT(refusal(request(fresh.id)), HasSubstr("Run 'fresh' has no clip yet."));
    auto nobody = request(fresh.id);
    nobody.runIds = {};
    EXPECT_THAT(refusal(nobody), HasSubstr("No run was chosen to score."));
    auto named = request(fresh.id);
    named.name = "a/b";
    EXPECT_THAT(refusal(named), HasSubstr("letters, digits"));
    writeFileAtomically(scorer(), "weights");
    EXPECT_THAT(refusal(request(fresh.id)), HasSubstr("is not a TorchScript module"));
    fs::remove(scorer());
    EXPECT_THAT(refusal(request(fresh.id)), HasSubstr("There is no file"));
}

}  // namespace
}  // namespace dailies::remote
