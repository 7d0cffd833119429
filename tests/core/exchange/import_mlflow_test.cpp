#include "tests/core/exchange/exchange_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>

#include <cmath>

namespace dailies::exchange {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using tracking::RunStatus;

const std::string kFirst(32, 'a'), kSecond(32, 'b');

/// A store is an MLflow database too, so it serves as one to import from.
class MlflowImport : public ExchangeTest {
protected:
    static tracking::Run aRun(const std::string& id, const std::string& name) {
        tracking::Run run;
        run.id = id;
        run.name = name;
        run.experiment = "shapes";
        run.status = RunStatus::Running;
        run.startMs = 1'700'000'000'000;
        run.params = {{"lr", "1e-4"}, {"empty", ""}};
        run.tags = {{"mlflow.note.content", "two\nlines"}};
        return run;
    }

    std::filesystem::path source() const { return place("source.db"); }
};

TEST_F(MlflowImport, RunsComeWithTheirIdsAndEverythingThatBelongsToThem) {
    {
        tracking::Store other(source());
        other.importRun(aRun(kFirst, "one"), {{"loss", {{1, 10, 0.5}, {2, 20, NAN}, {3, 30, INFINITY}}},
                                              {"lr", {{1, 10, 1e-310}}}});
        auto gone = aRun(kSecond, "two");
        gone.deleted = true;
        other.importRun(gone, {});
    }
    const auto summary = import(source());
    EXPECT_EQ(summary.kind, SourceKind::Mlflow);
    EXPECT_EQ(summary.runsAdded, 2);
    EXPECT_EQ(summary.pointsAdded, 4);
    const auto run = m_store.run(kFirst).value();
    EXPECT_EQ(run.name, "one");
    EXPECT_EQ(run.experiment, "shapes");
    EXPECT_EQ(run.params.at("empty"), "");
    EXPECT_EQ(run.tags.at("mlflow.note.content"), "two\nlines");
    EXPECT_EQ(run.metrics.at("loss").step, 3);
    EXPECT_THAT(values("one", "loss"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN), INFINITY));
    EXPECT_TRUE(m_store.run(kSecond).value().deleted);
}

TEST_F(MlflowImport, ImportingAgainBringsNewsAndKeepsWhatPeopleDidHere) {
    tracking::Store other(source());
    auto run = aRun(kFirst, "one");
    other.importRun(run, {{"loss", {{1, 10, 0.5}}}});
    import(source());
    m_store.setTag(kFirst, "mlflow.note.content", "mine");

    run.status = RunStatus::Finished;
    run.endMs = 1'700'000'100'000;
    run.tags["later"] = "yes";
    other.importRun(run, {{"loss", {{1, 10, 0.5}, {2, 20, 0.25}}}});
    const auto summary = import(source());
    EXPECT_EQ(summary.runsExtended, 1);
    EXPECT_EQ(summary.pointsAdded, 1);
    const auto now = m_store.run(kFirst).value();
    EXPECT_EQ(now.status, RunStatus::Finished);
    EXPECT_EQ(now.endMs, run.endMs);
    EXPECT_EQ(now.tags.at("later"), "yes");
    EXPECT_EQ(now.tags.at("mlflow.note.content"), "mine");
    EXPECT_EQ(now.metrics.at("loss").value, 0.25);
}

TEST_F(MlflowImport, ARunThatWasPublishedComesBackAsItself) {
    auto local = aRun(kFirst, "one");
    m_store.importRun(local, {{"loss", {{1, 10, 0.5}}}});
    {
        tracking::Store server(source());
        auto published = aRun(kSecond, "one");
        published.tags["dailies.run_id"] = kFirst;
        server.importRun(published, {{"loss", {{1, 10, 0.5}, {2, 20, 0.25}}}});
    }
    EXPECT_EQ(import(source()).runsAdded, 0);
    EXPECT_THAT(values("one", "loss"), ElementsAre(0.5, 0.25));
}

TEST_F(MlflowImport, FoldersOfTheFileStoreComeInWithTheirTrash) {
    const std::string run = "mlruns/7/" + kFirst + "/";
    write("mlruns/7/meta.yaml", "experiment_id: '7'\nlifecycle_stage: active\nname: shapes\n");
    write(run + "meta.yaml", "run_id: " + kFirst +
                                 "\nrun_name: one\nstatus: 3\nstart_time: 1700000000000\nend_time: "
                                 "1700000001000\nlifecycle_stage: "
                                 "active\nuser_id: ada\n");
    write(run + "metrics/train/loss",
          "1700000000100 0.5 1\n1700000000200 nan 2\ntorn 0.\n1700000000300 -inf 3\n");
    write(run + "metrics/old", "1700000000100 0.25\n");
    write(run + "params/lr", "1e-4");
    write(run + "tags/note", "two\nlines");
    write("mlruns/.trash/8/meta.yaml", "experiment_id: '8'\nlifecycle_stage: deleted\nname: gone\n");
    write("mlruns/.trash/8/" + kSecond + "/meta.yaml",
          "run_id: " + kSecond + "\nrun_name: two\nstatus: 5\nstart_time: 1\nlifecycle_stage: active\n");
    std::filesystem::create_directories(place("mlruns/.trash/8/" + kSecond + "/metrics"));
    write("mlruns/9/damaged/meta.yaml", "a: [");
    std::filesystem::create_directories(place("mlruns/9/damaged/metrics"));

    const auto summary = import(place("mlruns"));
    EXPECT_EQ(summary.runsAdded, 2);
    EXPECT_THAT(values("one", "train/loss"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN), -INFINITY));
    EXPECT_THAT(steps("one", "old"), ElementsAre(0)) << "the first releases had no step";
    const auto first = m_store.run(kFirst).value();
    EXPECT_EQ(first.status, RunStatus::Finished);
    EXPECT_EQ(first.user, "ada");
    EXPECT_EQ(first.params.at("lr"), "1e-4");
    EXPECT_EQ(first.tags.at("note"), "two\nlines");
    EXPECT_TRUE(m_store.run(kSecond).value().deleted);
    EXPECT_EQ(summary.leftOut.size(), 2u) << "a torn line and a damaged run";
    EXPECT_EQ(import(place("mlruns/7")).runsUnchanged, 1) << "an experiment's folder alone";
}

TEST_F(MlflowImport, TheStoreItselfAndForeignDatabasesAreRefused) {
    EXPECT_THAT(complaint([&] { import(m_store.file()); }), HasSubstr("is the store itself"));
    SQLite::Database(source(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (a)");
    EXPECT_THAT(complaint([&] { import(source()); }), HasSubstr("no MLflow tables"));
    EXPECT_THAT(m_store.runs(), testing::IsEmpty());
}

}  // namespace
}  // namespace dailies::exchange
