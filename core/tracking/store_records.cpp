// What a run leaves behind beside its metrics: attempts, clips, checkpoints, messages.
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

std::vector<ClipRecord> readClips(SQLite::Statement& query) {
    std::vector<ClipRecord> clips;
    while (query.executeStep()) {
        ClipRecord& clip = clips.emplace_back();
        clip.runId = query.getColumn(0).getString();
        clip.step = query.getColumn(1).getInt64();
        clip.prompt = query.getColumn(2).getString();
        clip.seed = query.getColumn(3).getInt64();
        clip.path = query.getColumn(4).getString();
        clip.frames = query.getColumn(5).getInt();
        clip.height = query.getColumn(6).getInt();
        clip.width = query.getColumn(7).getInt();
        clip.fps = query.getColumn(8).getDouble();
        if (!query.getColumn(9).isNull()) clip.adherence = query.getColumn(9).getDouble();
        clip.localPath = query.getColumn(10).getString();
    }
    return clips;
}

void Store::putAttempt(const Attempt& attempt) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, attempt.runId);
        // Slurm forgets by and by: what was known of a node or a time must outlive an answer that no longer
        // has it
        SQLite::Statement upsert(
            db,
            "INSERT INTO dailies_attempts (run_uuid, job, restarts, state, reason, exit_code, node, "
            "start_time, end_time) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_uuid, job, restarts) DO UPDATE SET "
            "state = excluded.state, reason = excluded.reason, "
            "exit_code = COALESCE(NULLIF(excluded.exit_code, ''), exit_code), "
            "node = COALESCE(NULLIF(excluded.node, ''), node), "
            "start_time = COALESCE(NULLIF(excluded.start_time, 0), start_time), "
            "end_time = COALESCE(NULLIF(excluded.end_time, 0), end_time)");
        SQLite::bind(upsert, attempt.runId, attempt.job, attempt.restarts, attempt.state,
                     sanitizedText(attempt.reason), attempt.exitCode, attempt.node, attempt.startMs,
                     attempt.endMs);
        upsert.exec();
    });
}

std::vector<Attempt> Store::attempts(const std::string& runId) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<Attempt> found;
        SQLite::Statement query(
            db,
            "SELECT run_uuid, job, restarts, state, reason, exit_code, node, start_time, end_time "
            "FROM dailies_attempts WHERE run_uuid = ? ORDER BY rowid");
        query.bind(1, runId);
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                             query.getColumn(2).getInt64(), query.getColumn(3).getString(),
                             query.getColumn(4).getString(), query.getColumn(5).getString(),
                             query.getColumn(6).getString(), query.getColumn(7).getInt64(),
                             query.getColumn(8).getInt64()});
        return found;
    });
}

std::vector<Restart> Store::restarts(const std::string& runId) const {
    if (!m_impl->hasOwnCurves()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<Restart> found;
        SQLite::Statement query(
            db, "SELECT attempt, from_step, time FROM dailies_restarts WHERE run_uuid = ? ORDER BY attempt");
        query.bind(1, runId);
        while (query.executeStep())
            found.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                             query.getColumn(2).getInt64()});
        return found;
    });
}

std::vector<ClipRecord> Store::clips(const std::vector<std::string>& runIds) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(
            db, std::string("SELECT ") + kClipColumns +
                    " FROM json_each(?) wanted JOIN dailies_clips c ON c.run_uuid = wanted.value "
                    "ORDER BY wanted.key, c.step, c.prompt, c.seed");
        query.bind(1, idList(runIds));
        return readClips(query);
    });
}

namespace {

/// Clips, and what they were made from, whose files are not here.
std::string withoutFile(bool hasInputs) {
    const std::string inputs =
        hasInputs ? "UNION ALL SELECT run_uuid, MAX(step), '', 0, path, 0, 0, 0, 0, NULL, local_path "
                    "FROM dailies_clip_inputs WHERE local_path = '' GROUP BY run_uuid, path"
                  : "";
    return std::string("SELECT ") + kClipColumns +
           " FROM (SELECT run_uuid, step, prompt, seed, path, frames, height, width, fps, adherence, "
           "local_path FROM dailies_clips WHERE local_path = '' " +
           inputs + ") c ";
}

}  // namespace

std::vector<ClipRecord> Store::clipsToFetch(const std::string& cluster) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(
            db, withoutFile(m_impl->hasClipInputs()) +
                    "JOIN tags t ON t.run_uuid = c.run_uuid JOIN runs r ON r.run_uuid = c.run_uuid "
                    "WHERE t.\"key\" = ? AND t.value = ? AND r.lifecycle_stage = 'active' "
                    "ORDER BY c.step DESC, c.run_uuid, c.prompt, c.seed");
        SQLite::bind(query, tag::kCluster, cluster);
        return readClips(query);
    });
}

std::vector<ClipRecord> Store::clipsWithoutFile(const std::string& runId) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(db, withoutFile(m_impl->hasClipInputs()) +
                                        "WHERE c.run_uuid = ? ORDER BY c.step DESC, c.prompt, c.seed");
        query.bind(1, runId);
        return readClips(query);
    });
}

void Store::setClipLocalPath(const std::string& runId, const std::string& path,
                             const std::string& localPath) {
    m_impl->database.write([&](SQLite::Database& db) {
        // a clip that a resume retracted while it was being fetched is no longer there, and that is no error
        SQLite::Statement update(db,
                                 "UPDATE dailies_clips SET local_path = ? WHERE run_uuid = ? AND path = ?");
        SQLite::bind(update, localPath, runId, path);
        update.exec();
        SQLite::Statement input(
            db, "UPDATE dailies_clip_inputs SET local_path = ? WHERE run_uuid = ? AND path = ?");
        SQLite::bind(input, localPath, runId, path);
        input.exec();
        forgetChecks(db, runId, path);
    });
}

void Store::setClipFacts(const ClipRecord& clip) {
    m_impl->database.write([&](SQLite::Database& db) {
        SQLite::Statement update(db,
                                 "UPDATE dailies_clips SET frames = ?, height = ?, width = ?, fps = ? "
                                 "WHERE run_uuid = ? AND path = ?");
        SQLite::bind(update, clip.frames, clip.height, clip.width, clip.fps, clip.runId, clip.path);
        update.exec();
    });
}

std::vector<CheckpointRecord> Store::checkpoints(const std::string& runId) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<CheckpointRecord> found;
        SQLite::Statement query(
            db,
            "SELECT run_uuid, step, path, bytes FROM dailies_checkpoints WHERE run_uuid = ? ORDER BY step");
        query.bind(1, runId);
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getInt64(),
                             query.getColumn(2).getString(), query.getColumn(3).getInt64()});
        return found;
    });
}

void Store::addMessage(const RunMessage& message) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, message.runId);
        SQLite::Statement insert(
            db, "INSERT INTO dailies_messages (run_uuid, time, level, text) VALUES (?, ?, ?, ?)");
        SQLite::bind(insert, message.runId, message.timeMs, message.level, sanitizedText(message.text));
        insert.exec();
    });
}

std::vector<RunMessage> Store::messages(const std::string& runId) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<RunMessage> found;
        SQLite::Statement query(db,
                                "SELECT run_uuid, time, level, text FROM dailies_messages WHERE run_uuid = ? "
                                "ORDER BY time, message_id");
        query.bind(1, runId);
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getInt64(),
                             query.getColumn(2).getString(), query.getColumn(3).getString()});
        return found;
    });
}

}  // namespace dailies::tracking
