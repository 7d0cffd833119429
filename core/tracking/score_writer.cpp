#include "core/tracking/score_writer.h"

#include "core/base/text.h"
#include "core/tracking/curve_rewriter.h"

#include <cmath>
#include <vector>

namespace dailies::tracking {

void ScoreWriter::add(const events::Score& score, std::int64_t timeMs) {
    if (!m_statements("SELECT 1 FROM runs WHERE run_uuid = ?", score.run)->executeStep()) return;
    {
        const auto before = m_statements(
            "SELECT metric FROM dailies_scores WHERE run_uuid = ? AND step = ? AND path = ? AND scorer = ?",
            score.run, score.step, score.path, score.scorer);
        while (before->executeStep()) m_touched.emplace(score.run, before->getColumn(0).getString());
    }
    m_statements.run("DELETE FROM dailies_scores WHERE run_uuid = ? AND step = ? AND path = ? AND scorer = ?",
                     score.run, score.step, score.path, score.scorer);
    const std::string own = "score/" + score.scorer;
    if (score.values.empty()) insert(score, own, nullptr, timeMs);
    for (const auto& [metric, value] : score.values)
        // a log that names another metric would change what is none of its business
        if ((metric == own || metric.starts_with(own + "/")) && std::isfinite(value))
            insert(score, metric, &value, timeMs);
}

void ScoreWriter::insert(const events::Score& score, const std::string& metric, const double* value,
                         std::int64_t timeMs) {
    const auto statement = m_statements(
        "INSERT OR REPLACE INTO dailies_scores (run_uuid, step, path, metric, scorer, problem, time, value) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        score.run, score.step, score.path, metric, score.scorer, sanitizedText(score.problem), timeMs);
    if (value)
        statement->bind(8, *value);
    else
        statement->bind(8);
    statement->exec();
    m_touched.emplace(score.run, metric);
}

void ScoreWriter::finish() {
    if (m_touched.empty()) return;
    CurveRewriter curves(m_statements);
    for (const auto& [run, metric] : m_touched) {
        std::vector<MetricPoint> points;
        {
            const auto means = m_statements(
                "SELECT step, MAX(time), AVG(value) FROM dailies_scores WHERE run_uuid = ? AND metric = ? "
                "AND value IS NOT NULL GROUP BY step ORDER BY step",
                run, metric);
            while (means->executeStep())
                points.push_back({means->getColumn(0).getInt64(), means->getColumn(1).getInt64(),
                                  means->getColumn(2).getDouble()});
        }
        if (points == curves.points(run, metric)) continue;
        curves.replace(run, metric, points);
        // a resume of that run retracts them with the clips
        m_statements.run("INSERT OR IGNORE INTO dailies_metric_keys (run_uuid, key) VALUES (?, ?)", run,
                         metric);
    }
    curves.finish();
    m_touched.clear();
}

}  // namespace dailies::tracking
