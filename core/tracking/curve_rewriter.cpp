#include "core/tracking/curve_rewriter.h"

#include "core/tracking/stored_value.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace dailies::tracking {

/// Other programs' points go into the copy before ours change it: it knows how far it is by the last row.
void CurveRewriter::catchUpBeforeChange() {
    while (!m_changedPoints) m_changedPoints = m_sync.catchUp();
}

std::vector<MetricPoint> CurveRewriter::points(const std::string& runId, const std::string& key) {
    catchUpBeforeChange();
    return m_curves.points(runId, key);
}

void CurveRewriter::replace(const std::string& runId, const std::string& key,
                            const std::vector<MetricPoint>& points) {
    catchUpBeforeChange();
    m_curves.removeAbove(runId, key, std::numeric_limits<std::int64_t>::min());
    // "+": by the key, of which few runs have points, not through all points of the run
    m_statements.run("DELETE FROM metrics WHERE \"key\" = ? AND +run_uuid = ?", key, runId);
    m_statements.run("DELETE FROM latest_metrics WHERE \"key\" = ? AND run_uuid = ?", key, runId);
    if (points.empty()) return;

    std::vector<MetricPoint> kept;
    for (const MetricPoint& point : points) {
        const StoredValue stored = toStored(point.value);
        m_statements.run(
            "INSERT INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) VALUES (?, ?, ?, ?, ?, "
            "?)",
            key, stored.value, point.timestampMs, runId, point.step, stored.isNan);
        kept.push_back({point.step, point.timestampMs, asRead(point.value)});
    }
    const MetricPoint& last =
        *std::max_element(kept.begin(), kept.end(), [](const MetricPoint& a, const MetricPoint& b) {
            return std::pair(a.step, a.timestampMs) < std::pair(b.step, b.timestampMs);
        });
    const StoredValue stored = toStored(last.value);
    m_statements.run(
        "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) VALUES (?, ?, ?, ?, "
        "?, ?)",
        key, stored.value, last.timestampMs, last.step, stored.isNan, runId);
    m_curves.add(runId, key, std::move(kept));
}

void CurveRewriter::finish() {
    if (m_changedPoints) m_sync.markComplete();
}

}  // namespace dailies::tracking
