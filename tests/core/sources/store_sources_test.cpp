#include "core/base/error.h"
#include "core/sources/registry.h"
#include "core/tracking/database.h"
#include "tests/core/exchange/tracker_files.h"
#include "tests/core/sources/source_fixture.h"
#include "tests/core/tracking/store_fixture.h"

namespace dailies::sources {
namespace {

using exchange::event;
using exchange::scalarEvent;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using tracking::MetricPoint;
using tracking::Store;

class StoreSources : public tracking::StoreTest {
protected:
    StoreSources() { m_store.createRun(m_run); }

    tracking::SourceBatch batch(const std::string& path, const std::string& content,
                                std::int64_t attempt = 1) {
        const auto cursors = m_store.sourceCursors(m_run.id);
        const auto known = cursors.find(path);
        const Cursor from = known == cursors.end() ? Cursor{} : known->second;
        auto reading = tensorBoard().read(
            {.path = path,
             .bytes = std::string_view(content).substr(static_cast<std::size_t>(from.offset)),
             .fileSize = static_cast<std::int64_t>(content.size()),
             .readMs = kReadMs},
            from);
        reading.next.attempt = attempt;
        return {std::string(tensorBoard().name()), path, from, reading.next, std::move(reading.findings)};
    }

    std::vector<double> values(const std::string& key) {
        std::vector<double> found;
        for (const auto& point : m_store.history(m_run.id, key)) found.push_back(point.value);
        return found;
    }

    Store m_store{file()};
    tracking::Run m_run = tracking::aRun();
};

const std::string kStoredEvents = "logs/events.out.tfevents.1.host";

std::string storedStart(std::int64_t step) {
    return event(step, [](tensorboard::Event& message) {
        message.mutable_session_log()->set_status(tensorboard::SessionLog::START);
    });
}

TEST_F(StoreSources, PointsStandWhereMlflowReadsThemAndTheCursorWithThem) {
    const auto content =
        scalarEvent(1, "loss", 0.5F) + scalarEvent(2, "loss", NAN) + scalarEvent(3, "loss", 0.25F);
    EXPECT_TRUE(m_store.ingestSource(m_run.id, batch(kStoredEvents, content)));
    EXPECT_THAT(values("loss"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN), 0.25));
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss"), (MetricPoint{3, 1'700'000'003'000, 0.25}));
    EXPECT_THAT(m_store.metricKeys({m_run.id}), ElementsAre("loss"));
    const auto cursors = m_store.sourceCursors(m_run.id);
    ASSERT_THAT(cursors, SizeIs(1));
    EXPECT_EQ(cursors.at(kStoredEvents).offset, static_cast<std::int64_t>(content.size()));
    const auto rows = m_store.database().read([](SQLite::Database& db) {
        return db.execAndGet("SELECT COUNT(*) FROM metrics WHERE \"key\" = 'loss'").getInt();
    });
    EXPECT_EQ(rows, 3);
}

TEST_F(StoreSources, TheSameBytesFromTheOldCursorAddNothing) {
    const auto content = scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2);
    const auto first = batch(kStoredEvents, content.substr(0, content.size() - 5));
    const auto slower = batch(kStoredEvents, content);
    EXPECT_TRUE(m_store.ingestSource(m_run.id, first));
    EXPECT_FALSE(m_store.ingestSource(m_run.id, first));
    EXPECT_FALSE(m_store.ingestSource(m_run.id, slower)) << "another program began at the same place";
    EXPECT_THAT(values("loss"), ElementsAre(1));
    EXPECT_TRUE(m_store.ingestSource(m_run.id, batch(kStoredEvents, content)));
    EXPECT_THAT(values("loss"), ElementsAre(1, 2));
}

TEST_F(StoreSources, AStateThatIsNoUtf8IsStillKnownAgain) {
    auto first = batch(kStoredEvents, scalarEvent(1, "loss", 1));
    first.next.state["plugins"] = Json{{"tag\xFF", "text"}};
    EXPECT_TRUE(m_store.ingestSource(m_run.id, first));
    auto second = first;
    second.from = first.next;
    second.findings = {};
    ++second.next.offset;
    EXPECT_TRUE(m_store.ingestSource(m_run.id, second)) << "by who kept the cursor in memory";
}

TEST_F(StoreSources, AResumedWriterVoidsThePointsOfItsFolderAlone) {
    m_store.ingestSource(m_run.id, batch("other/events.out.tfevents.1.host", scalarEvent(9, "speed", 7)));
    m_store.ingestSource(m_run.id,
                         batch(kStoredEvents, scalarEvent(1, "loss", 1) + scalarEvent(2, "loss", 2) +
                                                  scalarEvent(3, "loss", 3) + scalarEvent(3, "late", 3)));
    m_store.ingestSource(
        m_run.id, batch("logs/events.out.tfevents.2.host", storedStart(2) + scalarEvent(2, "loss", 20)));
    EXPECT_THAT(values("loss"), ElementsAre(1, 20));
    EXPECT_THAT(values("late"), IsEmpty());
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 20);
    EXPECT_FALSE(m_store.run(m_run.id)->metrics.contains("late"));
    EXPECT_THAT(values("speed"), ElementsAre(7));
}

