#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/ids.h"
#include "core/base/text.h"
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

namespace {

constexpr const char* kColumns = "sweep_id, name, cluster, experiment_id, yaml, script, job_id, created_time";

SweepRecord sweepFrom(const SQLite::Statement& row) {
    return {row.getColumn(0).getString(), row.getColumn(1).getString(), row.getColumn(2).getString(),
            row.getColumn(3).getInt64(),  row.getColumn(4).getString(), row.getColumn(5).getString(),
            row.getColumn(6).getString(), row.getColumn(7).getInt64()};
}

void setColumn(Database& database, const char* column, const std::string& sweepId, const std::string& value) {
    database.write([&](SQLite::Database& db) {
        SQLite::Statement update(
            db, std::string("UPDATE dailies_sweeps SET ") + column + " = ? WHERE sweep_id = ?");
        SQLite::bind(update, value, sweepId);
        if (update.exec() == 0)
            throw Error("There is no sweep " + sanitizedText(sweepId) + " in the tracking store.");
    });
}

}  // namespace

void Store::createSweep(const SweepRecord& sweep, const std::vector<Run>& runs) {
    if (!isId(sweep.id))
        throw InputError("\"" + sanitizedText(sweep.id) + "\" is not a sweep id.",
                         "A sweep id is 32 lower-case hex digits.");
    m_impl->database.write([&](SQLite::Database& db) {
        SQLite::Statement insert(db, std::string("INSERT OR IGNORE INTO dailies_sweeps (") + kColumns +
                                         ") VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
        SQLite::bind(insert, sweep.id, sanitizedText(sweep.name), sweep.cluster, sweep.experimentId,
                     sweep.yaml, sweep.script, sweep.jobId,
                     sweep.createdMs > 0 ? sweep.createdMs : unixMillis());
        insert.exec();
        for (Run run : runs) {
            run.tags.emplace(tag::kSweep, sweep.id);
            run.tags.emplace(tag::kSweepName, sweep.name);
            run.tags.emplace(tag::kCluster, sweep.cluster);
            if (run.experimentId == 0 && run.experiment.empty()) run.experimentId = sweep.experimentId;
            insertRun(db, file(), run);
        }
    });
}

void Store::setSweepJob(const std::string& sweepId, const std::string& jobId) {
    setColumn(m_impl->database, "job_id", sweepId, jobId);
}

void Store::setSweepScript(const std::string& sweepId, const std::string& script) {
    setColumn(m_impl->database, "script", sweepId, script);
}

std::vector<SweepRecord> Store::sweeps() const {
    if (!m_impl->hasOwnTables()) return {};
    return m_impl->database.read([](SQLite::Database& db) {
        std::vector<SweepRecord> found;
        SQLite::Statement query(db, std::string("SELECT ") + kColumns +
                                        " FROM dailies_sweeps ORDER BY created_time DESC, rowid DESC");
        while (query.executeStep()) found.push_back(sweepFrom(query));
        return found;
    });
}

std::optional<SweepRecord> Store::sweep(const std::string& sweepId) const {
    if (!m_impl->hasOwnTables()) return std::nullopt;
    return m_impl->database.read([&](SQLite::Database& db) -> std::optional<SweepRecord> {
        SQLite::Statement query(
            db, std::string("SELECT ") + kColumns + " FROM dailies_sweeps WHERE sweep_id = ?");
        query.bind(1, sweepId);
        if (!query.executeStep()) return std::nullopt;
        return sweepFrom(query);
    });
}

}  // namespace dailies::tracking
