// Histories, whole or as a picture needs them, from the curves' copy of the points.
#include "core/base/error.h"
#include "core/tracking/curve_sync.h"
#include "core/tracking/schema.h"
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <system_error>

namespace dailies::tracking {

namespace {

namespace fs = std::filesystem;

constexpr auto kCacheLife = std::chrono::hours(24 * 60);

/// Caches of files that nobody has looked at for long.
void removeOldCaches(const fs::path& folder) {
    std::error_code none;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator at(folder, none), end; !none && at != end; at.increment(none))
        if (const auto written = fs::last_write_time(at->path(), none); !none && now - written > kCacheLife)
            fs::remove(at->path(), none);
}

void makeCurveTables(Database& cache) {
    const auto exists = [](SQLite::Database& db) { return db.tableExists("dailies_curves_seen"); };
    if (cache.read(exists)) return;
    cache.prepareFile();
    cache.write([&](SQLite::Database& db) {
        if (!exists(db)) db.exec(kCurveTables);
    });
}

/// The curves of a snapshot, whether or not their copy has all of its points.
class CurveView {
public:
    CurveView(StatementCache& metrics, StatementCache& curves)
        : m_table(curves), m_sync(metrics, curves), m_complete(m_sync.isComplete()) {}

    std::vector<MetricPoint> points(const std::string& runId, const std::string& key) {
        auto found = m_table.points(runId, key);
        if (const auto* missing = missingOf(runId, key)) {
            found.insert(found.end(), missing->begin(), missing->end());
            std::sort(found.begin(), found.end(), isBefore);
        }
        return found;
    }

    Curve curve(const CurveKey& key, std::optional<StepRange> steps, int atMost) {
        if (!missingOf(key.runId, key.key)) return m_table.curve(key.runId, key.key, steps, atMost);
        const CurveSlice<MetricPoint> whole{points(key.runId, key.key), 0, 1};
        CurveSlice<MetricPoint> slice = whole;
        if (steps) cut(slice, *steps);
        Curve curve = grouped(slice, steps, std::max(atMost, 1));
        curve.points = static_cast<std::int64_t>(whole.pieces.size());
        return curve;
    }

    std::vector<std::string> keys(const std::string& runId) {
        auto found = m_table.keys(runId);
        if (m_complete) return found;
        const auto known = static_cast<std::ptrdiff_t>(found.size());
        for (const auto& [key, points] : missingOf(runId))
            if (!std::binary_search(found.begin(), found.begin() + known, key)) found.push_back(key);
        std::sort(found.begin(), found.end());
        return found;
    }

private:
    using Missing = std::unordered_map<std::string, std::vector<MetricPoint>>;

    const Missing& missingOf(const std::string& runId) {
        const auto known = m_missing.find(runId);
        return known != m_missing.end() ? known->second
                                        : m_missing.emplace(runId, m_sync.missingOf(runId)).first->second;
    }

    const std::vector<MetricPoint>* missingOf(const std::string& runId, const std::string& key) {
        if (m_complete) return nullptr;
        const Missing& ofRun = missingOf(runId);
        const auto found = ofRun.find(key);
        return found == ofRun.end() ? nullptr : &found->second;
    }

    CurveTable m_table;
    CurveSync m_sync;
    bool m_complete;
    std::unordered_map<std::string, Missing> m_missing;
};

/// Whether the file's own copy of the curves can be read, if need be with the points that it lacks.
bool isUsable(Database& database) {
    return database.read([&](SQLite::Database&) {
        return CurveSync(database.statements(), database.statements()).isUsable();
    });
}

void refuseIfStopped(const std::stop_token& stop) {
    if (stop.stop_requested()) throw Cancelled();
}

void completeOwn(Database& database, const std::stop_token& stop, const CurveProgress& progress) {
    CurveSync sync(database.statements(), database.statements());
    if (database.read([&](SQLite::Database&) { return sync.isComplete(); })) return;
    while (!database.write([&](SQLite::Database&) { return sync.catchUp(stop, progress); }))
        refuseIfStopped(stop);
}

void completeCache(Database& database, Database& cache, const std::stop_token& stop,
                   const CurveProgress& progress) {
    CurveSync sync(database.statements(), cache.statements());
    // the cache is locked before the snapshot is taken: another program's newer one cannot have got ahead
    while (!cache.write([&](SQLite::Database&) {
        return database.read([&](SQLite::Database&) { return sync.catchUp(stop, progress); });
    }))
        refuseIfStopped(stop);
}

}  // namespace

