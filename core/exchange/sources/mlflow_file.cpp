// MLflow's SQLite files of every version that the store reads, and so Dailies' own.
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/exchange/derived_run_id.h"
#include "core/exchange/sources/mlflow_run.h"
#include "core/exchange/sources/sources.h"
#include "core/tracking/database.h"
#include "core/tracking/schema.h"

#include <cmath>
#include <fstream>
#include <limits>

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

void readPoints(SQLite::Database& db, const Row& row, tracking::MetricHistories& histories, Intake& intake) {
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
            intake.reading(row.found.run.name, unreported);
            unreported = 0;
        }
    }
    intake.reading(row.found.run.name, unreported);
}

}  // namespace

bool isMlflowFile(const std::filesystem::path& file) {
    char magic[16] = {};
    std::ifstream(file, std::ios::binary).read(magic, sizeof magic);
    return std::string_view(magic, sizeof magic) == std::string_view("SQLite format 3\0", 16);
}

std::int64_t readMlflowFile(const std::filesystem::path& file, Intake& intake) {
    tracking::Database database(file, true, intake.stop());
    const bool ours = tracking::checkForReading(database);
    auto rows = database.read([](SQLite::Database& db) { return readRuns(db); });
    for (Row& row : rows) {
        auto& [run, histories] = row.found;
        database.read([&](SQLite::Database& db) {
            readPairs(db, "params", row.sourceId, run.params);
            readPairs(db, "tags", row.sourceId, run.tags);
            readPoints(db, row, histories, intake);
        });
        settleMlflowRun(run, row.sourceId);
        intake.take(std::move(row.found));
        row.found = {};
    }
    if (ours)
        intake.leaveOut("clips, checkpoints, attempts and messages",
                        "they stay in the store they were imported from");
    return static_cast<std::int64_t>(rows.size());
}

}  // namespace dailies::exchange
