#include "core/tracking/ingestion.h"

#include "core/base/text.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace dailies::tracking {

Ingestion::Ingestion(StatementCache& statements, std::string runId)
    : m_statements(statements), m_points(statements, runId), m_scores(statements), m_runId(std::move(runId)) {
    // read inside the transaction: another program may follow the same run and have been faster
    const auto state =
        m_statements("SELECT last_seq, attempt FROM dailies_ingest WHERE run_uuid = ?", m_runId);
    if (!state->executeStep()) return;
    m_lastSeq = state->getColumn(0).getInt64();
    m_settledAttempt = state->getColumn(1).getInt64();
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

void Ingestion::on(const events::Start& start) {
    // the run began when its first attempt did; until then the column held the time of its submission
    m_statements.run(
        "UPDATE runs SET start_time = CASE WHEN ?3 THEN ?2 ELSE start_time END, "
        "status = 'RUNNING', end_time = NULL WHERE run_uuid = ?1",
        m_runId, m_timeMs, m_attempt == 1);
    // what an earlier attempt proved says nothing of this one's layout and machines
    for (const auto* key : {tag::kReason, tag::kCertificate, tag::kCertificateFacts})
        m_statements.run("DELETE FROM tags WHERE run_uuid = ? AND \"key\" = ?", m_runId, key);
    if (!start.trainer.empty()) writeTag(m_statements.db(), m_runId, tag::kTrainer, start.trainer);
    for (const auto& [name, fact] : start.facts.items())
        writeTag(m_statements.db(), m_runId, tag::kFact + name,
                 fact.is_string() ? fact.get<std::string>() : fact.dump());
    if (start.job.empty()) return;
    m_statements.run(
        "INSERT INTO dailies_attempts (run_uuid, job, restarts, state, reason, exit_code, node, start_time, "
        "end_time) "
        "VALUES (?, ?, ?, 'RUNNING', '', '', ?, ?, 0) ON CONFLICT (run_uuid, job, restarts) DO UPDATE SET "
        "node = COALESCE(NULLIF(node, ''), excluded.node), "
        "start_time = COALESCE(NULLIF(start_time, 0), excluded.start_time)",
        m_runId, start.job, start.restarts, sanitizedText(start.host), m_timeMs);
}

void Ingestion::on(const events::Resume& resume) {
    restartFrom(resume.fromStep);
    m_settledAttempt = m_attempt;
}

void Ingestion::restartFrom(std::int64_t step) {
    retractAbove(step);
    // where an earlier attempt went on from a step that is void now, the curve has no seam any more
    m_statements.run("DELETE FROM dailies_restarts WHERE run_uuid = ? AND from_step > ?", m_runId, step);
    m_statements.run(
        "INSERT OR REPLACE INTO dailies_restarts (run_uuid, attempt, from_step, time) VALUES (?, ?, ?, ?)",
        m_runId, m_attempt, std::max<std::int64_t>(step, 0), m_timeMs);
}

void Ingestion::on(const events::Certificate& certificate) {
    writeTag(m_statements.db(), m_runId, tag::kCertificate, certificate.proven ? "proven" : "refused");
    writeTag(m_statements.db(), m_runId, tag::kCertificateFacts, events::toJson(certificate).dump());
    addMessage(certificate.proven ? "info" : "error", events::textOf(certificate) + ".");
}

void Ingestion::retractAbove(std::int64_t step) {
    std::vector<std::string> keys;
    {
        const auto query = m_statements("SELECT key FROM dailies_metric_keys WHERE run_uuid = ?", m_runId);
        while (query->executeStep()) keys.push_back(query->getColumn(0).getString());
    }
    m_points.removeAbove(keys, step);
    // what is made again under the same path has not been seen
    m_statements.run(
        "DELETE FROM dailies_seen WHERE run_uuid = ?1 AND path IN (SELECT path FROM dailies_clips WHERE "
        "run_uuid = ?1 AND step > ?2)",
        m_runId, step);
    m_statements.run("DELETE FROM dailies_clips WHERE run_uuid = ? AND step > ?", m_runId, step);
    m_statements.run("DELETE FROM dailies_clip_inputs WHERE run_uuid = ? AND step > ?", m_runId, step);
    m_statements.run("DELETE FROM dailies_clip_curves WHERE run_uuid = ? AND step > ?", m_runId, step);
    m_statements.run("DELETE FROM dailies_scores WHERE run_uuid = ? AND step > ?", m_runId, step);
    m_statements.run("DELETE FROM dailies_checkpoints WHERE run_uuid = ? AND step > ?", m_runId, step);
}

void Ingestion::on(const events::Metrics& metrics) {
    for (const auto& [key, value] : metrics.values)
        if (m_points.add(key, metrics.step, m_timeMs, value) && m_ownKeys.insert(key).second)
            m_statements.run("INSERT OR IGNORE INTO dailies_metric_keys (run_uuid, key) VALUES (?, ?)",
                             m_runId, key);
}

void Ingestion::on(const events::Clip& clip) {
    // a clip written again under the same path has to be fetched again
    const auto upsert = m_statements(
        "INSERT INTO dailies_clips (run_uuid, path, step, prompt, seed, frames, height, width, fps, "
        "local_path, adherence) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?) "
        "ON CONFLICT (run_uuid, path) DO UPDATE SET "
        "step = excluded.step, prompt = excluded.prompt, seed = excluded.seed, frames = excluded.frames, "
        "height = excluded.height, width = excluded.width, fps = excluded.fps, "
        "adherence = excluded.adherence, local_path = ''",
        m_runId, clip.path, clip.step, clip.prompt, clip.seed, clip.frames, clip.height, clip.width,
        clip.fps);
    if (clip.adherence && std::isfinite(*clip.adherence))
        upsert->bind(10, *clip.adherence);
    else
        upsert->bind(10);
    upsert->exec();
    putClipInputs(m_statements, m_runId, clip);
}

void Ingestion::on(const events::Score& score) {
    m_scores.add(score, m_timeMs);
}

void Ingestion::on(const events::Checkpoint& checkpoint) {
    m_statements.run(
        "INSERT INTO dailies_checkpoints (run_uuid, step, path, bytes) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (run_uuid, step) DO UPDATE SET path = excluded.path, bytes = excluded.bytes",
        m_runId, checkpoint.step, checkpoint.path, checkpoint.bytes);
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
    m_statements.run("UPDATE runs SET status = ?2, end_time = ?3 WHERE run_uuid = ?1", m_runId,
                     std::string(toText(finished  ? RunStatus::Finished
                                        : stopped ? RunStatus::Killed
                                                  : RunStatus::Failed)),
                     m_timeMs);
    if (!finished && !end.reason.empty()) writeTag(m_statements.db(), m_runId, tag::kReason, end.reason);
    addMessage(finished  ? "info"
               : stopped ? "warning"
                         : "error",
               end.reason.empty() ? end.status + " at step " + std::to_string(end.step) : end.reason);
}

void Ingestion::addMessage(const std::string& level, const std::string& text) {
    m_statements.run("INSERT INTO dailies_messages (run_uuid, time, level, text) VALUES (?, ?, ?, ?)",
                     m_runId, m_timeMs, level, sanitizedText(text));
}

void Ingestion::finish(std::int64_t newOffset) {
    m_points.finish();
    m_scores.finish();
    // MAX: another program that follows the same run may have read further
    m_statements.run(
        "INSERT INTO dailies_ingest (run_uuid, offset, last_seq, attempt) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (run_uuid) DO UPDATE SET offset = MAX(offset, excluded.offset), last_seq = "
        "excluded.last_seq, "
        "attempt = excluded.attempt",
        m_runId, newOffset, m_lastSeq, m_settledAttempt);
}

IngestState Store::ingestState(const std::string& runId) const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([&](SQLite::Database& db) -> IngestState {
        SQLite::Statement query(db, "SELECT offset, last_seq FROM dailies_ingest WHERE run_uuid = ?");
        query.bind(1, runId);
        if (!query.executeStep()) return {};
        return {query.getColumn(0).getInt64(), query.getColumn(1).getInt64()};
    });
}

void Store::ingest(const std::string& runId, const std::vector<events::Event>& events,
                   std::int64_t newOffset) {
    prepareCurves();  // what is much takes several transactions
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        Ingestion ingestion(m_impl->database.statements(), runId);
        for (const auto& event : events) ingestion.apply(event);
        ingestion.finish(newOffset);
    });
}

}  // namespace dailies::tracking
