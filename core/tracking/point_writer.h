#pragma once

#include "core/tracking/curve_sync.h"
#include "core/tracking/curve_table.h"
#include "core/tracking/metric_point.h"
#include "core/tracking/statement_cache.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace dailies::tracking {

/// Writes and removes points of one run inside the caller's transaction: MLflow's tables and the curves' copy
/// together. `finish` once at the end.
class PointWriter {
public:
    PointWriter(StatementCache& statements, std::string runId);

    /// False when the run has exactly this point already, which is then left alone.
    bool add(const std::string& key, std::int64_t step, std::int64_t timestampMs, double value);

    /// Removes the points of these keys above the step, whoever wrote them.
    void removeAbove(const std::vector<std::string>& keys, std::int64_t step);

    void finish();

private:
    void catchUpBeforeChange();
    void flush();
    void writeLatest(const std::string& key, const MetricPoint& point);

    StatementCache& m_statements;
    CurveTable m_curves;
    CurveSync m_sync;
    std::string m_runId;
    bool m_changed = false;
    std::map<std::string, std::vector<MetricPoint>> m_points;  ///< not yet in their curves
};

}  // namespace dailies::tracking
