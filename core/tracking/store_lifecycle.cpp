// Deleting runs, taking that back, and deleting them for ever.
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/curve_sync.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <string_view>
#include <system_error>

namespace dailies::tracking {

namespace {

namespace fs = std::filesystem;

void setStage(SQLite::Database& db, const std::vector<std::string>& runIds, bool deleted) {
    for (const auto& runId : runIds) requireRun(db, runId);
    SQLite::Statement update(db,
                             "UPDATE runs SET lifecycle_stage = ?, deleted_time = ? "
                             "WHERE run_uuid IN (SELECT value FROM json_each(?))");
    update.bind(1, deleted ? "deleted" : "active");
    if (deleted) update.bind(2, unixMillis());
    update.bind(3, idList(runIds));
    update.exec();
}

/// Where a run's mirrored files wait while its rows are being deleted.
constexpr std::string_view kAside = ".purged-";
fs::path asideOf(const fs::path& store, const std::string& runId) {
    return artifactRoot(store) / (std::string(kAside) + runId);
}

bool hasFiles(const std::string& runId) {
    return isId(runId);  // ids of other shapes come from other programs; Dailies mirrors no files for them
}

/// Files that an interrupted purge left aside go back to the run, which is still there.
void putBack(const fs::path& store, const std::vector<std::string>& runIds) {
    for (const auto& runId : runIds) {
        std::error_code none;
        if (hasFiles(runId)) fs::rename(asideOf(store, runId), artifactRoot(store) / runId, none);
    }
}

void putAside(const fs::path& store, const std::vector<std::string>& runIds) {
    for (const auto& runId : runIds) {
        const auto folder = artifactRoot(store) / runId;
        std::error_code problem;
        if (!hasFiles(runId) || !fs::exists(folder, problem)) continue;
        fs::rename(folder, asideOf(store, runId), problem);
        if (problem)
            throw Error("The mirrored files in " + folder.string() +
                            " cannot be removed: " + problem.message() + ". No run was removed.",
                        "Check the permissions of that folder and try again.");
    }
}

std::int64_t sizeOf(const fs::path& folder) {
    std::int64_t bytes = 0;
    std::error_code problem;
    for (fs::recursive_directory_iterator at(folder, problem), end; !problem && at != end;
         at.increment(problem))
        if (at->is_regular_file(problem) && !at->is_symlink(problem))
            bytes += static_cast<std::int64_t>(at->file_size(problem));
    return bytes;
}

/// Removes the files of runs whose rows are gone, also those of an earlier purge that was interrupted; the
/// number of their bytes.
std::int64_t removeAside(SQLite::Database& db, const fs::path& store) {
    std::int64_t bytes = 0;
    std::error_code problem;
    std::vector<fs::path> folders;
    for (fs::directory_iterator at(artifactRoot(store), problem), end; !problem && at != end;
         at.increment(problem))
        if (at->path().filename().string().starts_with(kAside)) folders.push_back(at->path());
    SQLite::Statement run(db, "SELECT 1 FROM runs WHERE run_uuid = ?");
    for (const auto& folder : folders) {
        run.bind(1, folder.filename().string().substr(kAside.size()));
        const bool exists = run.executeStep();
        run.reset();
        if (exists) continue;
        bytes += sizeOf(folder);
        fs::remove_all(folder, problem);  // what cannot be removed now is removed with the next
    }
    return bytes;
}

std::int64_t storeSize(const fs::path& store) {
    std::int64_t bytes = 0;
    for (const char* part : {"", "-wal"}) {
        std::error_code problem;
        const auto size = fs::file_size(fs::path(store) += part, problem);
        if (!problem) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

std::int64_t execute(SQLite::Database& db, const std::string& sql, const std::string& ids) {
    SQLite::Statement statement(db, sql);
    statement.bind(1, ids);
    return statement.exec();
}

/// Deletes the rows of the runs in every table that has any; the points' number is returned.
std::int64_t deleteRows(SQLite::Database& db, const std::string& ids) {
    const std::string ofThese = " IN (SELECT value FROM json_each(?1))";
    const auto points = execute(db, "DELETE FROM metrics WHERE run_uuid" + ofThese, ids);
    execute(db,
            "DELETE FROM input_tags WHERE input_uuid IN (SELECT input_uuid FROM inputs WHERE "
            "(source_type LIKE 'RUN%' AND source_id" +
                ofThese + ") OR (destination_type LIKE 'RUN%' AND destination_id" + ofThese + "))",
            ids);
    execute(db,
            "DELETE FROM inputs WHERE (source_type LIKE 'RUN%' AND source_id" + ofThese +
                ") OR (destination_type LIKE 'RUN%' AND destination_id" + ofThese + ")",
            ids);
    for (const char* table : {"latest_metrics",
                              "params",
                              "tags",
                              "dailies_ingest",
                              "dailies_metric_keys",
                              "dailies_attempts",
                              "dailies_clips",
                              "dailies_clip_inputs",
                              "dailies_clip_curves",
                              "dailies_checked_clips",
                              "dailies_findings",
                              "dailies_checkpoints",
                              "dailies_messages",
                              "dailies_restarts",
                              "dailies_scores",
                              "dailies_alerts",
                              "dailies_judgements",
                              "dailies_seen",
                              "dailies_arena_runs",
                              "dailies_sources",
                              "dailies_source_keys",
                              "runs"})
        execute(db, std::string("DELETE FROM ") + table + " WHERE run_uuid" + ofThese, ids);
    return points;
}

/// Those of the runs just removed, and of any that other programs removed (`mlflow gc`).
void removeCurvesWithoutRun(StatementCache& statements) {
    std::vector<std::string> runIds;
    {
        const auto query = statements(
            "SELECT DISTINCT run_uuid FROM dailies_curves WHERE run_uuid NOT IN (SELECT run_uuid FROM runs)");
        while (query->executeStep()) runIds.push_back(query->getColumn(0).getString());
    }
    for (const auto& runId : runIds) CurveTable(statements).removeRun(runId);
}

void requireDeleted(SQLite::Database& db, const std::vector<std::string>& runIds) {
    SQLite::Statement query(db, "SELECT lifecycle_stage, name FROM runs WHERE run_uuid = ?");
    for (const auto& runId : runIds) {
        requireRun(db, runId);
        query.bind(1, runId);
        if (query.executeStep(); query.getColumn(0).getString() != "deleted")
            throw Error("The run " + sanitizedText(query.getColumn(1).getString()) + " (" + runId +
                            ") is not deleted, so it cannot be purged. No run was purged.",
                        "Delete it first; a deleted run can be restored until it is purged.");
        query.reset();
    }
}

}  // namespace

void Store::deleteRuns(const std::vector<std::string>& runIds) {
    m_impl->database.write([&](SQLite::Database& db) { setStage(db, runIds, true); });
}

void Store::restoreRuns(const std::vector<std::string>& runIds) {
    m_impl->database.write([&](SQLite::Database& db) { setStage(db, runIds, false); });
    putBack(file(), runIds);
}

PurgeResult Store::purgeRuns(const std::vector<std::string>& runIds) {
    prepareCurves();
    PurgeResult purged;
    const auto before = storeSize(file());
    purged.runs = static_cast<std::int64_t>(runIds.size());
    try {
        m_impl->database.write([&](SQLite::Database& db) {
            requireDeleted(db, runIds);
            putAside(file(), runIds);
            StatementCache& statements = m_impl->database.statements();
            catchUpCurves(m_impl->database);
            purged.points = deleteRows(db, idList(runIds));
            removeCurvesWithoutRun(statements);
            CurveSync(statements, statements).markComplete();
        });
    } catch (...) {
        putBack(file(), runIds);
        throw;
    }
    purged.bytes += m_impl->database.read([&](SQLite::Database& db) { return removeAside(db, file()); });
    m_impl->database.shrink();
    purged.bytes += std::max<std::int64_t>(0, before - storeSize(file()));
    return purged;
}

}  // namespace dailies::tracking
