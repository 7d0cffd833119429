#include "core/base/error.h"
#include "core/events/event_log.h"
#include "tests/core/tracking/store_fixture.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

class Ingesting : public StoreTest {
protected:
    Ingesting() { m_store.createRun(m_run); }

    Store m_store{file()};
    tracking::Run m_run = aRun();
};

TEST_F(Ingesting, MetricsArriveWithTheirStepTimeAndOffset) {
    m_store.ingest(m_run.id,
                   {metrics(1, 10, {{"loss", 0.5}, {"lr", 0.01}}), metrics(1, 20, {{"loss", 0.25}})}, 300);
    EXPECT_THAT(m_store.history(m_run.id, "loss"), ElementsAre(MetricPoint{10, 1'700'000'001'000, 0.5},
                                                               MetricPoint{20, 1'700'000'002'000, 0.25}));
    EXPECT_THAT(m_store.metricKeys({m_run.id}), ElementsAre("loss", "lr"));
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 0.25);
    EXPECT_EQ(m_store.ingestState(m_run.id).offset, 300);
    EXPECT_EQ(m_store.ingestState(m_run.id).lastSeq, 2);
}

TEST_F(Ingesting, ReadingTheSameLinesAgainDoublesNothing) {
    const std::vector<events::Event> batch = {at(1, events::Start{"0.1", "node1", 1, "7", 0, Json::object()}),
                                              metrics(1, 10, {{"loss", 0.5}}), clip(1, 10),
                                              at(1, events::Message{"info", "hello"}),
                                              at(1, events::Checkpoint{10, "checkpoints/step-10", 99})};
    for (int again = 0; again < 3; ++again) m_store.ingest(m_run.id, batch, 500);
    m_store.ingest(m_run.id, {batch.begin() + 1, batch.end()}, 400);  // a slower reader of the same file
    EXPECT_THAT(m_store.history(m_run.id, "loss"), SizeIs(1));
    EXPECT_THAT(m_store.messages(m_run.id), SizeIs(1));
    EXPECT_THAT(m_store.clips({m_run.id}), SizeIs(1));
    EXPECT_THAT(m_store.checkpoints(m_run.id), SizeIs(1));
    EXPECT_THAT(m_store.attempts(m_run.id), SizeIs(1));
    EXPECT_EQ(m_store.ingestState(m_run.id).offset, 500);
}

TEST_F(Ingesting, NanAndInfinitiesComeBackAsWhatTheyWere) {
    m_store.ingest(m_run.id,
                   {metrics(1, 1, {{"loss", kNan}}), metrics(1, 2, {{"loss", kInfinity}}),
                    metrics(1, 3, {{"loss", -kInfinity}}), metrics(1, 4, {{"loss", 1e-310}}),
                    metrics(1, 5, {{"loss", kNan}})},
                   1);
    const auto points = m_store.history(m_run.id, "loss");
    ASSERT_THAT(points, SizeIs(5));
    EXPECT_TRUE(std::isnan(points[0].value));
    EXPECT_EQ(points[1].value, kInfinity);
    EXPECT_EQ(points[2].value, -kInfinity);
    EXPECT_EQ(points[3].value, 1e-310);
    EXPECT_TRUE(std::isnan(m_store.run(m_run.id)->metrics.at("loss").value));
}

TEST_F(Ingesting, TheLatestPointIsTheOneOfTheGreatestStepThenTimeThenValue) {
    const auto when = [&](events::Event event, double time) {
        event.time = time;
        return event;
    };
    m_store.ingest(m_run.id,
                   {when(metrics(1, 20, {{"loss", 2.0}}), 50), when(metrics(1, 10, {{"loss", 1.0}}), 60)}, 1);
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 2.0);
    m_store.ingest(m_run.id, {when(metrics(1, 20, {{"loss", 3.0}}), 40)}, 2);
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 2.0);
    m_store.ingest(m_run.id, {when(metrics(1, 20, {{"loss", 1.5}}), 70)}, 3);
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 1.5);
    m_store.ingest(m_run.id, {when(metrics(1, 20, {{"loss", 1.7}}), 70)}, 4);
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 1.7);
}