TEST_F(StoreSources, ALaterAttemptReplacesThePointsFromTheStepItWentOnFrom) {
    const auto run = [&](const std::string& folder, const std::string& content, std::int64_t attempt) {
        return m_store.ingestSource(m_run.id,
                                    batch(folder + "/events.out.tfevents.1.host", content, attempt));
    };
    std::string first;
    for (int step = 1; step <= 5; ++step) first += scalarEvent(step, "loss", static_cast<float>(step));
    run("a", first + scalarEvent(5, "val", 5), 1);
    auto second = scalarEvent(4, "loss", 40);
    run("b", second, 2);
    EXPECT_THAT(values("loss"), ElementsAre(1, 2, 3, 40))
        << "though the new process made a folder of its own";
    EXPECT_THAT(values("val"), ElementsAre(5)) << "as long as the new one says nothing of it";
    second += scalarEvent(5, "loss", 50) + scalarEvent(5, "val", 55) + scalarEvent(6, "loss", 60);
    run("b", second, 2);
    EXPECT_THAT(values("loss"), ElementsAre(1, 2, 3, 40, 50, 60));
    EXPECT_THAT(values("val"), ElementsAre(55));
    run("a", first + scalarEvent(5, "val", 5) + scalarEvent(6, "loss", 6), 1);
    EXPECT_THAT(values("loss"), ElementsAre(1, 2, 3, 40, 50, 60))
        << "the late end of the first attempt's file";
    run("a/again", scalarEvent(6, "loss", 600), 3);
    EXPECT_THAT(values("loss"), ElementsAre(1, 2, 3, 40, 50, 600));
    const auto restarts = m_store.restarts(m_run.id);
    ASSERT_THAT(restarts, SizeIs(2));
    EXPECT_EQ(restarts[0].attempt, 2);
    EXPECT_EQ(restarts[0].fromStep, 4);
    EXPECT_EQ(m_store.sourceCursors(m_run.id).at("b/events.out.tfevents.1.host").attempt, 2);
}

TEST_F(StoreSources, FilesOfOneAttemptStandSideBySide) {
    m_store.ingestSource(m_run.id, batch("a/events.out.tfevents.1.host", scalarEvent(1, "loss", 1), 2));
    m_store.ingestSource(m_run.id, batch("b/events.out.tfevents.1.host", scalarEvent(1, "loss", 2), 2));
    EXPECT_THAT(values("loss"), SizeIs(2));
    EXPECT_THAT(m_store.restarts(m_run.id), IsEmpty());
}

TEST_F(StoreSources, WhatTheRunWasGivenStaysAndDailiesOwnTagsAreNotAFilesToSet) {
    auto found = batch(kStoredEvents, scalarEvent(1, "loss", 1));
    found.findings.params = {{"optimizer.lr", "9"}, {"seed", "1"}};
    found.findings.tags = {{tracking::tag::kCluster, "elsewhere"},
                           {"mlflow.runName", "renamed"},
                           {"mlflow.source.git.commit", "abc"},
                           {"note\x1B", "hello\xFF"}};
    m_store.ingestSource(m_run.id, found);
    const auto run = *m_store.run(m_run.id);
    EXPECT_EQ(run.params.at("optimizer.lr"), "0.01");
    EXPECT_EQ(run.params.at("seed"), "1");
    EXPECT_EQ(run.tags.at(tracking::tag::kCluster), "sandbox");
    EXPECT_EQ(run.name, m_run.name);
    EXPECT_EQ(run.tags.at("mlflow.runName"), m_run.name);
    EXPECT_EQ(run.tags.at("mlflow.source.git.commit"), "abc");
    EXPECT_EQ(run.tags.at("note\u241B"), "hello\uFFFD");
}

TEST_F(StoreSources, ProblemsAndTheEndAreMessages) {
    auto found = batch(kStoredEvents, scalarEvent(1, "loss", 1));
    found.findings.problems = {"its images are not read."};
    found.findings.end = tracking::SourceEnd{1, kReadMs};
    m_store.ingestSource(m_run.id, found);
    const auto messages = m_store.messages(m_run.id);
    ASSERT_THAT(messages, SizeIs(2));
    EXPECT_EQ(messages[0].text, "TensorBoard " + kStoredEvents + ": its images are not read.");
    EXPECT_EQ(messages[1].level, "error");
    EXPECT_EQ(m_store.run(m_run.id)->status, m_run.status) << "that is the scheduler's to say";
}

