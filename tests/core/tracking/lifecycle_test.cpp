#include "core/base/error.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/schema.h"
#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

#include <functional>
#include <sys/stat.h>

namespace dailies::tracking {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Lifecycle : public StoreTest {
protected:
    tracking::Run makeRun(Store& store, const std::string& name, int points) {
        const auto run = aRun(name);
        store.createRun(run);
        std::vector<events::Event> batch = {at(1, events::Start{"0.1", "node1", 1, "7", 0, Json::object()}),
                                            clip(1, 1), at(1, events::Checkpoint{1, "checkpoints/step-1", 1}),
                                            at(1, events::Message{"info", "hello"})};
        for (int step = 1; step <= points; ++step)
            batch.push_back(metrics(1, step, {{"loss", 1.0}, {"lr", 2.0}}));
        store.ingest(run.id, batch, 1);
        writeFileAtomically(filesOf(run.id) / "clips" / "a.mp4", std::string(10'000, 'v'));
        return run;
    }

    std::filesystem::path filesOf(const std::string& runId) const { return artifactRoot(file()) / runId; }

    /// Rows that name the run, in whichever table.
    std::vector<std::string> tablesThatName(const std::string& runId) const {
        std::vector<std::string> found;
        SQLite::Database db(file());
        SQLite::Statement columns(
            db,
            "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c "
            "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'");
        while (columns.executeStep()) {
            SQLite::Statement rows(db, "SELECT 1 FROM \"" + columns.getColumn(0).getString() + "\" WHERE \"" +
                                           columns.getColumn(1).getString() + "\" = ?");
            rows.bind(1, runId);
            if (rows.executeStep()) found.push_back(columns.getColumn(0).getString());
        }
        return found;
    }
};

TEST_F(Lifecycle, DeletedRunsLeaveTheListsAndComeBackWhole) {
    Store store(file());
    const auto kept = makeRun(store, "kept", 5), gone = makeRun(store, "gone", 5);
    store.deleteRuns({gone.id});
    ASSERT_THAT(store.runs(), SizeIs(1));
    ASSERT_THAT(store.deletedRuns(), SizeIs(1));
    EXPECT_EQ(store.deletedRuns()[0].name, "gone");
    EXPECT_THAT(store.history(gone.id, "loss"), SizeIs(5));
    EXPECT_GT(SQLite::Database(file()).execAndGet("SELECT MAX(deleted_time) FROM runs").getInt64(), 0);
    store.restoreRuns({gone.id});
    EXPECT_THAT(store.runs(), SizeIs(2));
    EXPECT_THAT(store.deletedRuns(), IsEmpty());
    EXPECT_THAT(messageOf([&] { store.deleteRuns({kept.id, "nobody"}); }), HasSubstr("nobody"));
    EXPECT_THAT(store.runs(), SizeIs(2)) << "all or nothing";
}

TEST_F(Lifecycle, PurgedRunsAreGoneFromEveryTableAndTheirSpaceIsGivenBack) {
    Store store(file());
    const auto kept = makeRun(store, "kept", 300), gone = makeRun(store, "gone", 30'000);
    store.putAttempt({gone.id, "7", 0, "COMPLETED", "", "0:0", "node1", 1, 2});
    store.ingest(gone.id, {at(2, events::Resume{29'000})}, 2);
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec("INSERT INTO inputs VALUES ('i', 'DATASET', 'd', 'RUN', '" + gone.id +
              "', 0); INSERT INTO input_tags VALUES ('i', 'mlflow.data.context', 'training')");
    store.deleteRuns({gone.id});
    const auto before = std::filesystem::file_size(file());
    const PurgeResult purged = store.purgeRuns({gone.id});
    EXPECT_EQ(purged.runs, 1);
    EXPECT_EQ(purged.points, 58'000);
    EXPECT_GT(purged.bytes, 5'000'000);
    EXPECT_LT(std::filesystem::file_size(file()), before / 10);
    EXPECT_THAT(tablesThatName(gone.id), IsEmpty());
    EXPECT_FALSE(std::filesystem::exists(filesOf(gone.id)));
    EXPECT_TRUE(std::filesystem::exists(filesOf(kept.id)));
    EXPECT_THAT(store.history(kept.id, "loss"), SizeIs(300));
    EXPECT_EQ(store.curves({{kept.id, "lr"}}, std::nullopt, 10)[0].points, 300);
    EXPECT_EQ(SQLite::Database(file()).execAndGet("SELECT COUNT(*) FROM input_tags").getInt(), 0);
    EXPECT_EQ(SQLite::Database(file()).execAndGet("PRAGMA integrity_check").getString(), "ok");

    store.ingest(kept.id, {metrics(1, 301, {{"loss", 1.0}})}, 3);
    EXPECT_THAT(store.history(kept.id, "loss"), SizeIs(301)) << "the curves still follow the table";
}

TEST_F(Lifecycle, SpaceComesBackInAFileThatMlflowMadeToo) {
    {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(kMlflowTables);
    }
    Store store(file());
    const auto gone = makeRun(store, "gone", 20'000);
    store.deleteRuns({gone.id});
    EXPECT_GT(store.purgeRuns({gone.id}).bytes, 3'000'000);
    EXPECT_LT(std::filesystem::file_size(file()), 1'000'000u);
    EXPECT_THAT(store.runs(), IsEmpty());
}

TEST_F(Lifecycle, OnlyDeletedRunsCanBePurgedAndARefusalTakesNothing) {
    Store store(file());
    const auto kept = makeRun(store, "kept", 5), gone = makeRun(store, "gone", 5);
    store.deleteRuns({gone.id});
    EXPECT_THAT(messageOf([&] {
                    store.purgeRuns({gone.id, kept.id});
                }),
                AllOf(HasSubstr("kept"), HasSubstr("not deleted")));
    EXPECT_THAT(store.deletedRuns(), SizeIs(1));
    EXPECT_TRUE(std::filesystem::exists(filesOf(gone.id) / "clips" / "a.mp4"));
}

TEST_F(Lifecycle, APurgeThatFailsHalfwayPutsTheFilesBack) {
    Store store(file());
    const auto gone = makeRun(store, "gone", 5);
    store.deleteRuns({gone.id});
    // a row of a table that this program does not know refers to the run
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec("CREATE TABLE others (run_uuid TEXT REFERENCES runs (run_uuid)); INSERT INTO others VALUES ('" +
              gone.id + "')");
    EXPECT_THROW(store.purgeRuns({gone.id}), Error);
    EXPECT_TRUE(std::filesystem::exists(filesOf(gone.id) / "clips" / "a.mp4"));
    store.restoreRuns({gone.id});
    EXPECT_THAT(store.history(gone.id, "loss"), SizeIs(5));
}

TEST_F(Lifecycle, FilesThatAKilledPurgeLeftAsideComeBackWithTheRun) {
    Store store(file());
    const auto gone = makeRun(store, "gone", 5);
    store.deleteRuns({gone.id});
    std::filesystem::rename(filesOf(gone.id), artifactRoot(file()) / (".purged-" + gone.id));
    store.restoreRuns({gone.id});
    EXPECT_TRUE(std::filesystem::exists(filesOf(gone.id) / "clips" / "a.mp4"));
}

TEST_F(Lifecycle, ARunIdCannotLeadOutOfTheFolderOfFiles) {
    Store store(file());
    writeFileAtomically(m_folder.path() / "precious" / "file", "x");
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec(
            "INSERT INTO experiments (experiment_id, name, lifecycle_stage) VALUES (9, 'evil', 'active'); "
            "INSERT INTO runs (run_uuid, user_id, status, start_time, lifecycle_stage, experiment_id) VALUES "
            "('../precious', '', 'FINISHED', 1, 'deleted', 9)");
    EXPECT_EQ(store.purgeRuns({"../precious"}).runs, 1);
    EXPECT_TRUE(std::filesystem::exists(m_folder.path() / "precious" / "file"));
}

TEST_F(Lifecycle, TagsAreSetAndRemovedOnManyRunsAtOnce) {
    Store store(file());
    const auto a = aRun("a"), b = aRun("b");
    store.createRun(a);
    store.createRun(b);
    store.setTags({a.id, b.id}, "keeper", "yes");
    EXPECT_EQ(store.run(b.id)->tags.at("keeper"), "yes");
    store.removeTag({a.id}, "keeper");
    EXPECT_EQ(store.run(a.id)->tags.count("keeper"), 0u);
    EXPECT_EQ(store.run(b.id)->tags.count("keeper"), 1u);
    EXPECT_THAT(messageOf([&] { store.setTags({a.id, "nobody"}, "keeper", "no"); }), HasSubstr("nobody"));
    EXPECT_EQ(store.run(a.id)->tags.count("keeper"), 0u) << "all or nothing";
}

TEST_F(Lifecycle, ViewsAreKeptPerExperimentAndOutliveItsRenaming) {
    Store store(file());
    store.ensureExperiment("moving-shapes");
    store.putView("moving-shapes", "best by loss", {{"sort", "loss"}});
    store.putView("moving-shapes", "best by loss", {{"sort", "val/loss"}});
    store.putView("", "everything", {{"filter", ""}});
    ASSERT_THAT(store.views("moving-shapes"), SizeIs(1));
    EXPECT_EQ(store.views("moving-shapes")[0].content.at("sort"), "val/loss");
    ASSERT_THAT(store.views(), SizeIs(1));
    EXPECT_EQ(store.views()[0].name, "everything");
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("UPDATE experiments SET name = 'renamed'");
    EXPECT_THAT(store.views("renamed"), SizeIs(1));
    store.deleteView("renamed", "best by loss");
    EXPECT_THAT(store.views("renamed"), IsEmpty());
    EXPECT_THAT(messageOf([&] { store.putView("", "  ", {}); }), HasSubstr("needs a name"));
    EXPECT_THAT(messageOf([&] { store.putView("none", "x", {}); }), HasSubstr("no experiment none"));
}

}  // namespace
}  // namespace dailies::tracking
