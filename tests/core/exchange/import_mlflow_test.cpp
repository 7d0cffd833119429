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
    EXPECT_EQ(summary.sources.at(0).kind, SourceKind::Mlflow);
    EXPECT_EQ(summary.total().runsAdded, 2);
    EXPECT_EQ(summary.total().pointsAdded, 4);
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
    EXPECT_EQ(summary.total().runsExtended, 1);
    EXPECT_EQ(summary.total().pointsAdded, 1);
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
    EXPECT_EQ(import(source()).total().runsAdded, 0);
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
    EXPECT_EQ(summary.total().runsAdded, 2);
    EXPECT_THAT(values("one", "train/loss"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN), -INFINITY));
    EXPECT_THAT(steps("one", "old"), ElementsAre(0)) << "the first releases had no step";
    const auto first = m_store.run(kFirst).value();
    EXPECT_EQ(first.status, RunStatus::Finished);
    EXPECT_EQ(first.user, "ada");
    EXPECT_EQ(first.params.at("lr"), "1e-4");
    EXPECT_EQ(first.tags.at("note"), "two\nlines");
    EXPECT_TRUE(m_store.run(kSecond).value().deleted);
    EXPECT_EQ(summary.skipped.size(), 2u) << "a torn line and a damaged run";
    EXPECT_EQ(import(place("mlruns/7")).total().runsUnchanged, 1) << "an experiment's folder alone";
}

TEST_F(MlflowImport, DataSetsModelsAndTagsOfExperimentsComeWithARunAndTheRestIsCounted) {
    {
        tracking::Store other(source());
        other.importRun(aRun(kFirst, "one"), {{"loss", {{1, 10, 0.5}}}});
    }
    SQLite::Database(source(), SQLite::OPEN_READWRITE)
        .exec(
            "INSERT INTO datasets VALUES ('d1', (SELECT experiment_id FROM experiments WHERE name = "
            "'shapes'), "
            "'clips', 'abc', 'local', '{\"uri\":\"/data\"}', NULL, 'p');"
            "INSERT INTO inputs (input_uuid, source_type, source_id, destination_type, destination_id) "
            "VALUES "
            "('i1', 'DATASET', 'd1', 'RUN', '" +
            kFirst +
            "');"
            "INSERT INTO input_tags VALUES ('i1', 'mlflow.data.context', 'training');"
            "INSERT INTO experiment_tags VALUES ('mlflow.note.content', 'why', (SELECT experiment_id FROM "
            "experiments "
            "WHERE name = 'shapes'));"
            "INSERT INTO registered_models (name, creation_time, description) VALUES ('net', 5, 'd');"
            "INSERT INTO model_versions (name, version, creation_time, source, run_id, status) VALUES "
            "('net', 1, 6, "
            "'file:///w', '" +
            kFirst +
            "', 'READY');"
            "INSERT INTO model_version_tags (\"key\", value, name, version) VALUES ('vt', '1', 'net', 1);"
            "INSERT INTO registered_model_aliases (alias, version, name) VALUES ('best', 1, 'net');"
            "INSERT INTO logged_models (model_id, experiment_id, name, artifact_location, "
            "creation_timestamp_ms, "
            "last_updated_timestamp_ms, status) VALUES ('m-1', 1, 'lm', '/w', 1, 1, 1);");
    const auto rowOf = [&](const std::string& query) {
        SQLite::Database db(m_store.file());
        SQLite::Statement statement(db, query);
        std::string row;
        while (statement.executeStep())
            for (int i = 0; i < statement.getColumnCount(); ++i)
                row += statement.getColumn(i).getString() + "|";
        return row;
    };
    const auto summary = import(source());
    const auto check = [&] {
        EXPECT_EQ(rowOf("SELECT d.name, d.digest, d.dataset_source, i.destination_id, t.value FROM inputs i "
                        "JOIN datasets "
                        "d ON d.dataset_uuid = i.source_id JOIN input_tags t USING (input_uuid)"),
                  "clips|abc|{\"uri\":\"/data\"}|" + kFirst + "|training|");
        EXPECT_EQ(rowOf("SELECT name, version, source, run_id, status FROM model_versions"),
                  "net|1|file:///w|" + kFirst + "|READY|");
        EXPECT_EQ(rowOf("SELECT alias, version FROM registered_model_aliases"), "best|1|");
        EXPECT_EQ(rowOf("SELECT value FROM model_version_tags"), "1|");
        EXPECT_EQ(rowOf("SELECT t.value FROM experiment_tags t JOIN experiments USING (experiment_id) "
                        "WHERE name = 'shapes'"),
                  "why|");
    };
    check();
    std::vector<std::string> left;
    for (const auto& entry : summary.skipped) left.push_back(std::to_string(entry.count) + " " + entry.what);
    EXPECT_THAT(left, testing::Contains("1 logged models"));
    import(source());
    check();

    SQLite::Database(source(), SQLite::OPEN_READWRITE)
        .exec("UPDATE model_versions SET source = 'file:///other'");
    EXPECT_THAT(import(source()).skipped,
                testing::Contains(
                    testing::Field(&SkippedItem::what, HasSubstr("version 1 of registered model net"))));
    check();
}

