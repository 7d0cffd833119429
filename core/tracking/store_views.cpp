#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

namespace {

constexpr std::int64_t kAllExperiments = -1;

/// Views go by the experiment's id, so that they outlive its renaming.
std::int64_t scopeOf(SQLite::Database& db, const std::string& experiment) {
    if (experiment.empty()) return kAllExperiments;
    SQLite::Statement query(db, "SELECT experiment_id FROM experiments WHERE name = ?");
    query.bind(1, experiment);
    if (!query.executeStep())
        throw Error("There is no experiment " + sanitizedText(experiment) + " in the tracking store.",
                    "Choose another one for the view.");
    return query.getColumn(0).getInt64();
}

}  // namespace

std::vector<SavedView> Store::views(const std::string& experiment) const {
    if (!m_impl->hasOwnCurves()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<SavedView> found;
        SQLite::Statement query(
            db,
            "SELECT name, content, changed_time FROM dailies_views WHERE experiment_id = ? ORDER BY name");
        query.bind(1, scopeOf(db, experiment));
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(),
                             parseJson(query.getColumn(1).getString(), "a saved view"),
                             query.getColumn(2).getInt64()});
        return found;
    });
}

void Store::putView(const std::string& experiment, const std::string& name, const Json& content) {
    const std::string shown = sanitizedText(trim(name));
    if (shown.empty()) throw InputError("A view needs a name.", "Give it one, such as best-by-loss.");
    m_impl->database.write([&](SQLite::Database& db) {
        SQLite::Statement upsert(
            db,
            "INSERT OR REPLACE INTO dailies_views (experiment_id, name, content, changed_time) "
            "VALUES (?, ?, ?, ?)");
        SQLite::bind(upsert, scopeOf(db, experiment), shown,
                     content.dump(-1, ' ', false, Json::error_handler_t::replace), unixMillis());
        upsert.exec();
    });
}

void Store::deleteView(const std::string& experiment, const std::string& name) {
    m_impl->database.write([&](SQLite::Database& db) {
        SQLite::Statement remove(db, "DELETE FROM dailies_views WHERE experiment_id = ? AND name = ?");
        SQLite::bind(remove, scopeOf(db, experiment), sanitizedText(trim(name)));
        remove.exec();
    });
}

}  // namespace dailies::tracking
