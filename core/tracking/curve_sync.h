#pragma once

#include "core/tracking/curve_table.h"
#include "core/tracking/statement_cache.h"

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace dailies::tracking {

/// Told how many of how many rows of `metrics` are in the copy; called some times a second.
using CurveProgress = std::function<void(std::int64_t done, std::int64_t total)>;

/// Keeps the curves' copy complete although other programs write points too, as MLflow's client does: they
/// know nothing of it, but every row that they insert has a greater rowid than those before it. Rows that
/// others removed or renumbered (mlflow gc, a migration that rebuilds the table) show by the point that lies
/// at the last rowid seen; then the copy is made anew.
class CurveSync {
public:
    /// `metrics` is the connection that holds the points, `curves` the one that holds their copy: the same,
    /// or that of a cache file when the store itself may not be written.
    CurveSync(StatementCache& metrics, StatementCache& curves) : m_metrics(metrics), m_curves(curves) {}

    /// Whether the copy has every point.
    bool isComplete();
    /// Whether it is right as far as it goes and lacks so few points that they can be read beside it.
    bool isUsable();

    /// Adds what is missing, or makes the copy anew; inside the caller's transaction. Four million points at
    /// most, which takes some two seconds: more than that is done in several transactions, so that other
    /// writers get their turn and nothing is done twice after a stop. Returns whether the copy is complete
    /// now.
    bool catchUp(const std::stop_token& stop = {}, const CurveProgress& progress = {});

    /// After the caller changed points and their copy alike: they agree up to the last row.
    void markComplete();

    /// The points of a run that are not in the copy yet, by key.
    std::unordered_map<std::string, std::vector<MetricPoint>> missingOf(const std::string& runId);

private:
    struct Seen {
        std::int64_t row = 0;
        std::string runId, key;
        std::int64_t step = 0, timestampMs = 0;
        bool operator==(const Seen&) const = default;
    };
    Seen seen();
    Seen pointAt(std::int64_t row);
    std::int64_t lastRow();
    void markSeen(std::int64_t row);

    StatementCache& m_metrics;
    StatementCache& m_curves;
};

}  // namespace dailies::tracking
