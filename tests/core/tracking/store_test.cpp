#include "core/base/error.h"
#include "core/tracking/run_time.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <atomic>
#include <set>
#include <thread>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

using StoreReadsAndWrites = StoreTest;

TEST_F(StoreReadsAndWrites, ANewStoreIsMadeWithItsFolder) {
    const auto deep = m_folder.path() / "a" / "b" / "dailies.db";
    Store store(deep);
    EXPECT_TRUE(std::filesystem::exists(deep));
    EXPECT_THAT(store.runs(), IsEmpty());
    EXPECT_THAT(store.experiments(), IsEmpty());
}

TEST_F(StoreReadsAndWrites, AnExperimentIsMadeOnceAndLeavesIdZeroToMlflow) {
    Store store(file());
    const auto id = store.ensureExperiment("moving-shapes");
    EXPECT_GE(id, 1);
    EXPECT_EQ(store.ensureExperiment("moving-shapes"), id);
    EXPECT_NE(store.ensureExperiment("real-footage"), id);
    EXPECT_THROW(store.ensureExperiment("  "), InputError);
}

TEST_F(StoreReadsAndWrites, ARunIsReadBackByANewConnectionWithAllThatBelongsToIt) {
    auto written = aRun("прогон — 走る");
    written.params["data.folder"] = "";
    written.tags["note"] = "line one\nline two";
    Store(file()).createRun(written);

    const auto read = Store(file()).run(written.id);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->name, "прогон — 走る");
    EXPECT_EQ(read->experiment, "moving-shapes");
    EXPECT_EQ(read->status, RunStatus::Scheduled);
    EXPECT_EQ(read->startMs, 1'000);
    EXPECT_FALSE(read->endMs);
    EXPECT_THAT(read->params, ElementsAre(Pair("data.folder", ""), Pair("optimizer.lr", "0.01")));
    EXPECT_EQ(read->tags.at("note"), "line one\nline two");
    EXPECT_EQ(read->tags.at("mlflow.runName"), "прогон — 走る");
    EXPECT_EQ(read->tags.at("mlflow.source.type"), "JOB");
}

TEST_F(StoreReadsAndWrites, CreatingARunAgainLeavesItAsItIs) {
    Store store(file());
    auto run = aRun();
    store.createRun(run);
    store.setStatus(run.id, RunStatus::Running);
    run.name = "another";
    run.params["optimizer.lr"] = "5";
    store.createRun(run);
    EXPECT_EQ(store.run(run.id)->name, "lr=0.01");
    EXPECT_EQ(store.run(run.id)->params.at("optimizer.lr"), "0.01");
    EXPECT_EQ(store.run(run.id)->status, RunStatus::Running);
}

TEST_F(StoreReadsAndWrites, AnIdThatIsNoIdIsRefused) {
    Store store(file());
    auto run = aRun();
    run.id = "../../etc";
    EXPECT_THROW(store.createRun(run), InputError);
    EXPECT_THAT(store.runs(), IsEmpty());
}

TEST_F(StoreReadsAndWrites, ASweepAndItsRunsArriveTogetherOrNotAtAll) {
    Store store(file());
    SweepRecord sweep{newId(),   "shapes-lr", "sandbox", store.ensureExperiment("moving-shapes"),
                      "name: x", "#!",        "",        5};
    std::vector<tracking::Run> runs = {aRun("a"), aRun("b")};
    runs.push_back(aRun("c"));
    runs.back().id = "bad";
    EXPECT_THROW(store.createSweep(sweep, runs), InputError);
    EXPECT_THAT(store.runs(), IsEmpty());
    EXPECT_THAT(store.sweeps(), IsEmpty());

    runs.pop_back();
    store.createSweep(sweep, runs);
    store.setSweepJob(sweep.id, "4711");
    EXPECT_EQ(store.runs().size(), 2u);
    EXPECT_EQ(store.runs().front().tags.at(tag::kSweep), sweep.id);
    EXPECT_EQ(store.runs().front().tags.at(tag::kSweepName), "shapes-lr");
    ASSERT_TRUE(store.sweep(sweep.id));
    EXPECT_EQ(store.sweep(sweep.id)->jobId, "4711");
    EXPECT_EQ(store.sweep(sweep.id)->yaml, "name: x");
    EXPECT_FALSE(store.sweep(newId()));
    EXPECT_THROW(store.setSweepJob(newId(), "1"), Error);
}

