// Runs and their metrics: what `mlflow ui` shows too.
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/base/user.h"
#include "core/tracking/run_color.h"
#include "core/tracking/run_reader.h"
#include "core/tracking/store_impl.h"

#include <algorithm>

namespace dailies::tracking {

namespace {

constexpr std::int64_t kManyRuns = 500;  // from which on a second connection is worth opening

constexpr const char* kListed = "r.lifecycle_stage = 'active' AND e.lifecycle_stage = 'active'";

/// The colours of the newest runs, which a run that is added now shall not share.
std::vector<std::size_t> recentColors(SQLite::Database& db) {
    SQLite::Statement query(db,
                            "SELECT t.value FROM (SELECT run_uuid FROM runs ORDER BY rowid DESC LIMIT ?) r "
                            "JOIN tags t ON t.run_uuid = r.run_uuid AND t.\"key\" = ?");
    query.bind(1, static_cast<std::int64_t>(kDistinctColorWindow));
    query.bind(2, tag::kColor);
    std::vector<std::size_t> colors;
    while (query.executeStep())
        if (const auto color = runColorOf(query.getColumn(0).getString())) colors.push_back(*color);
    return colors;
}

}  // namespace

void writeTag(SQLite::Database& db, const std::string& runId, const std::string& key,
              const std::string& value) {
    SQLite::Statement upsert(db,
                             "INSERT INTO tags (\"key\", value, run_uuid) VALUES (?, ?, ?) "
                             "ON CONFLICT (\"key\", run_uuid) DO UPDATE SET value = excluded.value");
    // one byte of invalid UTF-8 in a text column makes MLflow's client fail on the whole experiment
    SQLite::bind(upsert, sanitizedText(key), sanitizedText(value), runId);
    upsert.exec();
    if (key == "mlflow.runName") {  // MLflow keeps the name twice, and renames both
        SQLite::Statement rename(db, "UPDATE runs SET name = ? WHERE run_uuid = ?");
        SQLite::bind(rename, sanitizedText(value), runId);
        rename.exec();
    }
}

void insertRun(SQLite::Database& db, const std::filesystem::path& store, const Run& run) {
    if (!isId(run.id))
        throw InputError("\"" + sanitizedText(run.id) + "\" is not a run id.",
                         "A run id is 32 lower-case hex digits.");
    SQLite::Statement existing(db, "SELECT 1 FROM runs WHERE run_uuid = ?");
    existing.bind(1, run.id);
    if (existing.executeStep()) return;

    const auto experiment = run.experimentId > 0 ? run.experimentId : experimentId(db, store, run.experiment);
    const std::string name = sanitizedText(run.name);
    const std::string user = sanitizedText(userName());
    const std::string artifacts = artifactRootUri(store) + "/" + run.id;

    SQLite::Statement insert(db,
                             "INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, "
                             "user_id, status, start_time, "
                             "end_time, source_version, lifecycle_stage, artifact_uri, experiment_id) "
                             "VALUES (?, ?, 'JOB', 'dailies-train', '', ?, ?, ?, ?, '', ?, ?, ?)");
    insert.bind(1, run.id);
    insert.bind(2, name);
    insert.bind(3, user);
    insert.bind(4, std::string(toText(run.status)));
    insert.bind(5, run.startMs > 0 ? run.startMs : unixMillis());
    if (run.endMs) insert.bind(6, *run.endMs);
    insert.bind(7, run.deleted ? "deleted" : "active");
    if (artifacts.size() <= kMaxArtifactUri) insert.bind(8, artifacts);
    insert.bind(9, experiment);
    const std::string color(kRunColors[newRunColor(run.id, recentColors(db))]);
    insert.exec();

    SQLite::Statement param(db, "INSERT INTO params (\"key\", value, run_uuid) VALUES (?, ?, ?)");
    for (const auto& [key, value] : run.params) {
        SQLite::bind(param, sanitizedText(key), sanitizedText(value), run.id);
        param.exec();
        param.reset();
    }
    std::map<std::string, std::string> tags = {{"mlflow.runName", name},
                                               {"mlflow.user", user},
                                               {"mlflow.source.name", "dailies-train"},
                                               {"mlflow.source.type", "JOB"},
                                               {tag::kColor, color}};
    for (const auto& [key, value] : run.tags) tags[key] = value;
    for (const auto& [key, value] : tags) writeTag(db, run.id, key, value);
}

void Store::createRun(const Run& run) {
    m_impl->database.write([&](SQLite::Database& db) { insertRun(db, file(), run); });
}

std::vector<Run> Store::runs(const std::string& experiment) const {
    Database& database = m_impl->database;
    if (!experiment.empty()) return readRuns(database, kListed + std::string(" AND e.name = ?1"), experiment);
    const auto count = database.read(
        [](SQLite::Database& db) { return db.execAndGet("SELECT COUNT(*) FROM runs").getInt64(); });
    if (count < kManyRuns) return readRuns(database, kListed);
    if (!m_impl->helper) m_impl->helper.emplace(file(), true, m_impl->database.stop());
    return readMostRuns(database, *m_impl->helper, kListed);
}

std::vector<Run> Store::runs(const std::vector<std::string>& runIds) const {
    return readRuns(m_impl->database, "r.run_uuid IN (SELECT value FROM json_each(?1))", idList(runIds));
}

std::vector<Run> Store::activeRuns() const {
    return readRuns(m_impl->database, kListed + std::string(" AND r.status IN ('SCHEDULED', 'RUNNING')"));
}

std::vector<Run> Store::deletedRuns() const {
    return readRuns(m_impl->database, "r.lifecycle_stage = 'deleted'");
}

std::optional<Run> Store::run(const std::string& runId) const {
    if (runId.empty()) return std::nullopt;
    auto found = readRuns(m_impl->database, "r.run_uuid = ?1", runId);
    if (found.empty()) return std::nullopt;
    return std::move(found.front());
}

std::vector<std::string> Store::findRuns(const std::string& idPrefixOrName) const {
    if (idPrefixOrName.empty()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<std::string> called, beginning;
        SQLite::Statement query(
            db,
            "SELECT run_uuid, run_uuid = ?1 OR name = ?1 FROM runs WHERE lifecycle_stage = 'active' AND "
            "(substr(run_uuid, 1, length(?1)) = ?1 OR name = ?1) ORDER BY start_time DESC, rowid");
        query.bind(1, idPrefixOrName);
        while (query.executeStep())
            (query.getColumn(1).getInt() ? called : beginning).push_back(query.getColumn(0).getString());
        return called.empty() ? beginning : called;
    });
}

