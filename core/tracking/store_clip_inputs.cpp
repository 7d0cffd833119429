// What clips were made from, and what is known of each of their frames.
#include "core/base/json_numbers.h"
#include "core/base/text.h"
#include "core/tracking/statement_cache.h"
#include "core/tracking/store_impl.h"

#include <map>

namespace dailies::tracking {

void putClipInputs(StatementCache& statements, const std::string& runId, const events::Clip& clip) {
    statements.run("DELETE FROM dailies_clip_curves WHERE run_uuid = ? AND clip = ?", runId, clip.path);
    for (const auto& [name, values] : clip.perFrame)
        statements.run(
            "INSERT INTO dailies_clip_curves (run_uuid, clip, name, step, numbers) VALUES (?, ?, ?, ?, ?)",
            runId, clip.path, sanitizedText(name), clip.step, numbersToJson(values).dump());
    // files that are here stay known, also where this clip alone was made from them
    std::map<std::string, std::string> here;
    for (const auto& [name, path] : clip.inputs) {
        const auto query = statements(
            "SELECT MAX(local_path) FROM dailies_clip_inputs WHERE run_uuid = ? AND path = ?", runId, path);
        if (query->executeStep() && !query->getColumn(0).isNull())
            here[path] = query->getColumn(0).getString();
    }
    statements.run("DELETE FROM dailies_clip_inputs WHERE run_uuid = ? AND clip = ?", runId, clip.path);
    for (const auto& [name, path] : clip.inputs)
        statements.run(
            "INSERT INTO dailies_clip_inputs (run_uuid, clip, name, step, path, local_path) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            runId, clip.path, sanitizedText(name), clip.step, path, here[path]);
}

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