TEST_F(StoreReadsAndWrites, RunsAreListedNewestFirstAndByExperiment) {
    Store store(file());
    auto older = aRun("older"), newer = aRun("newer"), elsewhere = aRun("elsewhere");
    newer.startMs = 2'000;
    elsewhere.startMs = 1'500;
    elsewhere.experiment = "real-footage";
    for (const auto& run : {older, newer, elsewhere}) store.createRun(run);
    const auto names = [&](const std::string& experiment) {
        std::vector<std::string> found;
        for (const auto& run : store.runs(experiment)) found.push_back(run.name);
        return found;
    };
    EXPECT_THAT(names(""), ElementsAre("newer", "elsewhere", "older"));
    EXPECT_THAT(names("real-footage"), ElementsAre("elsewhere"));
    EXPECT_THAT(names("none such"), IsEmpty());
}

TEST_F(StoreReadsAndWrites, ADeletedRunLeavesTheListButNotTheFile) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    store.deleteRuns({run.id});
    EXPECT_THAT(store.runs(), IsEmpty());
    EXPECT_THAT(store.findRuns(run.id), IsEmpty());
    ASSERT_TRUE(store.run(run.id));
    EXPECT_TRUE(store.run(run.id)->deleted);
}

TEST_F(StoreReadsAndWrites, RunsAreFoundByTheStartOfTheirIdOrByName) {
    Store store(file());
    auto first = aRun("lr=0.01"), second = aRun("lr=0.01"), third = aRun("100%_of*it");
    first.id = "aaaa" + newId().substr(4);
    second.id = "aabb" + newId().substr(4);
    third.id = "ffff" + newId().substr(4);
    for (const auto& run : {first, second, third}) store.createRun(run);
    EXPECT_THAT(store.findRuns("aa"), ElementsAre(first.id, second.id));
    EXPECT_THAT(store.findRuns("aab"), ElementsAre(second.id));
    EXPECT_EQ(store.findRuns("lr=0.01").size(), 2u);
    EXPECT_THAT(store.findRuns("100%_of*it"), ElementsAre(third.id));
    EXPECT_THAT(store.findRuns(first.id), ElementsAre(first.id));
    EXPECT_THAT(store.findRuns("%"), IsEmpty());
    EXPECT_THAT(store.findRuns(""), IsEmpty());
    const auto letter = aRun("a");
    store.createRun(letter);
    EXPECT_THAT(store.findRuns("a"), ElementsAre(letter.id)) << "a name is no beginning of other ids";
}

