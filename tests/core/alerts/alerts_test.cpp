#include "core/alerts/alert_records.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/events/event.h"
#include "core/tracking/imported_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::alerts {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kMinute = 60'000;
constexpr std::int64_t kNow = 1'795'272'000'000;

RunSnapshot running() {
    RunSnapshot run;
    run.runId = "a1";
    run.name = "lr=0.01";
    run.running = true;
    run.startMs = kNow - 600 * kMinute;
    run.lastStep = 900;
    run.lastPointMs = kNow - kMinute;
    run.usualMs = 2000;
    for (int i = 0; i < 40; ++i) run.losses.push_back(2.0 / (1 + i));
    return run;
}

std::vector<Kind> kinds(const RunSnapshot& run) {
    std::vector<Kind> found;
    for (const Alert& alert : evaluateRun(run, {}, kNow)) found.push_back(alert.kind);
    return found;
}

TEST(AlertRules, ARunThatTrainsAsItShouldIsNoNews) {
    EXPECT_THAT(kinds(running()), IsEmpty());
}

TEST(AlertRules, ALossThatIsNoNumberOrFarAboveWhatItWasIsADivergence) {
    RunSnapshot run = running();
    run.losses.push_back(NAN);
    EXPECT_THAT(kinds(run), ElementsAre(Kind::Diverged));
    run.losses.back() = INFINITY;
    EXPECT_THAT(kinds(run), ElementsAre(Kind::Diverged));
    run.losses.back() = 9;
    ASSERT_THAT(kinds(run), ElementsAre(Kind::Diverged));
    EXPECT_THAT(evaluateRun(run, {}, kNow)[0].text, HasSubstr("times its median"));
    run.losses.back() = 1.5;
    EXPECT_THAT(kinds(run), IsEmpty()) << "it has been as high at its beginning";
    run.losses = {1, 100};
    EXPECT_THAT(kinds(run), IsEmpty()) << "nobody knows yet what is usual";
}

TEST(AlertRules, ARunWithoutANewStepForLongIsStuckButASlowOneIsNot) {
    RunSnapshot run = running();
    run.lastPointMs = kNow - 20 * kMinute;
    ASSERT_THAT(kinds(run), ElementsAre(Kind::Stuck));
    EXPECT_THAT(evaluateRun(run, {}, kNow)[0].text, HasSubstr("step 900"));
    run.usualMs = 2 * kMinute;
    EXPECT_THAT(kinds(run), IsEmpty());
    run = running();
    run.lastStep = run.lastPointMs = run.usualMs = 0;
    run.losses.clear();
    run.startMs = kNow - 30 * kMinute;
    EXPECT_THAT(kinds(run), IsEmpty()) << "it may still build or load";
    run.startMs = kNow - 50 * kMinute;
    EXPECT_THAT(kinds(run), ElementsAre(Kind::Stuck));
}

TEST(AlertRules, ARunWhoseDevicesWaitForMuchOfEachStepIsToldOfOnceItHasWarmedUp) {
    RunSnapshot run = running();
    run.dataWait = 0.62;
    ASSERT_THAT(kinds(run), ElementsAre(Kind::Idle));
    EXPECT_THAT(evaluateRun(run, {}, kNow)[0].text, HasSubstr("62 %"));
    EXPECT_THAT(evaluateRun(run, {}, kNow)[0].text, HasSubstr("data.workers"));
    run.startMs = run.lastPointMs - 5 * kMinute;
    EXPECT_THAT(kinds(run), IsEmpty());
    run = running();
    run.rankWait = 0.5;
    EXPECT_THAT(evaluateRun(run, {}, kNow)[0].text,
                HasSubstr("spends 50 % of each step waiting for other ranks"));
    run.rankWait = 0.3;
    EXPECT_THAT(kinds(run), IsEmpty()) << "some waiting is usual";
}

