// Runs that other trackers wrote, whole and all at once.
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/tracking/curve_table.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <tuple>

namespace dailies::tracking {

namespace {

constexpr std::int64_t kPointsBetweenLooks = 16'384;  // at the stop token

struct StoredPoint {
    std::int64_t timestampMs = 0, step = 0;
    StoredValue stored;
};

bool exists(SQLite::Database& db, const std::string& runId) {
    SQLite::Statement query(db, "SELECT 1 FROM runs WHERE run_uuid = ?");
    query.bind(1, runId);
    return query.executeStep();
}

std::string tagOr(const Run& run, const char* key, const char* otherwise) {
    const auto found = run.tags.find(key);
    return found == run.tags.end() ? otherwise : sanitizedText(found->second);
}

void addRun(SQLite::Database& db, const std::filesystem::path& store, const Run& run) {
    // what a tracker kept stays where it is, and MLflow's pages go on listing it
    const std::string artifacts =
        run.artifactUri.empty() ? artifactRootUri(store) + "/" + run.id : sanitizedText(run.artifactUri);
    SQLite::Statement insert(
        db,
        "INSERT INTO runs (run_uuid, name, source_type, source_name, entry_point_name, user_id, status, "
        "start_time, end_time, deleted_time, source_version, lifecycle_stage, artifact_uri, experiment_id) "
        "VALUES (?, ?, 'UNKNOWN', ?, '', ?, ?, ?, ?, ?, '', ?, ?, ?)");
    insert.bind(1, run.id);
    insert.bind(2, sanitizedText(run.name));
    insert.bind(3, tagOr(run, "mlflow.source.name", ""));
    insert.bind(4, run.user.empty() ? tagOr(run, "mlflow.user", "") : sanitizedText(run.user));
    insert.bind(5, std::string(toText(run.status)));
    insert.bind(6, run.startMs);
    if (run.endMs) insert.bind(7, *run.endMs);
    if (run.deleted) insert.bind(8, run.endMs.value_or(run.startMs));
    insert.bind(9, run.deleted ? "deleted" : "active");
    if (artifacts.size() <= kMaxArtifactUri) insert.bind(10, artifacts);
    insert.bind(11, experimentId(db, store, run.experiment));
    insert.exec();
}

/// A source that was imported while its run still went on knows more about the end now.
bool takeLaterEnd(SQLite::Database& db, const Run& run) {
    if (!run.endMs) return false;
    SQLite::Statement update(db,
                             "UPDATE runs SET status = ?2, end_time = ?3 WHERE run_uuid = ?1 AND "
                             "(end_time IS NULL OR end_time < ?3)");
    SQLite::bind(update, run.id, std::string(toText(run.status)), *run.endMs);
    return update.exec() > 0;
}

/// Adds the pairs whose keys the run lacks; what people changed here since stays as they left it.
bool addMissing(SQLite::Database& db, const char* table, const Run& run,
                const KeyedValues<std::string>& pairs) {
    SQLite::Statement insert(
        db, std::string("INSERT OR IGNORE INTO ") + table + " (\"key\", value, run_uuid) VALUES (?, ?, ?)");
    int added = 0;
    for (const auto& [key, value] : pairs) {
        SQLite::bind(insert, sanitizedText(key), sanitizedText(value), run.id);
        added += insert.exec();
        insert.reset();
    }
    return added > 0;
}

/// In the order of MLflow's primary key within one key, so that neighbours go to the same pages.
std::vector<StoredPoint> ordered(const std::vector<MetricPoint>& points) {
    std::vector<StoredPoint> stored;
    stored.reserve(points.size());
    for (const auto& point : points) stored.push_back({point.timestampMs, point.step, toStored(point.value)});
    const auto order = [](const StoredPoint& p) { return std::tie(p.timestampMs, p.step); };
    const auto before = [&](const StoredPoint& a, const StoredPoint& b) { return order(a) < order(b); };
    if (!std::is_sorted(stored.begin(), stored.end(), before))
        std::stable_sort(stored.begin(), stored.end(), before);
    return stored;
}

void throwIfStopped(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
}

std::int64_t addPoints(SQLite::Database& db, const std::string& runId, const MetricHistories& histories,
                       const std::stop_token& stop) {
    SQLite::Statement insert(db,
                             "INSERT OR IGNORE INTO metrics (\"key\", value, timestamp, run_uuid, step, "
                             "is_nan) VALUES (?, ?, ?, ?, ?, ?)");
    SQLite::Statement upsert(db,
                             "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) "
                             "VALUES (?, ?, ?, ?, ?, ?) "
                             "ON CONFLICT (\"key\", run_uuid) DO UPDATE SET value = excluded.value, "
                             "timestamp = excluded.timestamp, step = excluded.step, is_nan = excluded.is_nan "
                             "WHERE (excluded.step, excluded.timestamp, excluded.value) > "
                             "(latest_metrics.step, latest_metrics.timestamp, latest_metrics.value)");
    insert.bindNoCopy(4, runId);
    std::int64_t added = 0, written = 0;
    for (const auto& [name, points] : histories) {
        if (points.empty()) continue;
        throwIfStopped(stop);
        const std::string key = sanitizedText(name);
        const auto stored = ordered(points);
        insert.bindNoCopy(1, key);
        for (const auto& point : stored) {
            insert.bind(2, point.stored.value);
            insert.bind(3, point.timestampMs);
            insert.bind(5, point.step);
            insert.bind(6, point.stored.isNan);
            added += insert.exec();
            insert.reset();
            if (++written % kPointsBetweenLooks == 0) throwIfStopped(stop);
        }
        const auto latest =
            *std::max_element(stored.begin(), stored.end(), [](const StoredPoint& a, const StoredPoint& b) {
                return std::tie(a.step, a.timestampMs, a.stored.value) <
                       std::tie(b.step, b.timestampMs, b.stored.value);
            });
        SQLite::bind(upsert, key, latest.stored.value, latest.timestampMs, latest.step, latest.stored.isNan,
                     runId);
        upsert.exec();
        upsert.reset();
    }
    return added;
}

}  // namespace

ImportedRun Store::importRun(const Run& run, const MetricHistories& histories) {
    if (!isId(run.id))
        throw InputError("\"" + sanitizedText(run.id) + "\" is not a run id.",
                         "A run id is 32 lower-case hex digits.");
    prepareCurves();
    Database& database = m_impl->database;
    const std::stop_token& stop = database.stop();
    return database.write([&](SQLite::Database& db) {
        ImportedRun result;
        result.isNew = !exists(db, run.id);
        if (result.isNew) {
            addRun(db, file(), run);
            // of a run of the same id that another program removed, as `mlflow gc` does
            CurveTable(database.statements()).removeRun(run.id);
        } else {
            result.changed = takeLaterEnd(db, run);
        }
        auto tags = run.tags;
        tags.emplace("mlflow.runName", run.name);
        result.changed |= addMissing(db, "params", run, run.params);
        result.changed |= addMissing(db, "tags", run, tags);
        result.pointsAdded = addPoints(db, run.id, histories, stop);
        result.changed |= result.pointsAdded > 0;
        throwIfStopped(stop);
        catchUpCurves(database);
        return result;
    });
}

}  // namespace dailies::tracking
