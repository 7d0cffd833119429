#include "core/tracking/point_writer.h"

#include "core/tracking/stored_value.h"

#include <algorithm>
#include <utility>

namespace dailies::tracking {

PointWriter::PointWriter(StatementCache& statements, std::string runId)
    : m_statements(statements),
      m_curves(statements),
      m_sync(statements, statements),
      m_runId(std::move(runId)) {}

/// Other programs' points go into the curves before ours: they have smaller rowids.
void PointWriter::catchUpBeforeChange() {
    while (!m_changed) m_changed = m_sync.catchUp();
}

bool PointWriter::add(const std::string& key, std::int64_t step, std::int64_t timestampMs, double value) {
    catchUpBeforeChange();
    const StoredValue stored = toStored(value);
    // OR IGNORE: MLflow's key is the whole point, so logging the same point twice is the same as once
    const auto insert = m_statements(
        "INSERT OR IGNORE INTO metrics (\"key\", value, timestamp, run_uuid, step, is_nan) "
        "VALUES (?, ?, ?, ?, ?, ?)");
    insert->bindNoCopy(1, key);
    insert->bind(2, stored.value);
    insert->bind(3, timestampMs);
    insert->bindNoCopy(4, m_runId);
    insert->bind(5, step);
    insert->bind(6, stored.isNan);
    if (insert->exec() == 0) return false;
    m_points[key].push_back({step, timestampMs, asRead(value)});
    return true;
}

void PointWriter::removeAbove(const std::vector<std::string>& keys, std::int64_t step) {
    catchUpBeforeChange();
    flush();
    for (const auto& key : keys) {
        // found by their whole keys, as the table has no index by step
        for (const auto& point : m_curves.removeAbove(m_runId, key, step)) {
            const StoredValue stored = toStored(point.value);
            m_statements.run(
                "DELETE FROM metrics WHERE \"key\" = ? AND timestamp = ? AND step = ? AND run_uuid = ? AND "
                "value = ? AND is_nan = ?",
                key, point.timestampMs, point.step, m_runId, stored.value, stored.isNan);
        }
        if (m_statements.run("DELETE FROM latest_metrics WHERE \"key\" = ? AND run_uuid = ? AND step > ?",
                             key, m_runId, step) == 0)
            continue;
        if (const auto remaining = m_curves.last(m_runId, key)) writeLatest(key, *remaining);
    }
}

void PointWriter::flush() {
    for (auto& [key, points] : m_points) {
        writeLatest(key, *std::max_element(points.begin(), points.end(), isBefore));
        m_curves.add(m_runId, key, std::move(points));
    }
    m_points.clear();
}

void PointWriter::writeLatest(const std::string& key, const MetricPoint& point) {
    const StoredValue stored = toStored(point.value);
    m_statements.run(
        "INSERT INTO latest_metrics (\"key\", value, timestamp, step, is_nan, run_uuid) "
        "VALUES (?, ?, ?, ?, ?, ?) "
        "ON CONFLICT (\"key\", run_uuid) DO UPDATE SET value = excluded.value, "
        "timestamp = excluded.timestamp, step = excluded.step, is_nan = excluded.is_nan "
        "WHERE (excluded.step, excluded.timestamp, excluded.value) > "
        "(latest_metrics.step, latest_metrics.timestamp, latest_metrics.value)",
        key, stored.value, point.timestampMs, point.step, stored.isNan, m_runId);
}

void PointWriter::finish() {
    flush();
    if (m_changed) m_sync.markComplete();
}

}  // namespace dailies::tracking
