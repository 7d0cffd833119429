#include "core/judging/seen.h"

#include "core/judging/judging_version.h"
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
    if (!store.hasTablesOf(kJudgingVersion)) return {};
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

std::optional<std::int64_t> lastVisitMs(const tracking::Store& store, const std::string& author) {
    if (!store.hasTablesOf(kJudgingVersion)) return std::nullopt;
    return store.database().read([&](SQLite::Database& db) -> std::optional<std::int64_t> {
        SQLite::Statement query(db, "SELECT MAX(time) FROM dailies_seen WHERE author = ?");
        query.bind(1, author);
        if (!query.executeStep() || query.getColumn(0).isNull()) return std::nullopt;
        return query.getColumn(0).getInt64();
    });
}

}  // namespace dailies::judging
