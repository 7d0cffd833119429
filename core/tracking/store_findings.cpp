// What the automatic checks found in clips.
#include "core/base/text.h"
#include "core/tracking/store_impl.h"

namespace dailies::tracking {

void forgetChecks(SQLite::Database& db, const std::string& runId, const std::string& path) {
    for (const char* table : {"dailies_checked_clips", "dailies_findings"}) {
        SQLite::Statement remove(db,
                                 std::string("DELETE FROM ") + table + " WHERE run_uuid = ? AND path = ?");
        SQLite::bind(remove, runId, path);
        remove.exec();
    }
}

std::vector<ClipRecord> Store::clipsToCheck(int revision, int atMost) const {
    if (!m_impl->hasChecks()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(
            db, std::string("SELECT ") + kClipColumns +
                    " FROM dailies_clips c JOIN runs r ON r.run_uuid = c.run_uuid "
                    "LEFT JOIN dailies_checked_clips d ON d.run_uuid = c.run_uuid AND d.path = c.path "
                    "WHERE c.local_path <> '' AND r.lifecycle_stage = 'active' "
                    "AND (d.revision IS NULL OR d.revision < ?) "
                    "ORDER BY r.start_time DESC, c.step DESC, c.run_uuid, c.path LIMIT ?");
        SQLite::bind(query, revision, atMost);
        return readClips(query);
    });
}

void Store::putFindings(const std::vector<CheckedClip>& clips) {
    m_impl->database.write([&](SQLite::Database& db) {
        SQLite::Statement still(
            db, "SELECT 1 FROM dailies_clips WHERE run_uuid = ? AND path = ? AND local_path = ?");
        SQLite::Statement checked(
            db, "INSERT INTO dailies_checked_clips (run_uuid, path, revision) VALUES (?, ?, ?)");
        SQLite::Statement insert(db,
                                 "INSERT INTO dailies_findings (run_uuid, path, \"check\", severity, "
                                 "first_frame, last_frame, text) VALUES (?, ?, ?, ?, ?, ?, ?)");
        for (const CheckedClip& clip : clips) {
            SQLite::bind(still, clip.runId, clip.path, clip.localPath);
            const bool isStill = still.executeStep();
            still.reset();
            if (!isStill) continue;  // a resume retracted it, or it is being fetched again
            forgetChecks(db, clip.runId, clip.path);
            SQLite::bind(checked, clip.runId, clip.path, clip.revision);
            checked.exec();
            checked.reset();
            for (const ClipFinding& finding : clip.findings) {
                SQLite::bind(insert, clip.runId, clip.path, finding.check, finding.severity,
                             finding.firstFrame, finding.lastFrame, sanitizedText(finding.text));
                insert.exec();
                insert.reset();
            }
        }
    });
}

std::vector<ClipFinding> Store::findings(const std::vector<std::string>& runIds) const {
    if (!m_impl->hasChecks()) return {};
    return m_impl->database.read([&](SQLite::Database& db) {
        SQLite::Statement query(
            db,
            "SELECT f.run_uuid, f.path, f.\"check\", f.severity, f.first_frame, f.last_frame, f.text "
            "FROM json_each(?) wanted JOIN dailies_findings f ON f.run_uuid = wanted.value "
            "JOIN dailies_clips c ON c.run_uuid = f.run_uuid AND c.path = f.path AND c.local_path <> '' "
            "ORDER BY f.severity DESC, wanted.key, c.step DESC, f.path, f.finding_id");
        query.bind(1, idList(runIds));
        std::vector<ClipFinding> found;
        while (query.executeStep())
            found.push_back({query.getColumn(0).getString(), query.getColumn(1).getString(),
                             query.getColumn(2).getString(), query.getColumn(3).getInt(),
                             query.getColumn(4).getInt(), query.getColumn(5).getInt(),
                             query.getColumn(6).getString()});
        return found;
    });
}

}  // namespace dailies::tracking