TEST_F(StoreSources, ARunTakesTenThousandMetricsOfManyFiles) {
    for (int part = 0; part < 3; ++part) {
        tracking::SourceBatch found{"TensorBoard", "f" + std::to_string(part), {}, {.offset = 1}, {}};
        for (int i = 0; i < 4'000; ++i)
            found.findings.metrics[std::to_string(part) + "/" + std::to_string(i)] = {{1, 1, 1.0}};
        m_store.ingestSource(m_run.id, found);
    }
    // a metric that is there may come from another folder, too
    m_store.ingestSource(m_run.id, batch("later/events.out.tfevents.1.host", scalarEvent(2, "0/0", 2), 2));
    EXPECT_THAT(values("0/0"), SizeIs(2));
    EXPECT_THAT(m_store.metricKeys({m_run.id}), SizeIs(10'000));
    ASSERT_THAT(m_store.messages(m_run.id), SizeIs(1));
    EXPECT_THAT(m_store.messages(m_run.id)[0].text, HasSubstr("10,000 metrics"));
}

TEST_F(StoreSources, AFailureInTheMiddleLeavesNothingOfTheBatch) {
    m_store.database().write([](SQLite::Database& db) {
        db.exec(
            "CREATE TRIGGER refuse BEFORE INSERT ON dailies_sources BEGIN SELECT RAISE(ABORT, 'no'); END");
    });
    EXPECT_THROW(m_store.ingestSource(m_run.id, batch(kStoredEvents, scalarEvent(1, "loss", 1))), Error);
    EXPECT_THAT(values("loss"), IsEmpty());
    EXPECT_THAT(m_store.sourceCursors(m_run.id), IsEmpty());
    m_store.database().write([](SQLite::Database& db) { db.exec("DROP TRIGGER refuse"); });
    EXPECT_TRUE(m_store.ingestSource(m_run.id, batch(kStoredEvents, scalarEvent(1, "loss", 1))));
    EXPECT_THAT(values("loss"), ElementsAre(1));
}

TEST_F(StoreSources, AReadOnlyStoreTellsCursorsAndTakesNothing) {
    const auto content = scalarEvent(1, "loss", 1);
    m_store.ingestSource(m_run.id, batch(kStoredEvents, content));
    Store reader(file(), Store::Mode::ReadOnly);
    EXPECT_EQ(reader.sourceCursors(m_run.id).at(kStoredEvents).offset,
              static_cast<std::int64_t>(content.size()));
    EXPECT_THROW(reader.ingestSource(m_run.id, batch(kStoredEvents, content + scalarEvent(2, "loss", 2))),
                 Error);
    EXPECT_THAT(values("loss"), ElementsAre(1));
}

TEST_F(StoreSources, APurgedRunLeavesNoCursor) {
    m_store.ingestSource(m_run.id, batch(kStoredEvents, scalarEvent(1, "loss", 1)));
    m_store.deleteRuns({m_run.id});
    m_store.purgeRuns({m_run.id});
    EXPECT_THAT(m_store.sourceCursors(m_run.id), IsEmpty());
    EXPECT_THROW(m_store.ingestSource(m_run.id, batch(kStoredEvents, scalarEvent(1, "loss", 1))), Error);
}

TEST_F(StoreSources, OfWhatOthersRepeatOnlyTheMissingStepsAreTaken) {
    const auto state = [&](const std::string& path, const std::string& content, std::int64_t readMs) {
        auto reading = trainerState().read({.path = path,
                                            .bytes = content,
                                            .fileSize = static_cast<std::int64_t>(content.size()),
                                            .readMs = readMs},
                                           {});
        m_store.ingestSource(m_run.id, {"Trainer state", path, {}, reading.next, reading.findings});
    };
    m_store.ingestSource(m_run.id, batch(kStoredEvents, scalarEvent(20, "loss", 5)));
    const std::string first = R"({"log_history": [{"loss": 1, "step": 10}, {"loss": 2, "step": 20})",
                      rest = R"(, {"loss": 3, "step": 30}, {"loss": 4, "step": 40}]})";
    state("checkpoint-40/trainer_state.json", first + rest, kReadMs);
    state("checkpoint-20/trainer_state.json", first + "]}", kReadMs + 1);
    EXPECT_THAT(values("loss"), ElementsAre(1, 5, 3, 4));
    state("trainer_state.json", first + rest.substr(0, rest.size() - 2) + R"(, {"loss": 6, "step": 50}]})",
          kReadMs + 2);
    EXPECT_THAT(values("loss"), ElementsAre(1, 5, 3, 4, 6));
}

}  // namespace
}  // namespace dailies::sources
