#include "core/tracking/schema.h"

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/log/log.h"
#include "core/tracking/mlflow_revisions.h"
#include "core/tracking/store_read_only_error.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <system_error>

namespace dailies::tracking {

namespace {

/// The oldest column of each MLflow table that the store reads and early versions lacked.
struct NeededColumn {
    const char* table;
    const char* column;
};
constexpr std::array kNeededColumns = {
    NeededColumn{"experiments", "last_update_time"},
    NeededColumn{"runs", "deleted_time"},
    NeededColumn{"metrics", "is_nan"},
    NeededColumn{"latest_metrics", "is_nan"},
    NeededColumn{"params", "value"},
    NeededColumn{"tags", "value"},
};

bool has(SQLite::Database& db, const char* query, const std::string& first, const std::string& second = {}) {
    SQLite::Statement statement(db, query);
    statement.bind(1, first);
    if (!second.empty()) statement.bind(2, second);
    return statement.executeStep();
}

bool hasTable(SQLite::Database& db, const std::string& name) {
    return has(db, "SELECT 1 FROM sqlite_master WHERE type IN ('table', 'view') AND name = ?", name);
}

bool isEmpty(SQLite::Database& db) {
    return db.execAndGet("SELECT COUNT(*) FROM sqlite_master").getInt64() == 0;
}

/// MLflow makes a file by all of its migrations, one after the other, which takes some seconds: what lacks
/// tables then only lacks them yet.
void refuseWhileBeingMade(const std::string& file, const std::string& otherwise) {
    constexpr auto kJustWritten = std::chrono::seconds(60);
    for (const char* part : {"", "-wal", "-journal"}) {
        std::error_code absent;
        const auto written = std::filesystem::last_write_time(file + part, absent);
        if (absent || std::filesystem::file_time_type::clock::now() - written > kJustWritten) continue;
        throw Error(file + " does not have all of MLflow's tables yet; MLflow seems to be creating it.",
                    "Try again in a minute. If it stays so: " + otherwise);
    }
}

void refuseUnlessMlflow(SQLite::Database& db, const std::string& file) {
    // Alembic's table comes with the first migration, and is empty until that is done.
    const bool migrates = isEmpty(db) || hasTable(db, "alembic_version") || hasTable(db, "experiments");
    if (!hasTable(db, "runs") || !hasTable(db, "experiments")) {
        const std::string choose = "Choose another file with --store; this one was left as it is.";
        if (migrates) refuseWhileBeingMade(file, choose);
        throw Error(file + " is an SQLite database, but not a tracking store (it has no MLflow tables).",
                    choose);
    }
    for (const auto& needed : kNeededColumns)
        if (!has(db, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?", needed.table, needed.column)) {
            const std::string upgrade = "Bring it up to date with: mlflow db upgrade sqlite:///" + file;
            refuseWhileBeingMade(file, upgrade);
            throw Error(file + " was written by a version of MLflow that is too old (it has no " +
                            needed.table + "." + needed.column + ").",
                        upgrade);
        }
}

std::int64_t dailiesVersion(SQLite::Database& db) {
    if (!hasTable(db, "dailies_schema")) return 0;
    return db.execAndGet("SELECT COALESCE(MAX(version), 0) FROM dailies_schema").getInt64();
}

void refuseNewer(std::int64_t version, std::int64_t known, const std::string& file) {
    if (version > known)
        throw StoreReadOnlyError(
            file + " was written by a newer Dailies (its tables are at version " + std::to_string(version) +
                ", this program knows " + std::to_string(known) + ").",
            "Update this program, or open the file for reading only (without what Dailies "
            "itself keeps beside MLflow's tables).");
}

void refuseNewerMlflow(SQLite::Database& db, const std::string& file) {
    if (!hasTable(db, "alembic_version")) return;
    SQLite::Statement query(db, "SELECT version_num FROM alembic_version");
    if (!query.executeStep() || isKnownRevision(query.getColumn(0).getString())) return;
    throw StoreReadOnlyError(
        file + " was written by a newer MLflow than this program knows (its tables are at revision " +
            sanitizedText(query.getColumn(0).getString()) + ", the newest known is that of MLflow " +
            kNewestMlflow + ").",
        "Open it for reading only, or update this program.");
}

void backUp(Database& database, std::int64_t nextVersion) {
    const std::string copy = database.file().string() + ".before-v" + std::to_string(nextVersion);
    const std::string unfinished = copy + ".part";
    std::error_code problem;
    std::filesystem::remove(unfinished, problem);
    database.withoutTransaction([&](SQLite::Database& db) {
        SQLite::Statement statement(db, "VACUUM INTO ?");
        statement.bind(1, unfinished);
        statement.exec();
    });
    std::filesystem::rename(unfinished, copy, problem);
    if (problem)
        throw Error("The backup " + copy + " could not be written: " + problem.message() + ".",
                    "The store was left as it is; make room beside it and open it again.");
}

}  // namespace

void prepareForWriting(Database& database, const std::vector<std::string>& migrations) {
    const std::string file = database.file().string();
    const auto newest = static_cast<std::int64_t>(migrations.size());
    const auto version = database.read([&](SQLite::Database& db) {
        if (isEmpty(db)) return std::int64_t{0};
        refuseUnlessMlflow(db, file);
        refuseNewerMlflow(db, file);
        return dailiesVersion(db);
    });
    refuseNewer(version, newest, file);
    database.prepareFile();
    if (version > 0 && version < newest) backUp(database, newest);
    if (version == newest) return;
    const auto begin = std::chrono::steady_clock::now();
    database.write([&](SQLite::Database& db) {
        if (isEmpty(db)) db.exec(kMlflowTables);
        for (auto next = dailiesVersion(db); next < newest; ++next) {
            db.exec(migrations[static_cast<std::size_t>(next)]);
            db.exec("UPDATE dailies_schema SET version = " + std::to_string(next + 1));
        }
    });
    log::info("store", file + ": tables brought from version " + std::to_string(version) + " to " +
                           std::to_string(newest) + " in " + log::secondsSince(begin));
}

int checkForReading(Database& database) {
    return database.read([&](SQLite::Database& db) {
        refuseUnlessMlflow(db, database.file().string());
        const auto version = dailiesVersion(db);
        return version <= static_cast<std::int64_t>(kDailiesMigrations.size()) ? static_cast<int>(version)
                                                                               : 0;
    });
}

}  // namespace dailies::tracking
