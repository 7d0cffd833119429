#include "ui/run_details/run_facts.h"

#include "core/tracking/sample_counts.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/scored_run.h"
#include "ui/run_details/fact_list.h"
#include "ui/run_page/attempt_timeline.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QTest>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr std::int64_t kNow = 1'700'000, kHour = 3'600'000;

RunRecords requeued() {
    RunRecords records;
    tracking::Run run;
    run.id = std::string(32, 'a');
    run.status = tracking::RunStatus::Running;
    run.startMs = 1'000'000;
    run.params = {{"steps", "1000"}};
    run.metrics = {{"loss", {600, 1'700'000, 0.5}}};
    run.tags = {{tracking::tag::kCluster, "lab"}};
    records.run = run;
    records.launchedMs = 900'000;
    tracking::Attempt first;
    first.job = "42_0";
    first.state = "PREEMPTED";
    first.node = "node1";
    first.exitCode = "0:9";
    first.startMs = 1'000'000;
    first.endMs = 1'200'000;
    tracking::Attempt second = first;
    second.restarts = 1;
    second.state = "RUNNING";
    second.exitCode.clear();
    second.startMs = 1'300'000;
    second.endMs = 0;
    records.attempts = {first, second};
    records.restarts = {{.attempt = 2, .fromStep = 200, .timeMs = 1'300'000}};
    return records;
}

QString valueOf(const FactGroup& group, const QString& name) {
    for (const auto& fact : group.facts)
        if (fact.name == name) return fact.value;
    return {};
}

