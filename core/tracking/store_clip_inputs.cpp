// What clips were made from, and what is known of each of their frames.
#include "core/base/json_numbers.h"
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

void forgetClipInputs(SQLite::Database& db, const std::string& runId, const std::string& path) {
    for (const char* table : {"dailies_clip_inputs", "dailies_clip_curves"}) {
        SQLite::Statement remove(db,
                                 std::string("DELETE FROM ") + table + " WHERE run_uuid = ? AND clip = ?");
        SQLite::bind(remove, runId, path);
        remove.exec();
    }
}

std::vector<ClipInput> Store::clipInputs(const std::vector<std::string>& runIds) const {
    if (!m_impl->hasClipInputs()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(db,
                                "SELECT i.run_uuid, i.clip, i.name, i.path, i.local_path "
                                "FROM json_each(?) wanted "
                                "JOIN dailies_clip_inputs i ON i.run_uuid = wanted.value "
                                "ORDER BY wanted.key, i.clip, i.name");
        query.bind(1, idList(runIds));
        std::vector<ClipInput> found;
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                             query.getColumn(2).getString(), query.getColumn(3).getString(),
                             query.getColumn(4).getString()});
        return found;
    });
}

std::vector<ClipCurve> Store::clipCurves(const std::vector<std::string>& runIds) const {
    if (!m_impl->hasClipInputs()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(db,
                                "SELECT v.run_uuid, v.clip, v.name, v.numbers FROM json_each(?) wanted "
                                "JOIN dailies_clip_curves v ON v.run_uuid = wanted.value "
                                "ORDER BY wanted.key, v.clip, v.name");
        query.bind(1, idList(runIds));
        std::vector<ClipCurve> found;
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                             query.getColumn(2).getString(),
                             numbersFromJson(parseJson(query.getColumn(3).getString(), "numbers"))});
        return found;
    });
}

}  // namespace dailies::tracking