TEST(AlertRules, TheSameOccurrenceHasTheSameKeyAndAnotherOneAnother) {
    RunSnapshot run = running();
    run.lastPointMs = kNow - 20 * kMinute;
    const std::string key = evaluateRun(run, {}, kNow)[0].key;
    EXPECT_EQ(evaluateRun(run, {}, kNow + kMinute)[0].key, key);
    run.lastStep = 901;
    EXPECT_NE(evaluateRun(run, {}, kNow)[0].key, key);
}

TEST(AlertRules, AnEndIsToldWithItsReason) {
    RunSnapshot run = running();
    run.running = false;
    run.failed = true;
    run.reason = "Its memory ran out.";
    const auto alerts = evaluateRun(run, {}, kNow);
    ASSERT_EQ(alerts.size(), 1u);
    EXPECT_EQ(alerts[0].title, "lr=0.01 failed");
    EXPECT_EQ(alerts[0].text, "Its memory ran out.");
}

TEST(AlertRules, AFullFileSystemIsToldOnceADay) {
    EXPECT_FALSE(evaluateDisk("lab", 0.9, "", {}, kNow));
    EXPECT_FALSE(evaluateDisk("lab", NAN, "", {}, kNow));
    const auto alert = evaluateDisk("lab", 0.96, "4 GiB are free.", {}, kNow);
    ASSERT_TRUE(alert);
    EXPECT_EQ(alert->key, evaluateDisk("lab", 0.97, "", {}, kNow + kMinute)->key);
    EXPECT_NE(alert->key, evaluateDisk("lab", 0.97, "", {}, kNow + 24 * 60 * kMinute)->key);
}

class AlertRecords : public testing::Test {
protected:
    std::string addRun(tracking::RunStatus status, std::optional<std::int64_t> endMs = std::nullopt) {
        tracking::Run run;
        run.id = newId();
        run.name = "run";
        run.experimentId = m_store.ensureExperiment("e");
        run.status = tracking::RunStatus::Running;
        run.startMs = unixMillis() - kMinute;
        m_store.createRun(run);
        m_store.setStatus(run.id, status, endMs);
        return run.id;
    }
    TemporaryFolder m_folder;
    tracking::Store m_store{m_folder.path() / "dailies.db"};
};

TEST_F(AlertRecords, EachIsRaisedOnceAndStaysUntilItIsAcknowledged) {
    const std::int64_t later = unixMillis() + 5000;
    addRun(tracking::RunStatus::Failed, later);
    addRun(tracking::RunStatus::Failed, later + 1);
    addRun(tracking::RunStatus::Killed, later);
    addRun(tracking::RunStatus::Running);
    EXPECT_EQ(collectNewAlerts(m_store, {}, later).size(), 2u);
    EXPECT_THAT(collectNewAlerts(m_store, {}, later + kMinute), IsEmpty());
    auto kept = recent(m_store, 10);
    ASSERT_EQ(kept.size(), 2u);
    EXPECT_EQ(kept[0].kind, Kind::Failed);
    EXPECT_FALSE(kept[0].acknowledged);
    acknowledge(m_store, {kept[0].key});
    kept = recent(m_store, 10);
    EXPECT_TRUE(kept[0].acknowledged);
    EXPECT_FALSE(kept[1].acknowledged);
    acknowledgeAll(m_store);
    EXPECT_TRUE(recent(m_store, 10)[1].acknowledged);
    const tracking::Store reader(m_store.file(), tracking::Store::Mode::ReadOnly);
    EXPECT_EQ(recent(reader, 1).size(), 1u);
}

TEST_F(AlertRecords, ARunThatFinishedIsToldOnceAndIsNoAlert) {
    const std::int64_t later = unixMillis() + 5000;
    addRun(tracking::RunStatus::Finished, later);
    const auto told = collectNewAlerts(m_store, {}, later);
    ASSERT_EQ(told.size(), 1u);
    EXPECT_EQ(told[0].kind, Kind::Finished);
    EXPECT_FALSE(needsAttention(told[0].kind));
    EXPECT_THAT(collectNewAlerts(m_store, {}, later + kMinute), IsEmpty());
    EXPECT_THAT(recent(m_store, 10), IsEmpty());
}