Database& Store::Impl::curveCache() {
    if (cache) return *cache;
    const fs::path folder = userCacheFolder() / "curves";
    const auto name = std::to_string(std::hash<std::string>()(database.file().string())) + ".db";
    try {
        removeOldCaches(folder);
        cache.emplace(folder / name, false, database.stop());
        makeCurveTables(*cache);
    } catch (const Error&) {  // no such folder, no room, a damaged cache: do without one that stays
        cache.reset();
        scratch.emplace("dailies-curves");
        cache.emplace(scratch->path() / name, false, database.stop());
        makeCurveTables(*cache);
    }
    return *cache;
}

void catchUpCurves(Database& database) {
    CurveSync sync(database.statements(), database.statements());
    while (!sync.catchUp()) {
    }
}

void Store::prepareCurves(std::stop_token stop, const CurveProgress& progress) const {
    if (!m_impl->readOnly)
        completeOwn(m_impl->database, stop, progress);
    else if (!m_impl->hasOwnCurves() || !isUsable(m_impl->database))
        completeCache(m_impl->database, m_impl->curveCache(), stop, progress);
}

std::vector<Curve> Store::curves(const std::vector<CurveKey>& keys, std::optional<StepRange> steps,
                                 int atMost) const {
    prepareCurves();
    Database& database = m_impl->database;
    Database& own = m_impl->cache ? *m_impl->cache : database;
    return database.read([&](SQLite::Database&) {
        const auto readAll = [&] {
            CurveView view(database.statements(), own.statements());
            std::vector<Curve> found;
            found.reserve(keys.size());
            for (const auto& key : keys) found.push_back(view.curve(key, steps, atMost));
            return found;
        };
        return &own == &database ? readAll() : own.read([&](SQLite::Database&) { return readAll(); });
    });
}

std::vector<MetricPoint> Store::history(const std::string& runId, const std::string& key) const {
    Database& database = m_impl->database;
    if (m_impl->hasOwnCurves() && isUsable(database))
        return database.read([&](SQLite::Database&) {
            return CurveView(database.statements(), database.statements()).points(runId, key);
        });
    return database.read([&](SQLite::Database& db) {
        std::vector<MetricPoint> points;
        SQLite::Statement query(db,
                                "SELECT step, timestamp, value, is_nan FROM metrics "
                                "WHERE run_uuid = ? AND \"key\" = ? ORDER BY step, timestamp, value");
        SQLite::bind(query, runId, key);
        while (query.executeStep())
            points.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                              fromStored(query.getColumn(2).getDouble(), query.getColumn(3).getInt() != 0)});
        return points;
    });
}

void Store::forEachPoint(const std::string& runId,
                         const std::function<void(const std::string&, const MetricPoint&)>& take) const {
    Database& database = m_impl->database;
    if (m_impl->hasOwnCurves() && isUsable(database)) {
        database.read([&](SQLite::Database&) {
            CurveView view(database.statements(), database.statements());
            for (const auto& key : view.keys(runId))
                for (const auto& point : view.points(runId, key)) take(key, point);
        });
        return;
    }
    database.read([&](SQLite::Database& db) {
        SQLite::Statement query(db,
                                "SELECT \"key\", step, timestamp, value, is_nan FROM metrics "
                                "WHERE run_uuid = ? ORDER BY \"key\", step, timestamp, value");
        query.bind(1, runId);
        std::string key;
        while (query.executeStep()) {
            if (const auto column = query.getColumn(0); key != column.getText()) key = column.getString();
            take(key, {query.getColumn(1).getInt64(), query.getColumn(2).getInt64(),
                       fromStored(query.getColumn(3).getDouble(), query.getColumn(4).getInt() != 0)});
        }
    });
}

}  // namespace dailies::tracking
