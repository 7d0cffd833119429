// MLflow's SQLite files of every version that the store reads, and so Dailies' own.
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/mlflow_records.h"
#include "core/exchange/sources/mlflow_run.h"
#include "core/exchange/sources/sources.h"
#include "core/tracking/database.h"
#include "core/tracking/schema.h"

#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <set>

namespace dailies::exchange {

namespace {

using tracking::Run;

struct Row {
    SourceRun found;
    std::string sourceId;
};

double storedNumber(double value, bool isNan) {
    constexpr double kLargest = std::numeric_limits<double>::max();
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (isNan) return std::numeric_limits<double>::quiet_NaN();
    if (std::fabs(value) < kLargest) return value;  // MLflow's infinity is the largest double
    return value > 0 ? kInfinity : -kInfinity;
}

std::vector<Row> readRuns(SQLite::Database& db) {
    std::vector<Row> rows;
    SQLite::Statement query(
        db,
        "SELECT r.run_uuid, r.name, e.name, r.status, r.start_time, r.end_time, "
        "r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active', r.user_id, r.artifact_uri "
        "FROM runs r JOIN experiments e ON e.experiment_id = r.experiment_id ORDER BY r.rowid");
    while (query.executeStep()) {
        Row& row = rows.emplace_back();
        Run& run = row.found.run;
        row.sourceId = query.getColumn(0).getString();
        run.name = query.getColumn(1).getString();
        run.experiment = query.getColumn(2).getString();
        run.status = mlflowStatus(query.getColumn(3).getString());
        run.startMs = query.getColumn(4).getInt64();
        if (!query.getColumn(5).isNull()) run.endMs = query.getColumn(5).getInt64();
        run.deleted = query.getColumn(6).getInt() == 0;
        run.user = query.getColumn(7).getString();
        run.artifactUri = query.getColumn(8).getString();
    }
    return rows;
}

void readPairs(SQLite::Database& db, const char* table, const std::string& sourceId,
               tracking::KeyedValues<std::string>& pairs) {
    SQLite::Statement query(db, std::string("SELECT \"key\", value FROM ") + table + " WHERE run_uuid = ?");
    query.bind(1, sourceId);
    while (query.executeStep()) pairs[query.getColumn(0).getString()] = query.getColumn(1).getString();
}

void readPoints(SQLite::Database& db, const Row& row, tracking::MetricHistories& histories,
                ImportSink& sink) {
    // in the order of writing, which is the order of the pages
    SQLite::Statement query(db,
                            "SELECT \"key\", step, timestamp, value, is_nan FROM metrics "
                            "WHERE run_uuid = ? ORDER BY rowid");
    query.bind(1, row.sourceId);
    auto current = histories.end();
    std::int64_t unreported = 0;
    while (query.executeStep()) {
        const char* key = query.getColumn(0).getText();
        if (current == histories.end() || current->first != key) current = histories.try_emplace(key).first;
        current->second.push_back(
            {query.getColumn(1).getInt64(), query.getColumn(2).getInt64(),
             storedNumber(query.getColumn(3).getDouble(), query.getColumn(4).getInt() != 0)});
        if (++unreported == 10'000) {
            sink.reportProgress(row.found.run.name, unreported);
            unreported = 0;
        }
    }
    sink.reportProgress(row.found.run.name, unreported);
}

/// From a run's id in the source to its id here.
using RunIds = std::map<std::string, std::string>;

std::string runIdHere(const RunIds& ids, const std::string& sourceId) {
    const auto found = ids.find(sourceId);
    return found == ids.end() ? sourceId : found->second;
}

/// Calls `take(query)` for each row, where MLflow's version has the table.
template <class Take>
void eachRow(SQLite::Database& db, const char* table, const std::string& sql, Take&& take) {
    if (!db.tableExists(table)) return;
    SQLite::Statement query(db, sql);
    while (query.executeStep()) take(query);
}

std::vector<DatasetInput> readInputs(SQLite::Database& db, const RunIds& ids) {
    std::vector<DatasetInput> inputs;
    std::map<std::string, std::size_t> byInput;
    eachRow(
        db, "inputs",
        "SELECT i.input_uuid, i.destination_id, d.name, d.digest, d.dataset_source_type, d.dataset_source, "
        "d.dataset_schema, d.dataset_profile FROM inputs i JOIN datasets d ON d.dataset_uuid = i.source_id "
        "WHERE i.source_type = 'DATASET' AND i.destination_type = 'RUN'",
        [&](SQLite::Statement& row) {
            byInput[row.getColumn(0).getString()] = inputs.size();
            inputs.push_back({.runId = runIdHere(ids, row.getColumn(1).getString()),
                              .name = row.getColumn(2).getString(),
                              .digest = row.getColumn(3).getString(),
                              .sourceType = row.getColumn(4).getString(),
                              .source = row.getColumn(5).getString(),
                              .schema = row.getColumn(6).getString(),
                              .profile = row.getColumn(7).getString()});
        });
    eachRow(db, "input_tags", "SELECT input_uuid, name, value FROM input_tags", [&](SQLite::Statement& row) {
        if (const auto input = byInput.find(row.getColumn(0).getString()); input != byInput.end())
            inputs[input->second].tags[row.getColumn(1).getString()] = row.getColumn(2).getString();
    });
    return inputs;
}

std::vector<RegisteredModel> readModels(SQLite::Database& db, const RunIds& ids) {
    std::map<std::string, RegisteredModel> models;
    eachRow(db, "registered_models",
            "SELECT name, creation_time, last_updated_time, description FROM registered_models",
            [&](SQLite::Statement& row) {
                auto& model = models[row.getColumn(0).getString()];
                model.name = row.getColumn(0).getString();
                model.createdMs = row.getColumn(1).getInt64();
                model.updatedMs = row.getColumn(2).getInt64();
                model.description = row.getColumn(3).getString();
            });
    eachRow(db, "registered_model_tags", "SELECT name, \"key\", value FROM registered_model_tags",
            [&](SQLite::Statement& row) {
                models[row.getColumn(0).getString()].tags[row.getColumn(1).getString()] =
                    row.getColumn(2).getString();
            });
    eachRow(db, "registered_model_aliases", "SELECT name, alias, version FROM registered_model_aliases",
            [&](SQLite::Statement& row) {
                models[row.getColumn(0).getString()].aliases[row.getColumn(1).getString()] =
                    row.getColumn(2).getInt64();
            });
    std::map<std::pair<std::string, std::int64_t>, Pairs> tags;
    eachRow(
        db, "model_version_tags", "SELECT name, version, \"key\", value FROM model_version_tags",
        [&](SQLite::Statement& row) {
            tags[{row.getColumn(0).getString(), row.getColumn(1).getInt64()}][row.getColumn(2).getString()] =
                row.getColumn(3).getString();
        });
    // the oldest versions of MLflow that are read have all of these columns but the last
    SQLite::Statement columns(
        db, "SELECT COUNT(*) FROM pragma_table_info('model_versions') WHERE name = 'storage_location'");
    columns.executeStep();
    const char* storage = columns.getColumn(0).getInt() > 0 ? "storage_location" : "NULL";
    eachRow(db, "model_versions",
            std::string("SELECT name, version, creation_time, last_updated_time, description, user_id, "
                        "current_stage, source, run_id, status, status_message, run_link, ") +
                storage + " FROM model_versions ORDER BY name, version",
            [&](SQLite::Statement& row) {
                ModelVersion version;
                version.version = row.getColumn(1).getInt64();
                version.createdMs = row.getColumn(2).getInt64();
                version.updatedMs = row.getColumn(3).getInt64();
                version.description = row.getColumn(4).getString();
                version.user = row.getColumn(5).getString();
                version.stage = row.getColumn(6).getString();
                version.source = row.getColumn(7).getString();
                version.runId = runIdHere(ids, row.getColumn(8).getString());
                version.status = row.getColumn(9).getString();
                version.statusMessage = row.getColumn(10).getString();
                version.runLink = row.getColumn(11).getString();
                version.storage = row.getColumn(12).getString();
                version.tags = tags[{row.getColumn(0).getString(), version.version}];
                models[row.getColumn(0).getString()].versions.push_back(std::move(version));
            });
    std::vector<RegisteredModel> list;
    for (auto& [name, model] : models)
        if (!model.name.empty()) list.push_back(std::move(model));
    return list;
}

std::map<std::string, Pairs> readExperimentTags(SQLite::Database& db) {
    std::map<std::string, Pairs> tags;
    eachRow(db, "experiment_tags",
            "SELECT e.name, t.\"key\", t.value FROM experiment_tags t JOIN experiments e "
            "ON e.experiment_id = t.experiment_id",
            [&](SQLite::Statement& row) {
                tags[row.getColumn(0).getString()][row.getColumn(1).getString()] =
                    row.getColumn(2).getString();
            });
    return tags;
}

/// Names and counts what the file has beside what is read from it.
std::vector<SkippedItem> readLeftOut(SQLite::Database& db) {
    static const std::set<std::string> kRead = {"alembic_version",
                                                "experiments",
                                                "experiment_tags",
                                                "runs",
                                                "params",
                                                "tags",
                                                "metrics",
                                                "latest_metrics",
                                                "datasets",
                                                "inputs",
                                                "input_tags",
                                                "registered_models",
                                                "registered_model_tags",
                                                "registered_model_aliases",
                                                "model_versions",
                                                "model_version_tags",
                                                "workspaces"};
    static const std::map<std::string, std::string> kCalled = {
        {"logged_models", "logged models"},
        {"trace_info", "traces"},
        {"evaluation_datasets", "evaluation data sets"}};
    std::vector<std::string> tables;
    eachRow(db, "runs", "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
            [&](SQLite::Statement& row) { tables.push_back(row.getColumn(0).getString()); });
    std::vector<SkippedItem> left;
    for (const auto& table : tables) {
        if (kRead.contains(table) || table.starts_with("dailies_") || table.starts_with("sqlite_")) continue;
        const auto called = kCalled.find(table);
        // what belongs to each of those is not counted again
        if (called == kCalled.end() &&
            (table.starts_with("logged_model_") || table.starts_with("trace_") || table.starts_with("span") ||
             table.starts_with("evaluation_dataset_")))
            continue;
        const std::int64_t rows = db.execAndGet("SELECT COUNT(*) FROM \"" + table + "\"").getInt64();
        if (rows > 0)
            left.push_back({called == kCalled.end() ? "rows of MLflow's table " + table : called->second,
                            "Dailies has no use for them; they stay in MLflow's file", rows});
    }
    return left;
}

void readDatabase(const std::filesystem::path& file, ImportSink& sink) {
    tracking::Database database(file, true, sink.stop());
    const bool ours = tracking::checkForReading(database);
    auto rows = database.read([](SQLite::Database& db) { return readRuns(db); });
    RunIds ids;
    ArtifactResolver artifacts;
    for (Row& row : rows) {
        auto& [run, histories] = row.found;
        database.read([&](SQLite::Database& db) {
            readPairs(db, "params", row.sourceId, run.params);
            readPairs(db, "tags", row.sourceId, run.tags);
            readPoints(db, row, histories, sink);
        });
        resolveMlflowRun(run, row.sourceId);
        // a server started in this folder keeps what it serves beside its database
        constexpr std::string_view kServed = "mlflow-artifacts:/";
        std::filesystem::path moved;
        if (run.artifactUri.starts_with(kServed))
            moved = file.parent_path() / "mlartifacts" / run.artifactUri.substr(kServed.size());
        artifacts.settle(run, moved, sink);
        ids[row.sourceId] = run.id;
        sink.take(std::move(row.found));
        row.found = {};
    }
    artifacts.tell(sink);
    addDatasetInputs(sink, database.read([&](SQLite::Database& db) { return readInputs(db, ids); }));
    for (const auto& [experiment, tags] :
         database.read([](SQLite::Database& db) { return readExperimentTags(db); }))
        addExperimentTags(sink, experiment, tags);
    addRegisteredModels(sink, database.read([&](SQLite::Database& db) { return readModels(db, ids); }));
    sink.addSkipped(database.read([](SQLite::Database& db) { return readLeftOut(db); }));
    if (ours)
        sink.addSkipped("clips, checkpoints, attempts and messages",
                        "they stay in the store they were imported from");
}

}  // namespace

bool isSqliteFile(const std::filesystem::path& file) {
    char magic[16] = {};
    std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
    return std::string_view(magic, sizeof magic) == std::string_view("SQLite format 3\0", 16);
}

void readMlflow(const std::filesystem::path& root, const Places& places, ImportSink& sink) {
    Places folders;
    for (const auto& place : places) {
        if (std::filesystem::is_directory(place))
            folders.push_back(place);
        else
            readDatabase(place, sink);
    }
    readMlflowFolders(root, folders, sink);
}

}  // namespace dailies::exchange