void Store::setStart(const std::string& runId, std::int64_t startMs) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        SQLite::Statement update(db, "UPDATE runs SET start_time = ? WHERE run_uuid = ?");
        SQLite::bind(update, startMs, runId);
        update.exec();
    });
}

void Store::setStatus(const std::string& runId, RunStatus status, std::optional<std::int64_t> endMs) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        SQLite::Statement update(
            db, isActive(status) ? "UPDATE runs SET status = ?1, end_time = NULL WHERE run_uuid = ?2"
                                 : "UPDATE runs SET status = ?1, end_time = COALESCE(?3, end_time, ?4) "
                                   "WHERE run_uuid = ?2");
        update.bind(1, std::string(toText(status)));
        update.bind(2, runId);
        if (!isActive(status)) {
            if (endMs) update.bind(3, *endMs);
            update.bind(4, unixMillis());
        }
        update.exec();
    });
}

void Store::setExtendedTo(const std::string& runId, std::int64_t steps) {
    m_impl->database.write([&](SQLite::Database& db) {
        requireRun(db, runId);
        const std::string text = std::to_string(steps);
        writeTag(db, runId, tag::kExtendedTo, text);
        SQLite::Statement upsert(db,
                                 "INSERT INTO params (\"key\", value, run_uuid) VALUES ('steps', ?, ?) "
                                 "ON CONFLICT (\"key\", run_uuid) DO UPDATE SET value = excluded.value");
        SQLite::bind(upsert, text, runId);
        upsert.exec();
    });
}

void Store::setTag(const std::string& runId, const std::string& key, const std::string& value) {
    setTags({runId}, key, value);
}

void Store::setTags(const std::vector<std::string>& runIds, const std::string& key,
                    const std::string& value) {
    m_impl->database.write([&](SQLite::Database& db) {
        for (const auto& runId : runIds) {
            requireRun(db, runId);
            writeTag(db, runId, key, value);
        }
    });
}

void removeTag(SQLite::Database& db, const std::vector<std::string>& runIds, const std::string& key) {
    SQLite::Statement remove(
        db, "DELETE FROM tags WHERE \"key\" = ? AND run_uuid IN (SELECT value FROM json_each(?))");
    SQLite::bind(remove, sanitizedText(key), idList(runIds));
    remove.exec();
}

void Store::removeTag(const std::vector<std::string>& runIds, const std::string& key) {
    m_impl->database.write([&](SQLite::Database& db) { tracking::removeTag(db, runIds, key); });
}

std::vector<std::string> Store::metricKeys(const std::vector<std::string>& runIds) const {
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<std::string> keys;
        SQLite::Statement query(db,
                                "SELECT DISTINCT \"key\" FROM latest_metrics "
                                "WHERE run_uuid IN (SELECT value FROM json_each(?)) ORDER BY \"key\"");
        query.bind(1, idList(runIds));
        while (query.executeStep()) keys.push_back(query.getColumn(0).getString());
        return keys;
    });
}

}  // namespace dailies::tracking