TEST(RunFacts, CompareWhatWasPredictedWithWhatIsMeasured) {
    auto records = requeued();
    EXPECT_TRUE(predictionFacts(records).facts.empty()) << "nothing was predicted";
    auto run = *records.run;
    run.tags["dailies.predicted.tokens_per_second"] = "12000";
    run.tags["dailies.predicted.memory_bytes"] = std::to_string(std::int64_t{3} << 29);
    records.run = run;
    EXPECT_EQ(valueOf(predictionFacts(records), "Tokens per second"), "12,000");
    run.metrics["tokens_per_second"] = {600, 1'700'000, 11'400};
    run.metrics["memory_gib"] = {600, 1'700'000, 1.8};
    records.run = run;
    EXPECT_EQ(valueOf(predictionFacts(records), "Tokens per second"),
              "12,000, measured 11,400 (0.95\u00a0×)");
    EXPECT_EQ(valueOf(predictionFacts(records), "Memory per rank"),
              "1.5 GiB, measured 1.8 GiB (1.20\u00a0×)");
}

TEST(RunFacts, TellWhatBecameOfEachAttemptInWordsNewestFirst) {
    const auto groups = attemptFacts(requeued(), 1'700'000);
    ASSERT_EQ(groups.size(), 2u);
    EXPECT_EQ(groups[0].title, "Attempt 2 · Running");
    EXPECT_EQ(valueOf(groups[0], "Resumed from"), "the checkpoint at step 200");
    EXPECT_EQ(groups[1].title, "Attempt 1 · Preempted");
    EXPECT_TRUE(valueOf(groups[1], "What happened").contains("preempted"));
    EXPECT_EQ(valueOf(groups[1], "Exit"), "signal 9 (SIGKILL)");
    EXPECT_EQ(valueOf(groups[1], "Duration"), "3 min 20 s");
}

TEST(RunFacts, MeasureTheSpeedOfTheNewestAttemptAndWhatIsLeft) {
    const Pace pace = paceOf(requeued());
    EXPECT_EQ(pace.step, 600);
    EXPECT_DOUBLE_EQ(pace.stepsPerSecond, 1.0);
    ASSERT_TRUE(pace.etaMs);
    EXPECT_EQ(*pace.etaMs, 400'000);
}

TEST(RunFacts, MeasureTheSpeedByWhatTrainingLoggedNotByWhatWasSaidOfTheClipsLater) {
    auto records = requeued();
    records.run->metrics["score/beauty"] = {600, 2'700'000, 0.5};
    records.run->metrics["review/rating"] = {600, 2'800'000, 4};
    EXPECT_DOUBLE_EQ(paceOf(records).stepsPerSecond, 1.0);
    records.run->metrics["step_seconds"] = {500, 1'450'000, 0.5};
    EXPECT_DOUBLE_EQ(paceOf(records).stepsPerSecond, 2.0) << "what training itself says of its steps";
    EXPECT_EQ(lastSeenMs(records), 2'800'000) << "a score is a sign of life all the same";
}

TEST(RunFacts, TellTheTrainingTimeOfARunThatPausedAndItsWallTimeInATooltip) {
    auto records = requeued();
    EXPECT_EQ(valueOf(timingFacts(records, kNow), "Duration"), "11 min 40 s");
    records.run->pausedMs = 100'000;
    EXPECT_EQ(valueOf(timingFacts(records, kNow), "Duration"), "10 min 00 s");
    FactList list;
    list.setGroups({timingFacts(records, kNow)});
    QStringList tips;
    for (const auto* label : list.findChildren<QLabel*>()) tips << label->toolTip();
    EXPECT_TRUE(tips.contains("Training time. Wall time: 11 min 40 s")) << tips.join("|").toStdString();
}

TEST(RunFacts, ShowNumbersWithTheDigitsThatAPersonReads) {
    auto records = requeued();
    records.run->tags[tracking::tag::kFact + std::string("parameters")] = "195840";
    records.run->tags[tracking::tag::kFact + std::string("planned_memory_gib")] = "0.18735218048095703";
    records.run->tags[tracking::tag::kFact + std::string("torch")] = "2.13.0";
    records.run->tags[tracking::tag::kFact + std::string("threads")] = "2";
    records.run->tags[tracking::tag::kFact + std::string("build")] = "0123456";
    const auto facts = trainerFacts(records);
    EXPECT_EQ(valueOf(facts, "parameters"), "195,840");
    EXPECT_EQ(valueOf(facts, "planned_memory_gib"), "0.1874");
    EXPECT_EQ(valueOf(facts, "torch"), "2.13.0") << "a version is not a number";
    EXPECT_EQ(valueOf(facts, "threads"), "2");
    EXPECT_EQ(valueOf(facts, "build"), "0123456") << "nor is a name";
    records.run->metrics = {{"loss", {12'600, 1'700'000, 0.7705106735229492}},
                            {"val/loss", {12'000, 1'700'000, 0.81}}};
    const auto metrics = metricFacts(*records.run, 3);
    EXPECT_EQ(metrics.title, "Metrics at step 12,600");
    EXPECT_EQ(valueOf(metrics, "loss"), "0.7705");
    EXPECT_EQ(valueOf(metrics, "val/loss"), "0.81  at step 12,000") << "of another step than the rest";
}

TEST(RunFacts, NameTheSourcesOfAProgramOfTheUsersOwnAndHowLateTheyAre) {
    RunRecords records;
    records.run.emplace();
    EXPECT_TRUE(sourceFacts(records).facts.empty()) << "dailies-train";
    records.run->tags[tracking::tag::kProgram] = "train.py";
    records.run->status = tracking::RunStatus::Running;
    const auto none = sourceFacts(records);
    ASSERT_EQ(none.facts.size(), 1u);
    EXPECT_EQ(none.facts[0].name, "None yet");
    EXPECT_TRUE(none.facts[0].value.contains("TensorBoard, W&B"));

    records.sources["tb/events.out.tfevents.1"].offset = 1000;
    records.sources["tb/events.out.tfevents.2"].offset = 500;
    records.sources["logs/1_0.out"] = {.offset = 10, .stopped = true};
    records.sources["samples/a_step_10.mp4"].offset = 2'000'000;
    records.tellsEvents = true;
    const auto found = sourceFacts(records);
    ASSERT_EQ(found.facts.size(), 4u);
    EXPECT_EQ(found.facts[0].name, "dailies.py");
    EXPECT_EQ(found.facts[1].name, "Output");
    EXPECT_EQ(found.facts[1].value, "1 file, not read: another source logs its metrics.");
    EXPECT_EQ(found.facts[2].name, "TensorBoard");
    EXPECT_TRUE(found.facts[2].value.startsWith("2 files, 1.5 kB. PyTorch's and"))
        << found.facts[2].value.toStdString();
    EXPECT_TRUE(found.facts[2].tip.contains("tb/events.out.tfevents.2"));
    EXPECT_EQ(found.facts[3].value, "1 file, 2.0 MB.");

    records.run->tags[tracking::tag::kSamples] = tracking::toTag({.sampled = 3, .failed = 1, .waiting = 2});
    EXPECT_EQ(valueOf(sourceFacts(records), "Checkpoints"), "3 sampled, 2 waiting, 1 failed");
}

TEST(RunFacts, TellTheRunsOwnEndWhereSlurmHasForgottenItsJob) {
    auto records = requeued();
    records.run->status = tracking::RunStatus::Finished;
    records.run->tags[tracking::tag::kSlurmState] = "LOST";
    records.attempts.back().state = "LOST";
    EXPECT_EQ(valueOf(machineFacts(records), "Slurm state"), "no longer known to Slurm; the run finished");
    EXPECT_EQ(attemptFacts(records, kNow).front().title, "Attempt 2 · Finished");
    records.run->status = tracking::RunStatus::Failed;
    EXPECT_EQ(valueOf(machineFacts(records), "Slurm state"), "LOST");
    EXPECT_EQ(attemptFacts(records, kNow).front().title, "Attempt 2 · Lost");
}

TEST(FactList, AClickOnAPathCopiesTheWholeOfItHoweverLittleIsShown) {
    const QString path = QStringLiteral("/scratch/somebody/dailies/runs/0123456789abcdef0123456789abcdef");
    FactList list;
    list.setGroups({{.facts = {{QStringLiteral("Folder"), path, true, true}}}});
    list.resize(260, 40);
    list.show();
    QLabel* shown = nullptr;
    for (auto* label : list.findChildren<QLabel*>())
        if (label->accessibleName() == path) shown = label;
    ASSERT_NE(shown, nullptr);
    EXPECT_TRUE(shown->text().startsWith("/scr") && shown->text().endsWith("def"))
        << qPrintable(shown->text());
    EXPECT_TRUE(shown->text().contains(QChar(0x2026)));
    EXPECT_TRUE(shown->toolTip().startsWith(path));
    QTest::mouseClick(shown, Qt::LeftButton);
    EXPECT_EQ(QApplication::clipboard()->text(), path);
}

TEST(RunFacts, SayHowOldTheyAreWhileTheClusterIsNotConnected) {
    auto records = requeued();
    EXPECT_TRUE(freshnessText(records, "", kNow).contains("not connected to lab"));
    EXPECT_TRUE(freshnessText(records, "another", kNow).contains("not connected to lab"));
    EXPECT_EQ(freshnessText(records, "lab", kNow), "");
    records.run->status = tracking::RunStatus::Finished;
    EXPECT_EQ(freshnessText(records, "", kNow), "");
}

TEST(RunFacts, TellOfARunThatNobodyFollowsWhenItHasLoggedNothingForAnHour) {
    auto records = requeued();
    records.run->tags.clear();
    const std::int64_t later = kNow + kHour + 1;
    EXPECT_EQ(freshnessText(records, "", kNow + kHour), "") << "it may log once an hour";
    EXPECT_TRUE(freshnessText(records, "", later).startsWith("no updates since "));
    EXPECT_EQ(knownUntilMs(records, "", later), kNow) << "its time stands still";
    records.run->status = tracking::RunStatus::Finished;
    EXPECT_EQ(freshnessText(records, "", later), "");
}

TEST(RunFacts, ExplainExitCodesAndSignals) {
    EXPECT_EQ(exitText(""), "");
    EXPECT_EQ(exitText("0:0"), "");
    EXPECT_EQ(exitText("1:0"), "exit code 1");
    EXPECT_EQ(exitText("137:0"), "signal 9 (SIGKILL)");
    EXPECT_EQ(exitText("0:15"), "signal 15 (SIGTERM)");
}

TEST(AttemptTimeline, ShowsWaitingAndRunningWithoutGaps) {
    using Kind = AttemptTimeline::Span::Kind;
    const auto spans = timelineOf(requeued(), 1'700'000);
    std::vector<Kind> kinds;
    for (const auto& span : spans) kinds.push_back(span.kind);
    EXPECT_EQ(kinds, (std::vector{Kind::Waiting, Kind::Failed, Kind::Waiting, Kind::Running}));
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_EQ(spans[i].fromMs, spans[i - 1].toMs);
    EXPECT_EQ(spans.front().fromMs, 900'000);
    EXPECT_EQ(spans.back().toMs, 1'700'000);
}

TEST(RunFacts, AJobThatSamplesOrScoresHasNoTrainingSpeed) {
    for (const char* of : {tracking::tag::kSampledRun, tracking::tag::kScoredRun}) {
        auto records = requeued();
        records.restarts.clear();
        records.run->tags[of] = std::string(32, 'b');
        records.run->metrics = {{"adherence", {7'210, 1'001'000, 0.5}}};
        EXPECT_EQ(valueOf(timingFacts(records, kNow), "Speed"), "") << of;
        EXPECT_EQ(valueOf(timingFacts(records, kNow), "Time left"), "");
        EXPECT_FALSE(progressText(records).contains("steps/s")) << progressText(records).toStdString();
        EXPECT_EQ(valueOf(timingFacts(records, kNow), "Duration"), "11 min 40 s") << "it takes its time";
    }
}

}  // namespace
}  // namespace dailies::ui
