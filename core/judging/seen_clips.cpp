#include "core/judging/seen_clips.h"

#include "core/judging/judging_version.h"
#include "core/tracking/batch_run.h"
#include "core/tracking/database.h"
#include "core/tracking/run_rows.h"

namespace dailies::judging {

void markSeen(tracking::Store& store, const std::string& author, const std::vector<ClipKey>& clips,
              std::int64_t timeMs) {
    store.database().write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, "INSERT OR IGNORE INTO dailies_seen (run_uuid, author, path, time) VALUES (?, ?, ?, ?)");
        for (const ClipKey& clip : clips) {
            SQLite::bind(insert, clip.runId, author, clip.path, timeMs);
            insert.exec();
            insert.reset();
        }
    });
}

void markUnseen(tracking::Store& store, const std::string& author, const std::vector<ClipKey>& clips) {
    store.database().write([&](SQLite::Database& db) {
        SQLite::Statement remove(db,
                                 "DELETE FROM dailies_seen WHERE run_uuid = ? AND author = ? AND path = ?");
        for (const ClipKey& clip : clips) {
            SQLite::bind(remove, clip.runId, author, clip.path);
            remove.exec();
            remove.reset();
        }
    });
}

std::set<ClipKey> seenClips(const tracking::Store& store, const std::string& author,
                            const std::vector<std::string>& runIds) {
    if (!store.hasSchemaVersion(kJudgingVersion)) return {};
    return store.database().read([&](SQLite::Database& db) {
        std::set<ClipKey> seen;
        SQLite::Statement query(
            db,
            "SELECT run_uuid, path FROM dailies_seen WHERE run_uuid IN (SELECT value FROM "
            "json_each(?)) AND author = ?");
        SQLite::bind(query, tracking::idList(runIds), author);
        while (query.executeStep())
            seen.insert({query.getColumn(0).getString(), query.getColumn(1).getString()});
        return seen;
    });
}

namespace {

/// Clips `c` that have arrived, made by models, of runs that are not deleted; `unseen` binds the author.
const std::string kArrived =
    std::string(
        " FROM dailies_clips c JOIN runs r ON r.run_uuid = c.run_uuid AND r.lifecycle_stage = 'active' "
        "JOIN experiments e ON e.experiment_id = r.experiment_id AND e.lifecycle_stage = 'active' WHERE "
        "c.local_path <> '' AND NOT EXISTS (SELECT 1 FROM tags t WHERE t.run_uuid = c.run_uuid AND t.key = "
        "'") +
    tracking::tag::kBatchOf + "') ";
constexpr const char* kUnseen =
    " NOT EXISTS (SELECT 1 FROM dailies_seen s WHERE s.run_uuid = c.run_uuid AND s.author = ? AND s.path = "
    "c.path) ";

}  // namespace

void markAllSeen(tracking::Store& store, const std::string& author, std::int64_t timeMs) {
    store.database().write([&](SQLite::Database& db) {
        SQLite::Statement insert(
            db, std::string("INSERT OR IGNORE INTO dailies_seen (run_uuid, author, path, time) "
                            "SELECT c.run_uuid, ?, c.path, ?") +
                    kArrived);
        SQLite::bind(insert, author, timeMs);
        insert.exec();
    });
}

std::int64_t unseenClips(const tracking::Store& store, const std::string& author) {
    return store.database().read([&](SQLite::Database& db) -> std::int64_t {
        SQLite::Statement query(db, "SELECT COUNT(*)" + kArrived + "AND" + kUnseen);
        query.bind(1, author);
        query.executeStep();
        return query.getColumn(0).getInt64();
    });
}

std::vector<std::string> runsWithUnseenClips(const tracking::Store& store, const std::string& author) {
    return store.database().read([&](SQLite::Database& db) {
        std::vector<std::string> runIds;
        SQLite::Statement query(
            db, std::string("SELECT DISTINCT run_uuid FROM (SELECT c.run_uuid, c.path, c.step, MAX(c.step) "
                            "OVER (PARTITION BY c.run_uuid, c.prompt, c.seed) AS newest") +
                    kArrived + ") c WHERE c.step = c.newest AND" + kUnseen);
        query.bind(1, author);
        while (query.executeStep()) runIds.push_back(query.getColumn(0).getString());
        return runIds;
    });
}

}  // namespace dailies::judging