TEST_F(AlertRecords, WhatEndedBeforeAlertsWereKeptIsHistory) {
    addRun(tracking::RunStatus::Failed, unixMillis() - 24 * 60 * kMinute);
    EXPECT_THAT(collectNewAlerts(m_store, {}, unixMillis()), IsEmpty());
}

TEST_F(AlertRecords, ImportedRunsAreNoNews) {
    const std::int64_t later = unixMillis() + 5000;
    for (const auto status :
         {tracking::RunStatus::Finished, tracking::RunStatus::Failed, tracking::RunStatus::Running}) {
        const std::string id = addRun(status, later);
        m_store.setTag(id, tracking::tag::kImportedFrom, "/home/me/runs.csv");
    }
    EXPECT_THAT(collectNewAlerts(m_store, {}, later + 24 * 60 * kMinute), IsEmpty())
        << "not even of one that stands still";
}

TEST_F(AlertRecords, ALossThatBecameNaNIsSeenInTheStore) {
    const std::string id = addRun(tracking::RunStatus::Running);
    std::vector<events::Event> events;
    for (int step = 1; step <= 30; ++step)
        events.push_back({step, 1, static_cast<double>(unixMillis()) / 1000,
                          events::Metrics{step, {{"loss", step < 30 ? 1.0 / step : NAN}}}});
    m_store.ingest(id, events, 1000);
    const auto raised = collectNewAlerts(m_store, {}, unixMillis());
    ASSERT_EQ(raised.size(), 1u);
    EXPECT_EQ(raised[0].kind, Kind::Diverged);
    EXPECT_EQ(raised[0].runId, id);
    EXPECT_THAT(collectNewAlerts(m_store, {}, unixMillis()), IsEmpty());
}

TEST_F(AlertRecords, ARunThatBeganToWaitForItsDataIsSeenInTheStore) {
    const std::string id = addRun(tracking::RunStatus::Running);
    const double begin = static_cast<double>(unixMillis()) / 1000;
    std::vector<events::Event> events;
    for (int step = 1; step <= 200; ++step)
        events.push_back(
            {step, 1, begin + 10 * step,
             events::Metrics{
                 step,
                 {{"data_wait", step <= 100 ? 0.01 : 0.7}, {"step_seconds", 2.0}, {"time/reduce", 0.1}}}});
    m_store.ingest(id, events, 1000);
    const auto raised = collectNewAlerts(m_store, {}, unixMillis() + 2000 * 1000);
    ASSERT_EQ(raised.size(), 1u);
    EXPECT_EQ(raised[0].kind, Kind::Idle);
    EXPECT_THAT(raised[0].text, HasSubstr("70 %")) << "what it did at its beginning does not count";
}

TEST_F(AlertRecords, ARunThatGoesOnAfterAPauseDidNotStandStillMeanwhile) {
    const std::string id = addRun(tracking::RunStatus::Running);
    const std::int64_t now = unixMillis() + 24 * 60 * kMinute;
    m_store.ingest(
        id, {{1, 1, static_cast<double>(unixMillis()) / 1000, events::Metrics{10, {{"loss", 0.5}}}}}, 100);
    m_store.putAttempt({id, "7_0", 0, "COMPLETED", "", "0:0", "n1", unixMillis() - kMinute, unixMillis()});
    m_store.putAttempt({id, "9_0", 0, "RUNNING", "", "", "n1", now - kMinute, 0});
    EXPECT_THAT(collectNewAlerts(m_store, {}, now), IsEmpty());
    EXPECT_EQ(collectNewAlerts(m_store, {}, now + 24 * 60 * kMinute).size(), 1u) << "now it does";
}

}  // namespace
}  // namespace dailies::alerts