TEST_F(Ingesting, AResumeRetractsWhatEarlierAttemptsWroteAboveItsStep) {
    m_store.ingest(m_run.id,
                   {metrics(1, 100, {{"loss", 1.0}, {"early", 7.0}}), metrics(1, 200, {{"loss", 0.8}}),
                    clip(1, 200), at(1, events::Checkpoint{200, "checkpoints/step-200", 1}),
                    metrics(1, 300, {{"loss", 0.6}, {"late", 1.0}}), clip(1, 300),
                    at(1, events::Checkpoint{300, "checkpoints/step-300", 1})},
                   1);
    m_store.ingest(m_run.id,
                   {at(2, events::Start{}), at(2, events::Resume{200}), metrics(2, 250, {{"loss", 0.7}})}, 2);
    EXPECT_THAT(steps(m_store.history(m_run.id, "loss")), ElementsAre(100, 200, 250));
    EXPECT_THAT(m_store.history(m_run.id, "late"), IsEmpty());
    EXPECT_THAT(m_store.metricKeys({m_run.id}), ElementsAre("early", "loss"));
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 0.7);
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("early").value, 7.0);
    EXPECT_THAT(m_store.clips({m_run.id}), SizeIs(1));
    EXPECT_THAT(m_store.checkpoints(m_run.id), SizeIs(1));
}

TEST_F(Ingesting, AfterAResumeTheLatestPointIsTheGreatestOfThoseThatRemain) {
    m_store.ingest(m_run.id,
                   {metrics(1, 100, {{"loss", 1.0}}), metrics(1, 200, {{"loss", kNan}}),
                    metrics(1, 300, {{"loss", 0.6}}), at(2, events::Resume{250})},
                   1);
    const auto latest = m_store.run(m_run.id)->metrics.at("loss");
    EXPECT_EQ(latest.step, 200);
    EXPECT_TRUE(std::isnan(latest.value));
}

TEST_F(Ingesting, AResumeFromStepZeroStartsTheCurvesAnew) {
    m_store.ingest(m_run.id, {metrics(1, 10, {{"loss", 1.0}}), clip(1, 10), at(2, events::Resume{0})}, 1);
    EXPECT_THAT(m_store.history(m_run.id, "loss"), IsEmpty());
    EXPECT_THAT(m_store.run(m_run.id)->metrics, IsEmpty());
    EXPECT_THAT(m_store.clips({m_run.id}), IsEmpty());
}

TEST_F(Ingesting, AnAttemptThatBeginsWithoutACheckpointStartsTheCurvesAnew) {
    m_store.ingest(m_run.id,
                   {at(1, events::Start{}), metrics(1, 0, {{"loss", 3.0}}), metrics(1, 10, {{"loss", 2.0}}),
                    clip(1, 10)},
                   1);
    m_store.ingest(m_run.id, {at(2, events::Start{}), at(2, events::Message{"info", "no checkpoint"})}, 2);
    EXPECT_THAT(m_store.history(m_run.id, "loss"), SizeIs(2)) << "it may still resume";
    m_store.ingest(m_run.id, {metrics(2, 5, {{"loss", 2.5}})}, 3);
    m_store.ingest(m_run.id, {metrics(2, 10, {{"loss", 2.2}})}, 4);
    EXPECT_THAT(steps(m_store.history(m_run.id, "loss")), ElementsAre(5, 10));
    EXPECT_THAT(m_store.clips({m_run.id}), IsEmpty());
}

