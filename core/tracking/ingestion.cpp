#include "core/tracking/ingestion.h"

#include "core/base/text.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

namespace dailies::tracking {

Ingestion::Ingestion(SQLite::Database& db, std::string runId)
    : m_db(db),
      m_runId(std::move(runId)),
      // OR IGNORE: MLflow's key is the whole point, so logging the same point twice is the same as once
      m_insertPoint(db,
                    "INSERT OR IGNORE INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) "
                    "VALUES (?, ?, ?, ?, ?, ?)"),
      // a clip written again under the same path has to be fetched again
      m_upsertClip(
          db,
          "INSERT INTO dailies_clips (run_uuid, path, step, prompt, seed, frames, height, width, fps, "
          "adherence, "
          "local_path) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, '') ON CONFLICT (run_uuid, path) DO UPDATE SET "
          "step = excluded.step, prompt = excluded.prompt, seed = excluded.seed, frames = excluded.frames, "
          "height = excluded.height, width = excluded.width, fps = excluded.fps, "
          "adherence = excluded.adherence, local_path = ''"),
      m_upsertCheckpoint(
          db,
          "INSERT INTO dailies_checkpoints (run_uuid, step, path, bytes) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (run_uuid, step) DO UPDATE SET path = excluded.path, bytes = excluded.bytes"),
      m_insertMessage(db, "INSERT INTO dailies_messages (run_uuid, time, level, text) VALUES (?, ?, ?, ?)") {
    // read inside the transaction: another program may follow the same run and have been faster
    SQLite::Statement state(db, "SELECT last_seq, attempt FROM dailies_ingest WHERE run_uuid = ?");
    state.bind(1, m_runId);
    if (!state.executeStep()) return;
    m_lastSeq = state.getColumn(0).getInt64();
    m_settledAttempt = state.getColumn(1).getInt64();
}

void Ingestion::apply(const events::Event& event) {
    if (event.seq <= m_lastSeq) return;
    m_lastSeq = event.seq;
    m_timeMs = std::llround(event.time * 1000.0);
    m_attempt = event.attempt;
    std::visit(
        [this](const auto& payload) {
            using Payload = std::decay_t<decltype(payload)>;
            constexpr bool hasStep = std::is_same_v<Payload, events::Metrics> ||
                                     std::is_same_v<Payload, events::Clip> ||
                                     std::is_same_v<Payload, events::Checkpoint>;
            if (hasStep && m_attempt > m_settledAttempt) {
                // it did not resume, so it began anew: there was no checkpoint yet
                if (m_attempt > 1) restartFrom(-1);
                m_settledAttempt = m_attempt;
            }
            on(payload);
        },
        event.payload);
}

namespace {

void execute(SQLite::Statement& statement) {
    statement.exec();
    statement.reset();
}

/// Binds the arguments in order and runs the statement.
template <class... Args>
void execute(SQLite::Database& db, const char* sql, const Args&... args) {
    SQLite::Statement statement(db, sql);
    SQLite::bind(statement, args...);
    statement.exec();
}

}  // namespace

void Ingestion::on(const events::Start& start) {
    // the run began when its first attempt did; until then the column held the time of its submission
    execute(m_db,
            "UPDATE runs SET start_time = CASE WHEN ?3 THEN ?2 ELSE start_time END, "
            "status = 'RUNNING', end_time = NULL WHERE run_uuid = ?1",
            m_runId, m_timeMs, m_attempt == 1);
    execute(m_db, "DELETE FROM tags WHERE run_uuid = ? AND \"key\" = ?", m_runId, tag::kReason);
    if (!start.trainer.empty()) writeTag(m_db, m_runId, tag::kTrainer, start.trainer);
    for (const auto& [name, fact] : start.facts.items())
        writeTag(m_db, m_runId, tag::kFact + name, fact.is_string() ? fact.get<std::string>() : fact.dump());
    if (start.job.empty()) return;
    execute(
        m_db,
        "INSERT INTO dailies_attempts (run_uuid, job, restarts, state, reason, exit_code, node, start_time, "
        "end_time) "
        "VALUES (?, ?, ?, 'RUNNING', '', '', ?, ?, 0) ON CONFLICT (run_uuid, job, restarts) DO UPDATE SET "
        "node = COALESCE(NULLIF(node, ''), excluded.node), "
        "start_time = COALESCE(NULLIF(start_time, 0), excluded.start_time)",
        m_runId, start.job, start.restarts, inertText(start.host), m_timeMs);
}

void Ingestion::on(const events::Resume& resume) {
    restartFrom(resume.fromStep);
    m_settledAttempt = m_attempt;
}

void Ingestion::restartFrom(std::int64_t step) {
    retractAbove(step);
    // where an earlier attempt went on from a step that is void now, the curve has no seam any more
    execute(m_db, "DELETE FROM dailies_restarts WHERE run_uuid = ? AND from_step > ?", m_runId, step);
    execute(
        m_db,
        "INSERT OR REPLACE INTO dailies_restarts (run_uuid, attempt, from_step, time) VALUES (?, ?, ?, ?)",
        m_runId, m_attempt, std::max<std::int64_t>(step, 0), m_timeMs);
}

void Ingestion::retractAbove(std::int64_t step) {
    flushLatest();
    constexpr const char* kOurKeys = "(SELECT \"key\" FROM dailies_metric_keys WHERE run_uuid = ?1)";
    const auto retract = [&](const std::string& sql) { execute(m_db, sql.c_str(), m_runId, step); };
    retract(std::string("DELETE FROM metrics WHERE run_uuid = ?1 AND step > ?2 AND \"key\" IN ") + kOurKeys);
    retract(std::string("DELETE FROM latest_metrics WHERE run_uuid = ?1 AND step > ?2 AND \"key\" IN ") +
            kOurKeys);
    // for the keys that just lost their latest point: the greatest (step, timestamp, value) of those that
    // remain
    execute(
        m_db,
        "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) "
        "SELECT \"key\", value, timestamp, step, is_nan, run_uuid FROM ("
        "  SELECT *, ROW_NUMBER() OVER (PARTITION BY \"key\" ORDER BY step DESC, timestamp DESC, value DESC) "
        "AS place"
        "  FROM metrics WHERE run_uuid = ?1 AND \"key\" IN (SELECT \"key\" FROM dailies_metric_keys WHERE "
        "run_uuid = ?1)"
        "  AND \"key\" NOT IN (SELECT \"key\" FROM latest_metrics WHERE run_uuid = ?1)) WHERE place = 1",
        m_runId);
    retract("DELETE FROM dailies_clips WHERE run_uuid = ?1 AND step > ?2");
    retract("DELETE FROM dailies_checkpoints WHERE run_uuid = ?1 AND step > ?2");
}

void Ingestion::on(const events::Metrics& metrics) {
    for (const auto& [key, value] : metrics.values) {
        const StoredValue stored = toStored(value);
        m_insertPoint.bindNoCopy(1, key);
        m_insertPoint.bind(2, stored.value);
        m_insertPoint.bind(3, m_timeMs);
        m_insertPoint.bindNoCopy(4, m_runId);
        m_insertPoint.bind(5, metrics.step);
        m_insertPoint.bind(6, stored.isNan);
        execute(m_insertPoint);

        const Latest point{metrics.step, m_timeMs, stored.value, stored.isNan};
        const auto [known, isNew] = m_latest.try_emplace(key, point);
        const auto order = [](const Latest& p) { return std::tie(p.step, p.timestampMs, p.value); };
        if (!isNew && order(known->second) < order(point)) known->second = point;
    }
}

void Ingestion::flushLatest() {
    SQLite::Statement upsert(m_db,
                             "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) "
                             "VALUES (?, ?, ?, ?, ?, ?) "
                             "ON CONFLICT (\"key\", run_uuid) DO UPDATE SET value = excluded.value, "
                             "timestamp = excluded.timestamp, "
                             "step = excluded.step, is_nan = excluded.is_nan "
                             "WHERE (excluded.step, excluded.timestamp, excluded.value) > "
                             "(latest_metrics.step, latest_metrics.timestamp, latest_metrics.value)");
    SQLite::Statement remember(m_db,
                               "INSERT OR IGNORE INTO dailies_metric_keys (run_uuid, key) VALUES (?, ?)");
    for (const auto& [key, point] : m_latest) {
        SQLite::bind(upsert, key, point.value, point.timestampMs, point.step, point.isNan, m_runId);
        execute(upsert);
        SQLite::bind(remember, m_runId, key);
        execute(remember);
    }
    m_latest.clear();
}

void Ingestion::on(const events::Clip& clip) {
    SQLite::bind(m_upsertClip, m_runId, clip.path, clip.step, clip.prompt, clip.seed, clip.frames,
                 clip.height, clip.width, clip.fps);
    if (clip.adherence && std::isfinite(*clip.adherence))
        m_upsertClip.bind(10, *clip.adherence);
    else
        m_upsertClip.bind(10);
    execute(m_upsertClip);
}

void Ingestion::on(const events::Checkpoint& checkpoint) {
    SQLite::bind(m_upsertCheckpoint, m_runId, checkpoint.step, checkpoint.path, checkpoint.bytes);
    execute(m_upsertCheckpoint);
}

void Ingestion::on(const events::Health& health) {
    addMessage("warning", health.text.empty() ? health.kind : health.text);
}

void Ingestion::on(const events::Message& message) {
    addMessage(message.level, message.text);
}

void Ingestion::on(const events::End& end) {
    const bool finished = end.status == "finished";
    const bool stopped = end.status == "stopped";
    execute(m_db, "UPDATE runs SET status = ?2, end_time = ?3 WHERE run_uuid = ?1", m_runId,
            std::string(toText(finished  ? RunStatus::Finished
                               : stopped ? RunStatus::Killed
                                         : RunStatus::Failed)),
            m_timeMs);
    if (!finished && !end.reason.empty()) writeTag(m_db, m_runId, tag::kReason, end.reason);
    addMessage(finished  ? "info"
               : stopped ? "warning"
                         : "error",
               end.reason.empty() ? end.status + " at step " + std::to_string(end.step) : end.reason);
}

void Ingestion::addMessage(const std::string& level, const std::string& text) {
    SQLite::bind(m_insertMessage, m_runId, m_timeMs, level, inertText(text));
    execute(m_insertMessage);
}

void Ingestion::finish(std::int64_t newOffset) {
    flushLatest();
    // MAX: another program that follows the same run may have read further
    execute(m_db,
            "INSERT INTO dailies_ingest (run_uuid, offset, last_seq, attempt) VALUES (?, ?, ?, ?) "
            "ON CONFLICT (run_uuid) DO UPDATE SET offset = MAX(offset, excluded.offset), last_seq = "
            "excluded.last_seq, "
            "attempt = excluded.attempt",
            m_runId, newOffset, m_lastSeq, m_settledAttempt);
}

IngestState Store::ingestState(const std::string& runId) const {
    if (!m_impl->hasOwnTables) return {};
    return m_impl->database.read([&](SQLite::Database& db) -> IngestState {
        SQLite::Statement query(db, "SELECT offset, last_seq FROM dailies_ingest WHERE run_uuid = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return {};
        return {query.getColumn(0).getInt64(), query.getColumn(1).getInt64()};
    });
}

void Store::ingest(const std::string& runId, const std::vector<events::Event>& events,
                   std::int64_t newOffset) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        Ingestion ingestion(db, runId);
        for (const auto& event : events) ingestion.apply(event);
        ingestion.finish(newOffset);
    });
}

}  // namespace dailies::tracking
