#pragma once

#include "core/tracking/curve_sync.h"
#include "core/tracking/curve_table.h"
#include "core/tracking/metric_point.h"
#include "core/tracking/statement_cache.h"

#include <string>
#include <vector>

namespace dailies::tracking {

/// Gives metrics of runs other points than they had, in MLflow's tables and in the curves' copy alike: for
/// what people change their minds about, such as ratings, where what a trainer logs only grows. Inside the
/// caller's transaction; `finish` once at its end. Meant for short curves: each is written whole.
class CurveRewriter {
public:
    explicit CurveRewriter(StatementCache& statements)
        : m_statements(statements), m_curves(statements), m_sync(statements, statements) {}

    std::vector<MetricPoint> points(const std::string& runId, const std::string& key);
    void replace(const std::string& runId, const std::string& key, const std::vector<MetricPoint>& points);
    void finish();

private:
    void catchUpBeforeChange();

    StatementCache& m_statements;
    CurveTable m_curves;
    CurveSync m_sync;
    bool m_changedPoints = false;
};

}  // namespace dailies::tracking