TEST_F(MlflowImport, TheFileStoresDataSetsModelsAndArtifactsComeToo) {
    const std::string run = "mlruns/7/" + kFirst + "/";
    write("mlruns/7/meta.yaml", "experiment_id: '7'\nlifecycle_stage: active\nname: shapes\n");
    write("mlruns/7/tags/mlflow.note.content", "why");
    write("mlruns/7/models/m-1/meta.yaml", "model_id: m-1\n");
    write(run + "meta.yaml", "run_id: " + kFirst +
                                 "\nrun_name: one\nstatus: 3\nstart_time: 1\n"
                                 "artifact_uri: file:///elsewhere/mlruns/7/" +
                                 kFirst + "/artifacts\n");
    write(run + "metrics/loss", "1700000000100 0.5 1\n");
    write(run + "artifacts/samples.csv", "step,x\n1,2\n");
    write(run + "inputs/i/meta.yaml",
          "source_type: DATASET\nsource_id: d\ntags:\n  mlflow.data.context: training\n");
    write("mlruns/7/datasets/d/meta.yaml", "digest: abc\nname: clips\nsource: s\nsource_type: local\n");
    write("mlruns/models/net/meta.yaml", "name: net\ncreation_timestamp: 5\n");
    write("mlruns/models/net/version-1/meta.yaml",
          "name: net\nversion: 1\nrun_id: " + kFirst + "\nsource: file:///w\n");
    const auto summary = import(place("mlruns"));
    EXPECT_EQ(summary.total().runsAdded, 1) << "the CSV file is an artifact and no run";
    SQLite::Database db(m_store.file());
    EXPECT_EQ(db.execAndGet("SELECT digest FROM datasets").getString(), "abc");
    EXPECT_EQ(db.execAndGet("SELECT value FROM input_tags").getString(), "training");
    EXPECT_EQ(db.execAndGet("SELECT run_id FROM model_versions WHERE name = 'net'").getString(), kFirst);
    EXPECT_THAT(m_store.run(kFirst)->artifactUri, HasSubstr(run + "artifacts"))
        << "where they were copied to";
    EXPECT_THAT(summary.notes, testing::Contains(HasSubstr("1 artifact file of 1 run stays where it is")));
    EXPECT_THAT(summary.skipped, testing::Contains(testing::Field(&SkippedItem::what, "logged models")));
}

TEST_F(MlflowImport, TheStoreItselfAndForeignDatabasesAreRefused) {
    EXPECT_THAT(complaint([&] { import(m_store.file()); }), HasSubstr("is the store itself"));
    SQLite::Database(source(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec("CREATE TABLE t (a)");
    EXPECT_THAT(complaint([&] { import(source()); }), HasSubstr("no MLflow tables"));
    EXPECT_THAT(m_store.runs(), testing::IsEmpty());
}

}  // namespace
}  // namespace dailies::exchange
