#include "core/tracking/schema.h"

#include "core/base/error.h"
#include "tests/core/tracking/store_fixture.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>

#include <chrono>
#include <sys/stat.h>

namespace dailies::tracking {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class StoreSchema : public StoreTest {
protected:
    std::string refusal(Store::Mode mode = Store::Mode::ReadWrite) const {
        try {
            Store store(file(), mode);
        } catch (const Error& error) {
            return error.full();
        }
        ADD_FAILURE() << "was opened";
        return {};
    }

    /// A file as MLflow makes it, with one run; nothing of Dailies in it.
    void makeMlflowFile() const {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(kMlflowTables);
        db.exec(readFile(std::string(DAILIES_SOURCE_FOLDER) + "/tests/core/tracking/mlflow_run.sql"));
    }
};

TEST_F(StoreSchema, ANewStoreIsAtMlflows30Revision) {
    Store store(file());
    SQLite::Database db(file());
    EXPECT_EQ(db.execAndGet("SELECT version_num FROM alembic_version").getString(), "6953534de441");
    EXPECT_EQ(db.execAndGet("PRAGMA journal_mode").getString(), "wal");
}

TEST_F(StoreSchema, OpeningAgainChangesNothing) {
    { Store store(file()); }
    const std::string before = readFile(file());
    { Store store(file()); }
    EXPECT_EQ(readFile(file()), before);
}

TEST_F(StoreSchema, AnMlflowFileIsReadWithoutBeingTouched) {
    makeMlflowFile();
    const std::string before = readFile(file());
    const Store store(file(), Store::Mode::ReadOnly);
    ASSERT_THAT(store.runs(), SizeIs(1));
    const std::string id = store.runs()[0].id;
    EXPECT_EQ(store.runs()[0].name, "trial-000");
    EXPECT_EQ(store.runs()[0].params.at("lr"), "1e-4");
    EXPECT_THAT(store.history(id, "loss"), SizeIs(2));
    EXPECT_THAT(store.clips({id}), IsEmpty());
    EXPECT_THAT(store.attempts(id), IsEmpty());
    EXPECT_THAT(store.messages(id), IsEmpty());
    EXPECT_THAT(store.checkpoints(id), IsEmpty());
    EXPECT_THAT(store.sweeps(), IsEmpty());
    EXPECT_FALSE(store.sweep(id));
    EXPECT_THAT(store.clipsToFetch("sandbox"), IsEmpty());
    EXPECT_EQ(store.ingestState(id).offset, 0);
    EXPECT_EQ(readFile(file()), before);
}

TEST_F(StoreSchema, AnMlflowFileOpenedForWritingGetsDailiesTablesAndKeepsItsRuns) {
    makeMlflowFile();
    Store store(file());
    ASSERT_THAT(store.runs(), SizeIs(1));
    store.createRun(aRun());
    store.ingest(store.runs()[0].id, {clip(1, 10)}, 1);
    EXPECT_THAT(store.runs(), SizeIs(2));
    EXPECT_THAT(store.experiments(), SizeIs(2));
}

TEST_F(StoreSchema, PointsThatSomebodyElseLoggedOutliveAResume) {
    Store store(file());
    const auto run = aRun();
    store.createRun(run);
    store.ingest(run.id, {metrics(1, 100, {{"loss", 1.0}})}, 1);
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec(
            "INSERT INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) VALUES ('human', 5, 1, "
            "'" +
            run.id + "', 100, 0)");
    store.ingest(run.id, {at(2, events::Resume{50})}, 2);
    EXPECT_THAT(store.history(run.id, "loss"), IsEmpty());
    EXPECT_THAT(store.history(run.id, "human"), SizeIs(1));
}

TEST_F(StoreSchema, AStoreOfANewerProgramCanBeReadButIsNotWritten) {
    {
        Store store(file());
        store.createRun(aRun());
    }
    SQLite::Database(file(), SQLite::OPEN_READWRITE).exec("UPDATE dailies_schema SET version = 99");
    const std::string before = readFile(file());
    EXPECT_THAT(refusal(), AllOf(HasSubstr("newer Dailies"), HasSubstr("99"), HasSubstr(file().string())));
    EXPECT_THROW(Store store(file()), StoreReadOnlyError) << "which offers to open it for reading";
    EXPECT_THAT(Store(file(), Store::Mode::ReadOnly).runs(), SizeIs(1)) << "what MLflow's tables hold";
    EXPECT_EQ(readFile(file()), before);
}

TEST_F(StoreSchema, AFileOfANewerMlflowCanBeReadButIsNotWritten) {
    makeMlflowFile();
    SQLite::Database(file(), SQLite::OPEN_READWRITE)
        .exec("UPDATE alembic_version SET version_num = 'fedcba987654'");
    const std::string before = readFile(file());
    EXPECT_THAT(refusal(),
                AllOf(HasSubstr("newer MLflow"), HasSubstr("fedcba987654"), HasSubstr("reading only")));
    EXPECT_THROW(Store store(file()), StoreReadOnlyError);
    EXPECT_THAT(Store(file(), Store::Mode::ReadOnly).runs(), SizeIs(1));
    EXPECT_EQ(readFile(file()), before);
}

TEST_F(StoreSchema, AnOlderStoreCanBeReadBeforeItIsBroughtUpToDate) {
    const auto run = aRun();
    {
        SQLite::Database db(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(kMlflowTables);
        db.exec(kDailiesMigrations.front());
    }
    const Store reader(file(), Store::Mode::ReadOnly);
    EXPECT_THAT(reader.sweeps(), IsEmpty());
    EXPECT_THAT(reader.restarts(run.id), IsEmpty());
    EXPECT_THAT(reader.views(), IsEmpty());
    EXPECT_THAT(reader.attempts(run.id), IsEmpty());
    Store writer(file());
    writer.createRun(run);
    writer.ingest(run.id, {metrics(1, 1, {{"loss", 1}})}, 1);
    EXPECT_THAT(writer.history(run.id, "loss"), SizeIs(1));
}

TEST_F(StoreSchema, AnOlderStoreIsCopiedThenBroughtUpToDate) {
    {
        Store store(file());
        store.createRun(aRun());
    }
    std::vector<std::string> migrations = kDailiesMigrations;
    migrations.push_back("CREATE TABLE dailies_of_the_future (a INTEGER)");
    const std::string next = std::to_string(migrations.size());
    {
        Database database(file(), false);
        prepareForWriting(database, migrations);
        EXPECT_EQ(database.read([](SQLite::Database& db) {
            return db.execAndGet("SELECT version FROM dailies_schema").getInt64();
        }),
                  static_cast<std::int64_t>(migrations.size()));
    }
    EXPECT_TRUE(SQLite::Database(file()).tableExists("dailies_of_the_future"));
    const auto copy = file().string() + ".before-v" + next;
    EXPECT_FALSE(SQLite::Database(copy).tableExists("dailies_of_the_future"));
    EXPECT_THAT(Store(copy).runs(), SizeIs(1)) << "the copy is a whole store";
}

TEST_F(StoreSchema, AMigrationThatFailsLeavesTheStoreAsItWas) {
    {
        Store store(file());
        store.createRun(aRun());
    }
    std::vector<std::string> migrations = kDailiesMigrations;
    migrations.push_back(
        "CREATE TABLE dailies_half (a INTEGER); DELETE FROM runs; SELECT no_such_function()");
    {
        Database database(file(), false);
        EXPECT_THROW(prepareForWriting(database, migrations), Error);
    }
    EXPECT_FALSE(SQLite::Database(file()).tableExists("dailies_half"));
    EXPECT_THAT(Store(file()).runs(), SizeIs(1));
}

TEST_F(StoreSchema, WhatIsNoTrackingStoreIsRefusedAndLeftAsItIs) {
    writeFileAtomically(file(), std::string(5'000, 'x'));
    EXPECT_THAT(refusal(), HasSubstr("not an SQLite database"));
    EXPECT_EQ(readFile(file()), std::string(5'000, 'x'));

    std::filesystem::remove(file());
    SQLite::Database(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE notes (a TEXT)");
    EXPECT_THAT(refusal(), HasSubstr("has no MLflow tables"));
    EXPECT_FALSE(SQLite::Database(file()).tableExists("runs"));
}

TEST_F(StoreSchema, AnMlflowFileFromBeforeIsNanIsSentToMlflowsUpgrade) {
    SQLite::Database(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec(
            "CREATE TABLE experiments (experiment_id INTEGER, name TEXT, last_update_time BIGINT);"
            "CREATE TABLE runs (run_uuid TEXT, deleted_time BIGINT);"
            "CREATE TABLE metrics (\"key\" TEXT, value FLOAT)");
    EXPECT_THAT(refusal(), AllOf(HasSubstr("MLflow seems to be creating it"), HasSubstr("Try again"),
                                 HasSubstr("mlflow db upgrade")))
        << "as it looks while MLflow migrates a new one";
    std::filesystem::last_write_time(file(),
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
    EXPECT_THAT(refusal(), AllOf(HasSubstr("too old"), HasSubstr("mlflow db upgrade")));
}

TEST_F(StoreSchema, AFileThatMlflowOnlyBeganToMakeIsWorthAnotherTry) {
    SQLite::Database(file(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE experiments (experiment_id INTEGER)");
    EXPECT_THAT(refusal(), HasSubstr("Try again"));
}

TEST_F(StoreSchema, WhatIsNoFileIsNamed) {
    std::filesystem::create_directories(file());
    EXPECT_THAT(refusal(), AllOf(HasSubstr("is a folder, not a file"), HasSubstr("/dailies.db")));
    std::filesystem::remove(file());
    ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
    EXPECT_THAT(refusal(), HasSubstr("is a FIFO, not a file"));
}

}  // namespace
}  // namespace dailies::tracking
