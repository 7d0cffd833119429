#include "core/tracking/store.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/artifact_root.h"
#include "core/tracking/schema.h"
#include "core/tracking/store_impl.h"

#include <algorithm>

namespace dailies::tracking {

std::string_view toText(RunStatus status) {
    switch (status) {
        case RunStatus::Scheduled:
            return "SCHEDULED";
        case RunStatus::Running:
            return "RUNNING";
        case RunStatus::Finished:
            return "FINISHED";
        case RunStatus::Failed:
            return "FAILED";
        case RunStatus::Killed:
            return "KILLED";
    }
    return "FAILED";
}

Store::Impl::Impl(const std::filesystem::path& file, Mode mode)
    : database(file, mode == Mode::ReadOnly), readOnly(mode == Mode::ReadOnly) {
    if (!readOnly) prepareForWriting(database);
    ownVersion = checkForReading(database);
}

Store::Store(const std::filesystem::path& file, Mode mode) : m_impl(std::make_unique<Impl>(file, mode)) {}

Store::~Store() = default;
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

const std::filesystem::path& Store::file() const {
    return m_impl->database.file();
}

std::int64_t Store::dataVersion() const {
    return m_impl->database.dataVersion();
}

std::int64_t Store::othersVersion() const {
    return m_impl->database.othersVersion();
}

Database& Store::database() const {
    return m_impl->database;
}

bool Store::hasSchemaVersion(int sinceVersion) const {
    return m_impl->ownVersion >= sinceVersion;
}

std::int64_t Store::ensureExperiment(const std::string& name) {
    return m_impl->database.write([&](SQLite::Database& db) { return experimentId(db, file(), name); });
}

std::vector<Experiment> Store::experiments() const {
    return m_impl->database.read([](SQLite::Database& db) {
        std::vector<Experiment> found;
        SQLite::Statement query(db,
                                "SELECT experiment_id, name, creation_time FROM experiments "
                                "WHERE lifecycle_stage = 'active' ORDER BY experiment_id");
        while (query.executeStep())
            found.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getString(),
                             query.getColumn(2).getInt64()});
        return found;
    });
}

std::string idList(const std::vector<std::string>& ids) {
    return Json(ids).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void requireRun(SQLite::Database& db, const std::string& runId) {
    SQLite::Statement query(db, "SELECT 1 FROM runs WHERE run_uuid = ?");
    query.bind(1, runId);
    if (!query.executeStep())
        throw Error("There is no run " + sanitizedText(runId) + " in the tracking store.",
                    "Run `dailies runs` to list its runs.");
}

std::string artifactRootUri(const std::filesystem::path& store) {
    return fileUri(artifactRoot(store));
}

std::int64_t experimentId(SQLite::Database& db, const std::filesystem::path& store, const std::string& name) {
    const std::string text = sanitizedText(trim(name));
    if (text.empty()) throw InputError("An experiment needs a name.", "Give it one, such as moving-shapes.");
    SQLite::Statement query(
        db, "SELECT experiment_id, lifecycle_stage FROM experiments WHERE name = ? ORDER BY experiment_id");
    query.bind(1, text);
    if (query.executeStep()) {
        if (query.getColumn(1).getString() == "deleted")
            throw Error("The experiment " + text + " was deleted.",
                        "Restore it with `mlflow experiments restore`, or choose another name.");
        return query.getColumn(0).getInt64();
    }
    // 0 is MLflow's own "Default", which it adds by itself: another of that name would keep it from opening
    // the file
    const bool isMlflowsDefault =
        text == "Default" &&
        db.execAndGet("SELECT COUNT(*) FROM experiments WHERE experiment_id = 0").getInt() == 0;
    const auto id =
        isMlflowsDefault
            ? 0
            : db.execAndGet("SELECT MAX(COALESCE(MAX(experiment_id), 0) + 1, 1) FROM experiments").getInt64();
    const auto now = unixMillis();
    SQLite::Statement insert(
        db,
        "INSERT INTO experiments (experiment_id, name, artifact_location, lifecycle_stage, creation_time, "
        "last_update_time) VALUES (?, ?, ?, 'active', ?, ?)");
    SQLite::bind(insert, id, text, artifactRootUri(store), now, now);
    insert.exec();
    return id;
}

}  // namespace dailies::tracking