TEST_F(Ingesting, AClipThatIsWrittenAgainIsFetchedAgain) {
    m_store.ingest(m_run.id, {clip(1, 400)}, 1);
    m_store.setClipLocalPath(m_run.id, m_store.clips({m_run.id}).front().path, "/mirror/a.mp4");
    EXPECT_THAT(m_store.clipsToFetch("sandbox"), IsEmpty());
    m_store.ingest(m_run.id, {clip(1, 400)}, 2);
    EXPECT_THAT(m_store.clips({m_run.id}), SizeIs(1));
    EXPECT_THAT(m_store.clipsToFetch("sandbox"), SizeIs(1));
}

TEST_F(Ingesting, TheStartIsTheTrainersAlsoWhenSlurmSaidRunningFirst) {
    m_store.setStatus(m_run.id, RunStatus::Running);
    m_store.ingest(m_run.id, {at(1, events::Start{})}, 1);
    EXPECT_EQ(m_store.run(m_run.id)->startMs, 1'700'000'001'000) << "not the time of its submission";
}

TEST_F(Ingesting, StatusFollowsTheEvents) {
    m_store.setTag(m_run.id, tag::kReason, "Priority");
    m_store.ingest(
        m_run.id,
        {at(1, events::Start{"0.1", "node1", 2, "12_3", 0, {{"parameters", 240'000}, {"device", "cpu"}}})},
        1);
    auto run = *m_store.run(m_run.id);
    EXPECT_EQ(run.status, RunStatus::Running);
    EXPECT_EQ(run.startMs, 1'700'000'001'000) << "the run began when its first attempt did";
    EXPECT_EQ(run.tags.count(tag::kReason), 0u) << "it waits no longer";
    EXPECT_EQ(run.tags.at(tag::kFact + std::string("parameters")), "240000");
    EXPECT_EQ(run.tags.at(tag::kFact + std::string("device")), "cpu");
    ASSERT_THAT(m_store.attempts(m_run.id), SizeIs(1));
    EXPECT_EQ(m_store.attempts(m_run.id)[0].job, "12_3");
    EXPECT_EQ(m_store.attempts(m_run.id)[0].node, "node1");

    m_store.ingest(m_run.id, {at(1, events::End{"stopped", 50, "asked to stop before the time limit"})}, 2);
    EXPECT_EQ(m_store.run(m_run.id)->status, RunStatus::Killed);
    EXPECT_EQ(m_store.run(m_run.id)->tags.at(tag::kReason), "asked to stop before the time limit");

    m_store.ingest(m_run.id, {at(2, events::Start{"0.1", "node2", 2, "12_3", 1, Json::object()})}, 3);
    EXPECT_EQ(m_store.run(m_run.id)->status, RunStatus::Running);
    EXPECT_EQ(m_store.run(m_run.id)->startMs, 1'700'000'001'000);
    EXPECT_FALSE(m_store.run(m_run.id)->endMs);

    m_store.ingest(m_run.id, {at(2, events::End{"failed", 60, "loss is not finite"})}, 4);
    EXPECT_EQ(m_store.run(m_run.id)->status, RunStatus::Failed);
    m_store.ingest(m_run.id, {at(3, events::Start{}), at(3, events::End{"finished", 100, ""})}, 5);
    run = *m_store.run(m_run.id);
    EXPECT_EQ(run.status, RunStatus::Finished);
    EXPECT_EQ(run.endMs, 1'700'000'006'000);
    EXPECT_EQ(run.tags.count(tag::kReason), 0u);
}

TEST_F(Ingesting, ACertificateIsTheNewestAttemptsAndStandsInTagsThatMlflowShowsToo) {
    events::Certificate certificate;
    certificate.proven = true;
    certificate.gradientError = 3e-7;
    certificate.ranks = 2;
    m_store.ingest(m_run.id, {at(1, events::Start{}), at(1, certificate)}, 1);
    auto tags = m_store.run(m_run.id)->tags;
    EXPECT_EQ(tags.at(tag::kCertificate), "proven");
    EXPECT_EQ(events::certificateFromJson(Json::parse(tags.at(tag::kCertificateFacts))), certificate);
    EXPECT_THAT(m_store.messages(m_run.id).back().text, testing::HasSubstr("Layout verified"));

    m_store.ingest(m_run.id, {at(2, events::Start{})}, 2);
    tags = m_store.run(m_run.id)->tags;
    EXPECT_EQ(tags.count(tag::kCertificate), 0u) << "what goes on elsewhere has to be proven again";
    EXPECT_EQ(tags.count(tag::kCertificateFacts), 0u);

    certificate.proven = false;
    certificate.gradientError = kNan;
    m_store.ingest(m_run.id, {at(2, certificate)}, 3);
    tags = m_store.run(m_run.id)->tags;
    EXPECT_EQ(tags.at(tag::kCertificate), "refused");
    EXPECT_TRUE(
        std::isnan(events::certificateFromJson(Json::parse(tags.at(tag::kCertificateFacts))).gradientError));
    EXPECT_EQ(m_store.messages(m_run.id).back().level, "error");
}

TEST_F(Ingesting, MessagesAreInTheOrderOfTheirTimeAndHarmless) {
    m_store.ingest(
        m_run.id,
        {at(1, events::Health{"non_finite", "loss is NaN at step 5", 5}),
         at(1, events::Message{"info", "evil \x1b[31m text"}), at(1, events::End{"failed", 5, "gave up"})},
        1);
    m_store.addMessage({m_run.id, 1'600'000'000'000, "warning", "earlier"});
    const auto messages = m_store.messages(m_run.id);
    ASSERT_THAT(messages, SizeIs(4));
    EXPECT_EQ(messages[0].text, "earlier");
    EXPECT_EQ(messages[1].level, "warning");
    EXPECT_EQ(messages[1].text, "loss is NaN at step 5");
    EXPECT_EQ(messages[2].text, "evil \xe2\x90\x9b[31m text");
    EXPECT_EQ(messages[3].level, "error");
}

TEST_F(Ingesting, WhatIsTailedFromATornFileInPiecesIsTheSameAsTheWholeFile) {
    const auto log = m_folder.path() / "events.jsonl";
    {
        events::EventLogWriter writer(log);
        writer.append(events::Start{"0.1", "node1", 1, "", 0, Json::object()});
        for (int step = 1; step <= 40; ++step)
            writer.append(events::Metrics{step, {{"loss", 1.0 / step}, {"fps", 3.0 * step}}});
    }
    writeFileAtomically(log, readFile(log) + R"({"seq":42,"attempt":1,"ti)");  // the kill
    {
        events::EventLogWriter writer(log);
        writer.append(events::Start{"0.1", "node1", 1, "", 0, Json::object()});
        writer.append(events::Resume{30});
        for (int step = 31; step <= 50; ++step) writer.append(events::Metrics{step, {{"loss", 2.0 / step}}});
    }
    const std::string bytes = readFile(log);
    for (std::size_t visible = 0; visible < bytes.size() + 97; visible += 97) {
        const auto from = static_cast<std::size_t>(m_store.ingestState(m_run.id).offset);
        const auto chunk =
            events::parseChunk(std::string_view(bytes).substr(0, visible).substr(std::min(from, visible)));
        m_store.ingest(m_run.id, chunk.events, static_cast<std::int64_t>(from + chunk.consumed));
    }
    EXPECT_EQ(m_store.ingestState(m_run.id).offset, static_cast<std::int64_t>(bytes.size()));
    const auto loss = m_store.history(m_run.id, "loss");
    ASSERT_THAT(loss, SizeIs(50));
    for (std::size_t i = 0; i < loss.size(); ++i) {
        const auto step = static_cast<double>(i + 1);
        EXPECT_EQ(loss[i].value, (i < 30 ? 1.0 : 2.0) / step);
    }
    EXPECT_THAT(m_store.history(m_run.id, "fps"), SizeIs(30));
}

}  // namespace
}  // namespace dailies::tracking
