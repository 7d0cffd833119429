// What scorers said of clips.
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

std::vector<ClipScore> Store::scores(const std::vector<std::string>& runIds) const {
    if (!m_impl->hasScores()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            "SELECT s.run_uuid, s.step, s.path, s.metric, s.value, s.problem FROM json_each(?) wanted "
            "JOIN dailies_scores s ON s.run_uuid = wanted.value "
            "ORDER BY wanted.key, s.step, s.path, s.metric");
        query.bind(1, idList(runIds));
        std::vector<ClipScore> found;
        while (query.executeStep()) {
            ClipScore& score = found.emplace_back();
            score.runId = query.getColumn(0).getString();
            score.step = query.getColumn(1).getInt64();
            score.path = query.getColumn(2).getString();
            score.metric = query.getColumn(3).getString();
            if (!query.getColumn(4).isNull()) score.value = query.getColumn(4).getDouble();
            score.problem = query.getColumn(5).getString();
        }
        return found;
    });
}

}  // namespace dailies::tracking
