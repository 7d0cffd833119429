#include "core/judging/morning_playlist.h"

#include "core/tracking/batch_run.h"
#include "tests/core/judging/judged_store.h"

#include <gmock/gmock.h>

namespace dailies::judging {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class MorningDailies : public JudgedStore {
protected:
    MorningPlaylist read() const { return buildMorningPlaylist(m_store, "ana"); }
};

TEST_F(MorningDailies, HoldTheNewestClipOfEachPromptUntilItIsSeen) {
    MorningPlaylist morning = read();
    ASSERT_THAT(morning.playlist, SizeIs(2));
    EXPECT_EQ(morning.unseen, 4);
    for (const auto& entry : morning.playlist) {
        EXPECT_EQ(entry.clip.step, 200);
        EXPECT_EQ(entry.before->step, 100);
        EXPECT_EQ(entry.reason, Reason::New);
    }
    markSeen(m_store, "ana", {key(200, "cat")}, 7'000);
    morning = read();
    ASSERT_THAT(morning.playlist, SizeIs(1));
    EXPECT_EQ(morning.playlist[0].clip.prompt, "dog");
    markSeen(m_store, "ana", {key(200, "dog")}, 8'000);
    EXPECT_THAT(read().playlist, IsEmpty()) << "older clips are no news";
    EXPECT_THAT(buildMorningPlaylist(m_store, "bo").playlist, SizeIs(2));
}

TEST_F(MorningDailies, ReadOnlyRunsThatHaveNews) {
    const auto other = tracking::aRun("other");
    m_store.createRun(other);
    addClips(other.id, 0.9, 0.9);
    EXPECT_THAT(runsWithUnseenClips(m_store, "ana"), testing::UnorderedElementsAre(m_run.id, other.id));
    markSeen(m_store, "ana", {key(200, "cat")}, 7'000);
    EXPECT_THAT(runsWithUnseenClips(m_store, "ana"), SizeIs(2)) << "the dog is new yet";
    markSeen(m_store, "ana", {key(200, "dog")}, 8'000);
    EXPECT_THAT(runsWithUnseenClips(m_store, "ana"), testing::ElementsAre(other.id))
        << "older clips are no news";
    EXPECT_EQ(unseenClips(m_store, "ana"), 6) << "though they count";
    m_store.deleteRuns({other.id});
    EXPECT_THAT(runsWithUnseenClips(m_store, "ana"), IsEmpty());
    EXPECT_EQ(unseenClips(m_store, "ana"), 2);
}

TEST_F(MorningDailies, LeaveOutTheTrainingDataOfBatches) {
    auto batch = tracking::aRun("batch");
    batch.tags[tracking::tag::kBatchOf] = m_run.id;
    m_store.createRun(batch);
    addClips(batch.id, 0.9, 0.9);
    EXPECT_THAT(runsWithUnseenClips(m_store, "ana"), testing::ElementsAre(m_run.id));
    EXPECT_EQ(unseenClips(m_store, "ana"), 4);
}

TEST_F(MorningDailies, PutRunsWithFailedChecksBeforeRegressionsAndKeepTheClipsOfARunTogether) {
    const auto worse = tracking::aRun("worse"), worst = tracking::aRun("worst");
    for (const auto& [run, now] : {std::pair(worse, 0.7), std::pair(worst, 0.2)}) {
        m_store.createRun(run);
        addClips(run.id, 0.9, now);
    }
    const auto path = pathOf(200, "dog");
    m_store.putFindings({{.runId = m_run.id,
                          .path = path,
                          .localPath = "/clips/" + m_run.id + path,
                          .revision = 1,
                          .findings = {{.check = "black", .severity = 1, .text = "A little dark."},
                                       {.check = "frozen",
                                        .severity = 2,
                                        .firstFrame = 2,
                                        .lastFrame = 7,
                                        .text = "Frozen from frame 3 on."}}}});
    const auto morning = read();
    ASSERT_THAT(morning.playlist, SizeIs(6));
    EXPECT_EQ(morning.playlist[0].reason, Reason::FailedCheck);
    EXPECT_EQ(morning.playlist[0].why, "Frozen from frame 3 on.") << "the worst of what was found";
    EXPECT_EQ(morning.playlist[0].frame, 2);
    EXPECT_EQ(morning.playlist[1].run.id, m_run.id);
    EXPECT_EQ(morning.playlist[1].reason, Reason::New);
    EXPECT_EQ(morning.playlist[2].reason, Reason::Regression);
    EXPECT_EQ(morning.playlist[2].run.name, "worst");
    EXPECT_THAT(morning.playlist[2].why, HasSubstr("from 90 % to 20 % since step 100"));
    EXPECT_EQ(morning.playlist[3].run.name, "worst");
    EXPECT_EQ(morning.playlist[4].run.name, "worse");
    EXPECT_EQ(morning.playlist[5].run.name, "worse");
}

TEST_F(MorningDailies, NoticeThatPeopleLikedTheClipBetterBefore) {
    judge(key(100, "cat"), Stars{5}, "bo");
    judge(key(200, "cat"), Stars{2}, "bo");
    const auto first = read().playlist.front();
    EXPECT_EQ(first.reason, Reason::Regression);
    EXPECT_EQ(first.why, "Rated 2 instead of 5 stars since step 100.");
}

TEST_F(MorningDailies, NoticeThatTheSweepsMetricBecameWorse) {
    tracking::SweepRecord sweep;
    sweep.id = newId();
    sweep.name = "losses";
    sweep.experimentId = m_store.ensureExperiment("moving-shapes");
    sweep.yaml =
        "name: losses\nmethod: grid\nmetric: {name: val/loss, goal: minimize}\n"
        "parameters:\n  optimizer.lr: {values: [0.001]}\n";
    sweep.createdMs = 1000;
    auto run = tracking::aRun("overfits");
    m_store.createSweep(sweep, {run});
    addClips(run.id, 0.5, 0.5);
    m_store.ingest(run.id,
                   {metrics(1, 50, {{"val/loss", 1.0}}), metrics(1, 100, {{"val/loss", 0.2}}),
                    metrics(1, 200, {{"val/loss", 0.6}})},
                   500);
    const auto first = read().playlist.front();
    EXPECT_EQ(first.run.name, "overfits");
    EXPECT_EQ(first.reason, Reason::Regression);
    EXPECT_NEAR(first.severity, 0.5, 1e-9) << "half of the range that it had";
    EXPECT_THAT(first.why, HasSubstr("val/loss went from 0.2 to 0.6"));
}

/// A sweep's run with clips of two prompts at steps 100 and 200, and the metric that the sweep optimises.
class MorningMetric : public MorningDailies {
protected:
    MorningPlaylist readWith(const std::string& metric, const std::vector<std::pair<int, double>>& points) {
        tracking::SweepRecord sweep;
        sweep.id = newId();
        sweep.name = "sweep";
        sweep.experimentId = m_store.ensureExperiment("moving-shapes");
        sweep.yaml = "name: sweep\nmethod: grid\nmetric: {name: " + metric + ", goal: maximize}\n" +
                     "parameters:\n  optimizer.lr: {values: [0.001]}\n";
        sweep.createdMs = 1000;
        const auto run = tracking::aRun("swept");
        m_store.createSweep(sweep, {run});
        addClips(run.id, 0.9, 0.9);
        for (const auto& [step, value] : points)
            m_store.ingest(run.id, {metrics(1, step, {{metric, value}})}, m_seq);
        auto morning = read();
        std::erase_if(morning.playlist, [](const auto& entry) { return entry.run.name != "swept"; });
        return morning;
    }
    static std::vector<std::string> reasonsOf(const MorningPlaylist& morning) {
        std::vector<std::string> reasons;
        for (const auto& entry : morning.playlist) reasons.push_back(entry.why);
        return reasons;
    }
};

TEST_F(MorningMetric, OneShapeOfFortyEightReadWronglyIsNoNews) {
    EXPECT_THAT(reasonsOf(readWith("adherence", {{100, 46 / 48.0}, {200, 45 / 48.0}})),
                testing::ElementsAre("", ""));
}

TEST_F(MorningMetric, ALossWithinTheRunsOwnUpsAndDownsIsNoNews) {
    EXPECT_THAT(reasonsOf(readWith("score/aesthetic",
                                   {{20, 5.0}, {40, 4.6}, {60, 5.1}, {80, 4.7}, {100, 5.2}, {200, 4.7}})),
                testing::ElementsAre("", ""));
}

TEST_F(MorningMetric, ALossBeyondThemIsToldOnceOfTheRun) {
    const auto reasons = reasonsOf(
        readWith("score/aesthetic", {{20, 5.0}, {40, 4.6}, {60, 5.1}, {80, 4.7}, {100, 5.2}, {200, 3.1}}));
    EXPECT_THAT(reasons, testing::ElementsAre("score/aesthetic went from 5.2 to 3.1 since step 100.", ""));
}

TEST_F(MorningMetric, TwoPointsThatHardlyDifferAreNoWholeRange) {
    EXPECT_THAT(reasonsOf(readWith("score/aesthetic", {{100, 5.2}, {200, 5.19}})),
                testing::ElementsAre("", ""));
}

}  // namespace
}  // namespace dailies::judging