TEST_F(StoreReadsAndWrites, AStatusEndsARunAndARestartTakesTheEndBack) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    store.setStatus(run.id, RunStatus::Failed, 9'000);
    EXPECT_EQ(store.run(run.id)->status, RunStatus::Failed);
    EXPECT_EQ(store.run(run.id)->endMs, 9'000);
    store.setStatus(run.id, RunStatus::Running);
    EXPECT_FALSE(store.run(run.id)->endMs);
    store.setStatus(run.id, RunStatus::Killed);
    EXPECT_GT(store.run(run.id)->endMs.value_or(0), 9'000);
}

TEST_F(StoreReadsAndWrites, ThousandsOfRunsAreReadAsEachOfThemAlsoWhileAnotherProgramWrites) {
    Store store(file());
    std::vector<tracking::Run> made;
    for (int i = 0; i < 900; ++i) {
        made.push_back(aRun("run " + std::to_string(i)));
        made.back().startMs = i + 1;
        made.back().params["index"] = std::to_string(i);
    }
    store.createSweep({newId(), "many", "sandbox", store.ensureExperiment("moving-shapes"), "", "", "", 1},
                      made);
    for (int i = 0; i < 900; i += 9)
        store.ingest(made[static_cast<std::size_t>(i)].id, {metrics(1, i, {{"loss", 1.0 * i}})}, 1);
    store.deleteRuns({made[5].id, made[500].id});

    const auto all = store.runs();
    ASSERT_EQ(all.size(), 898u);
    EXPECT_EQ(all.front().name, "run 899") << "newest first";
    for (std::size_t i = 0; i < all.size(); i += 9) {
        const auto one = *store.run(all[i].id);
        EXPECT_EQ(all[i].params, one.params);
        EXPECT_EQ(all[i].tags, one.tags);
        EXPECT_EQ(all[i].metrics, one.metrics);
        EXPECT_EQ(all[i].params.size(), 2u);
    }
    EXPECT_EQ(store.runs({made[5].id, made[6].id, "nobody"}).size(), 2u) << "deleted ones too";
    EXPECT_EQ(store.deletedRuns().size(), 2u);
    store.setStatus(made[7].id, RunStatus::Finished, 9);
    store.setStatus(made[8].id, RunStatus::Running, std::nullopt);
    EXPECT_EQ(store.activeRuns().size(), 897u) << "neither what was deleted nor what is over";

    std::atomic<bool> done = false;
    std::thread other([&] {
        Store writer(file());
        while (!done) writer.createRun(aRun("meanwhile"));
    });
    const Store reader(file(), Store::Mode::ReadOnly);
    for (int i = 0; i < 30; ++i)
        for (const auto& run : reader.runs())
            ASSERT_FALSE(run.params.empty()) << "a run without what came with it";
    done = true;
    other.join();
    EXPECT_GT(reader.runs().size(), 898u);
}

TEST_F(StoreReadsAndWrites, WritingToARunThatIsNotThereSaysSo) {
    Store store(file());
    const auto id = newId();
    EXPECT_THROW(store.setStatus(id, RunStatus::Running), Error);
    EXPECT_THROW(store.setTag(id, "a", "b"), Error);
    EXPECT_THROW(store.deleteRuns({id}), Error);
    EXPECT_THROW(store.ingest(id, {}, 1), Error);
    EXPECT_THROW(store.putAttempt({id, "1", 0, "RUNNING", "", "", "", 0, 0}), Error);
    EXPECT_THROW(store.addMessage({id, 0, "info", "x"}), Error);
    EXPECT_FALSE(store.run(id));
    EXPECT_FALSE(store.run(""));
}

TEST_F(StoreReadsAndWrites, TextThatIsNotUtf8IsStoredAsTextThatIs) {
    Store store(file());
    auto run = aRun("bad \xff name");
    run.params["caption"] = std::string("nul \0 inside", 12);
    store.createRun(run);
    store.setTag(run.id, tag::kReason, "reason \xc3\x28");
    const auto read = *store.run(run.id);
    EXPECT_EQ(read.name, "bad \xef\xbf\xbd name");
    EXPECT_EQ(read.params.at("caption"), "nul \xe2\x90\x80 inside");
    EXPECT_EQ(read.tags.at(tag::kReason), "reason \xef\xbf\xbd(");
}

TEST_F(StoreReadsAndWrites, AnAttemptKeepsWhatSlurmHasForgotten) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    store.putAttempt({run.id, "12_3", 0, "RUNNING", "", "", "node1", 5'000, 0});
    store.putAttempt({run.id, "12_3", 0, "TIMEOUT", "TimeLimit", "0:15", "", 0, 8'000});
    store.putAttempt({run.id, "12_3", 1, "PENDING", "Resources", "", "", 0, 0});
    const auto attempts = store.attempts(run.id);
    ASSERT_EQ(attempts.size(), 2u);
    EXPECT_EQ(attempts[0].state, "TIMEOUT");
    EXPECT_EQ(attempts[0].reason, "TimeLimit");
    EXPECT_EQ(attempts[0].exitCode, "0:15");
    EXPECT_EQ(attempts[0].node, "node1");
    EXPECT_EQ(attempts[0].startMs, 5'000);
    EXPECT_EQ(attempts[0].endMs, 8'000);
    EXPECT_EQ(attempts[1].restarts, 1);
    EXPECT_EQ(attempts[1].state, "PENDING");
}

TEST_F(StoreReadsAndWrites, ClipsWaitToBeFetchedNewestStepFirst) {
    Store store(file());
    const auto run = aRun();
    auto elsewhere = aRun("elsewhere");
    elsewhere.tags[tag::kCluster] = "other";
    store.createRun(run);
    store.createRun(elsewhere);
    store.ingest(run.id, {clip(1, 400), clip(1, 800)}, 10);
    store.ingest(elsewhere.id, {clip(1, 400)}, 10);

    auto waiting = store.clipsToFetch("sandbox");
    ASSERT_EQ(waiting.size(), 2u);
    EXPECT_EQ(waiting[0].step, 800);
    store.setClipLocalPath(run.id, waiting[0].path, "/mirror/a.mp4");
    waiting = store.clipsToFetch("sandbox");
    ASSERT_EQ(waiting.size(), 1u);
    EXPECT_EQ(waiting[0].step, 400);

    const auto clips = store.clips({elsewhere.id, run.id});
    ASSERT_EQ(clips.size(), 3u);
    EXPECT_EQ(clips[0].runId, elsewhere.id);
    EXPECT_EQ(clips[1].step, 400);
    EXPECT_EQ(clips[1].prompt, "red square left");
    EXPECT_EQ(clips[1].adherence, 0.5);
    EXPECT_EQ(clips[1].frames, 8);
    EXPECT_EQ(clips[2].localPath, "/mirror/a.mp4");
}

TEST_F(StoreReadsAndWrites, DataVersionGrowsWithEveryCommitOfAnyConnectionAndOnlyThen) {
    Store mine(file());
    Store theirs(file());
    const auto run = aRun();
    auto last = mine.dataVersion();
    const auto grew = [&] {
        const auto now = mine.dataVersion();
        const bool more = now > last;
        last = now;
        return more;
    };
    EXPECT_FALSE(grew());
    theirs.createRun(run);
    EXPECT_TRUE(grew());
    EXPECT_FALSE(grew());
    mine.setTag(run.id, "a", "b");
    EXPECT_TRUE(grew());
    (void)mine.runs();
    EXPECT_FALSE(grew());
}

TEST_F(StoreReadsAndWrites, OthersVersionGrowsWithTheCommitsOfOtherConnectionsAlone) {
    Store mine(file());
    Store theirs(file());
    const auto run = aRun();
    const auto before = mine.othersVersion();
    mine.createRun(run);
    EXPECT_EQ(mine.othersVersion(), before);
    theirs.setTag(run.id, "a", "b");
    EXPECT_GT(mine.othersVersion(), before);
}

TEST_F(StoreReadsAndWrites, AReaderSeesWhatAWriterAddsAndCannotWrite) {
    Store writer(file());
    const Store reader(file(), Store::Mode::ReadOnly);
    const auto run = aRun();
    writer.createRun(run);
    EXPECT_EQ(reader.runs().size(), 1u);
    Store alsoReader(file(), Store::Mode::ReadOnly);
    EXPECT_THROW(alsoReader.setTag(run.id, "a", "b"), Error);
}

TEST_F(StoreReadsAndWrites, MlflowIsToldWhereTheClipsAreMirrored) {
    Store store(m_folder.path() / "a b.db");
    const auto run = aRun();
    store.createRun(run);
    SQLite::Database raw(store.file());
    EXPECT_EQ(raw.execAndGet("SELECT artifact_uri FROM runs").getString(),
              "file://" + m_folder.path().string() + "/a%20b.db.files/" + run.id);
}

TEST_F(StoreReadsAndWrites, ARunThatWasExtendedTookItsAttemptsAndHasTheStepsThatItLastRanWith) {
    Store store(file());
    auto run = aRun();
    run.params["steps"] = "1600";
    const auto other = aRun("other");
    store.createRun(run);
    store.createRun(other);
    store.setStatus(run.id, RunStatus::Finished, 101'000);
    store.putAttempt({run.id, "12_0", 0, "COMPLETED", "", "0:0", "node1", 1'000, 101'000});
    EXPECT_EQ(trainingMs(*store.run(run.id), 0), 100'000);
    EXPECT_EQ(wallMs(*store.run(run.id), 0), 100'000);

    store.setExtendedTo(run.id, 1700);
    store.setStatus(run.id, RunStatus::Scheduled);
    EXPECT_EQ(store.run(run.id)->params.at("steps"), "1700");
    EXPECT_EQ(trainingMs(*store.run(run.id), 5'000'000), 100'000) << "what it trained, however long it waits";
    EXPECT_EQ(trainingMs(*store.run(other.id), 5'000'000), 0) << "one that waits for its first job";

    store.putAttempt({run.id, "15_0", 0, "RUNNING", "", "", "node2", 9'001'000, 0});
    store.setStatus(run.id, RunStatus::Running);
    EXPECT_EQ(trainingMs(*store.run(run.id), 9'011'000), 110'000);
    EXPECT_EQ(wallMs(*store.run(run.id), 9'011'000), 9'010'000);
    store.putAttempt({run.id, "15_0", 0, "COMPLETED", "", "0:0", "node2", 9'001'000, 9'021'000});
    store.setStatus(run.id, RunStatus::Finished, 9'021'000);
    const auto listed = store.runs(std::vector<std::string>{run.id});
    ASSERT_EQ(listed.size(), 1u);
    EXPECT_EQ(trainingMs(listed[0], 0), 120'000);
    EXPECT_EQ(wallMs(listed[0], 0), 9'020'000);
    // extended once more, and cancelled before its job began
    store.setStatus(run.id, RunStatus::Killed, 12'000'000);
    EXPECT_EQ(trainingMs(*store.run(run.id), 0), 120'000);
    const Store reader(file(), Store::Mode::ReadOnly);
    EXPECT_EQ(trainingMs(*reader.run(run.id), 0), 120'000);
}

TEST_F(StoreReadsAndWrites, ARunThatAnEarlierDailiesExtendedHasTheStepsOfItsTag) {
    Store store(file());
    auto run = aRun();
    run.params["steps"] = "1600";
    run.tags[tag::kExtendedTo] = "1700";
    store.createRun(run);
    EXPECT_EQ(store.run(run.id)->params.at("steps"), "1700");
}

}  // namespace
}  // namespace dailies::tracking
