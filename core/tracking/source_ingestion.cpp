// What the sources read from files of foreign programs, exactly once.
#include "core/base/clock.h"
#include "core/base/counts.h"
#include "core/base/text.h"
#include "core/tracking/clip_path.h"
#include "core/tracking/point_writer.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <limits>
#include <set>

namespace dailies::tracking {

namespace {

/// Of metrics, of params and of tags: what a person can still look at, and what a file that is no tracker's
/// after all, or is made to do harm, can fill the store with.
constexpr std::int64_t kMostKeys = 10'000;

constexpr auto kFirstStep = std::numeric_limits<std::int64_t>::min();

std::string folderOf(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

/// Any text comes back as the same state or as none: a file's names may be no UTF-8.
std::string stateText(const Json& state) {
    return state.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Applies one batch inside the caller's transaction.
class SourceIngestion {
public:
    SourceIngestion(StatementCache& statements, const std::string& runId, const SourceBatch& batch)
        : m_statements(statements),
          m_points(statements, runId),
          m_runId(runId),
          m_batch(batch),
          m_folder(folderOf(batch.path)) {}

    bool apply() {
        if (!isAt(m_batch.from)) return false;
        const auto& findings = m_batch.findings;
        if (findings.voidFrom) makeVoid(*findings.voidFrom);
        for (const auto& [key, points] : findings.metrics) addPoints(sanitizedText(key), points);
        addParams();
        addTags();
        for (const auto& file : findings.media) addClip(file);
        for (const auto& problem : findings.problems) tell("warning", problem);
        if (findings.end) {
            const int code = findings.end->exitCode;
            tell(code == 0 ? "info" : "error",
                 "the program ended with exit code " + std::to_string(code) + ".");
        }
        m_points.finish();
        moveCursor();
        return true;
    }

private:
    /// Read inside the transaction: another program may follow the same run and have been faster.
    bool isAt(const SourceCursor& cursor) {
        const auto query =
            m_statements("SELECT offset, stopped, state FROM dailies_sources WHERE run_uuid = ? AND path = ?",
                         m_runId, m_batch.path);
        if (!query->executeStep()) return cursor.offset == 0 && !cursor.stopped && cursor.state.empty();
        return query->getColumn(0).getInt64() == cursor.offset &&
               (query->getColumn(1).getInt() != 0) == cursor.stopped &&
               query->getColumn(2).getString() == stateText(cursor.state);
    }

    void makeVoid(std::int64_t fromStep) {
        std::vector<std::string> keys;
        {
            const auto query = m_statements(
                "SELECT key FROM dailies_source_keys WHERE run_uuid = ? AND folder = ?", m_runId, m_folder);
            while (query->executeStep()) keys.push_back(query->getColumn(0).getString());
        }
        removeFrom(keys, fromStep);
    }

    void removeFrom(const std::vector<std::string>& keys, std::int64_t step) {
        m_points.removeAbove(keys, step == kFirstStep ? step : step - 1);
    }

    void addPoints(const std::string& key, const std::vector<MetricPoint>& points) {
        if (points.empty()) return;
        const auto newest = newestWriter(key);
        const auto attempt = m_batch.next.attempt;
        const bool isNewer = newest && attempt > newest->attempt;
        const auto fromStep = isNewer ? points.front().step : newest ? newest->fromStep : kFirstStep;
        if (!takesKey(key, attempt, fromStep, newest.has_value())) return;
        if (isNewer) {
            removeFrom({key}, fromStep);
            noteRestart(points.front());
        }
        // the rest of an older attempt's file that was not read before the newer one's
        const auto end =
            newest && attempt < newest->attempt ? newest->fromStep : std::optional<std::int64_t>();
        const auto known = m_batch.findings.onlyMissing ? stepsOf(key) : std::set<std::int64_t>();
        for (const auto& point : points)
            if ((!end || point.step < *end) && !known.contains(point.step))
                m_points.add(key, point.step, point.timestampMs, point.value);
    }

    std::set<std::int64_t> stepsOf(const std::string& key) {
        std::set<std::int64_t> steps;
        const auto query =
            m_statements("SELECT step FROM metrics WHERE \"key\" = ? AND run_uuid = ?", key, m_runId);
        while (query->executeStep()) steps.insert(query->getColumn(0).getInt64());
        return steps;
    }

    struct Writer {
        std::int64_t attempt = 0, fromStep = 0;
    };

    std::optional<Writer> newestWriter(const std::string& key) {
        const auto query = m_statements(
            "SELECT attempt, from_step FROM dailies_source_keys WHERE run_uuid = ? AND key = ? "
            "ORDER BY attempt DESC LIMIT 1",
            m_runId, key);
        if (!query->executeStep()) return std::nullopt;
        return Writer{query->getColumn(0).getInt64(), query->getColumn(1).getInt64()};
    }

    bool takesKey(const std::string& key, std::int64_t attempt, std::int64_t fromStep, bool isKnown) {
        std::optional<std::int64_t> known;
        {
            const auto query = m_statements(
                "SELECT attempt FROM dailies_source_keys WHERE run_uuid = ? AND key = ? AND folder = ?",
                m_runId, key, m_folder);
            if (query->executeStep()) known = query->getColumn(0).getInt64();
        }
        if (known && *known >= attempt) return true;
        if (!isKnown &&
            !hasRoom(m_keys, "SELECT COUNT(DISTINCT key) FROM dailies_source_keys WHERE run_uuid = ?",
                     "metrics"))
            return false;
        m_statements.run(
            "INSERT OR REPLACE INTO dailies_source_keys (run_uuid, key, folder, attempt, from_step) "
            "VALUES (?, ?, ?, ?, ?)",
            m_runId, key, m_folder, attempt, fromStep);
        return true;
    }

    /// The curves have a seam where an attempt goes on; its first metric says where.
    void noteRestart(const MetricPoint& point) {
        m_statements.run(
            "INSERT OR IGNORE INTO dailies_restarts (run_uuid, attempt, from_step, time) VALUES (?, ?, ?, ?)",
            m_runId, m_batch.next.attempt, std::max<std::int64_t>(point.step, 0), point.timestampMs);
    }

    /// What the run was given when it was made stays as it was given.
    void addParams() {
        for (const auto& [key, value] : m_batch.findings.params) {
            if (!hasRoom(m_params, "SELECT COUNT(*) FROM params WHERE run_uuid = ?", "params")) return;
            m_statements.run("INSERT OR IGNORE INTO params (\"key\", value, run_uuid) VALUES (?, ?, ?)",
                             sanitizedText(key), sanitizedText(value), m_runId);
        }
    }

    /// A file's word is no more than a word about itself: Dailies' own tags and MLflow's, by which both find
    /// their way, are not its to change.
    void addTags() {
        for (const auto& [key, value] : m_batch.findings.tags) {
            if (key.starts_with("dailies.")) continue;
            if (!hasRoom(m_tags, "SELECT COUNT(*) FROM tags WHERE run_uuid = ?", "tags")) return;
            if (key.starts_with("mlflow."))
                m_statements.run("INSERT OR IGNORE INTO tags (\"key\", value, run_uuid) VALUES (?, ?, ?)",
                                 sanitizedText(key), sanitizedText(value), m_runId);
            else
                writeTag(m_statements.db(), m_runId, key, value);
        }
    }

    /// Its size and length are known once it is here. One that was written again is fetched again.
    void addClip(const SourceMedia& file) {
        if (!isClipPath(file.path)) return;  // a picture
        if (!hasRoom(m_clips, "SELECT COUNT(*) FROM dailies_clips WHERE run_uuid = ?", "clips")) return;
        m_statements.run(
            "INSERT INTO dailies_clips (run_uuid, path, step, prompt, seed, frames, height, width, fps, "
            "local_path) VALUES (?1, ?2, ?3, ?4, ?5, 0, 0, 0, 0, '') ON CONFLICT (run_uuid, path) DO UPDATE "
            "SET "
            "step = iif(?6, step, excluded.step), prompt = iif(?6, prompt, excluded.prompt), "
            "seed = iif(?6, seed, excluded.seed), local_path = ''",
            m_runId, file.path, file.step, sanitizedText(file.caption.empty() ? file.key : file.caption),
            file.seed, file.byName ? 1 : 0);
        if (file.byName) return;
        events::Clip clip;
        clip.step = file.step;
        clip.path = file.path;
        clip.inputs = file.inputs;
        clip.perFrame = file.perFrame;
        putClipInputs(m_statements, m_runId, clip);
    }

    bool hasRoom(std::optional<std::int64_t>& count, const char* counting, const char* what) {
        if (!count) {
            const auto query = m_statements(counting, m_runId);
            query->executeStep();
            count = query->getColumn(0).getInt64();
        }
        if (*count < kMostKeys) {
            ++*count;
            return true;
        }
        tell("warning",
             "the run has " + dailies::grouped(kMostKeys) + " " + what + "; no more are taken from files.");
        return false;
    }

    /// Once, however often it is told.
    void tell(const char* level, const std::string& sentence) {
        const std::string text = sanitizedText(m_batch.source + " " + m_batch.path + ": " + sentence);
        m_statements.run(
            "INSERT INTO dailies_messages (run_uuid, time, level, text) SELECT ?1, ?2, ?3, ?4 "
            "WHERE NOT EXISTS (SELECT 1 FROM dailies_messages WHERE run_uuid = ?1 AND text = ?4)",
            m_runId, unixMillis(), level, text);
    }

    void moveCursor() {
        const auto& next = m_batch.next;
        m_statements.run(
            "INSERT INTO dailies_sources (run_uuid, path, source, offset, stopped, state, attempt) "
            "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (run_uuid, path) DO UPDATE SET source = "
            "excluded.source, "
            "offset = excluded.offset, stopped = excluded.stopped, state = excluded.state, attempt = "
            "excluded.attempt",
            m_runId, m_batch.path, m_batch.source, next.offset, next.stopped ? 1 : 0, stateText(next.state),
            next.attempt);
    }

    StatementCache& m_statements;
    PointWriter m_points;
    const std::string& m_runId;
    const SourceBatch& m_batch;
    std::string m_folder;
    std::optional<std::int64_t> m_keys, m_params, m_tags, m_clips;  ///< how many the run has
};

}  // namespace

std::map<std::string, SourceCursor> Store::sourceCursors(const std::string& runId) const {
    if (!m_impl->hasSources()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::map<std::string, SourceCursor> cursors;
        SQLite::Statement query(
            db, "SELECT path, offset, stopped, state, attempt FROM dailies_sources WHERE run_uuid = ?");
        query.bind(1, runId);
        while (query.executeStep()) {
            auto& cursor = cursors[query.getColumn(0).getString()];
            cursor.offset = query.getColumn(1).getInt64();
            cursor.stopped = query.getColumn(2).getInt() != 0;
            cursor.state = parseJson(query.getColumn(3).getString(), "dailies_sources.state");
            cursor.attempt = query.getColumn(4).getInt64();
        }
        return cursors;
    });
}

bool Store::ingestSource(const std::string& runId, const SourceBatch& batch) {
    prepareCurves();  // what is much takes several transactions
    return m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        return SourceIngestion(m_impl->database.statements(), runId, batch).apply();
    });
}

}  // namespace dailies::tracking
