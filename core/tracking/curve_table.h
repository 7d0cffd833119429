#pragma once

#include "core/tracking/curve_buckets.h"
#include "core/tracking/statement_cache.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dailies::tracking {

/// The curves' own copy of the points, with a pyramid of buckets over them, so that any zoom of any curve
/// reads about as many values as it draws (tables dailies_curves and dailies_curve_rows; their layout is in
/// resources/tracking/dailies_2.sql). Every 64 points the oldest of a curve are sealed: they go from its head
/// into rows that are hardly written again, and each level of the pyramid gets the buckets that became
/// complete. Writes belong into the transaction that writes `metrics`.
class CurveTable {
public:
    explicit CurveTable(StatementCache& statements) : m_statements(statements) {}

    /// Adds points that the curve does not have, in any order; cheapest when they follow its last.
    void add(const std::string& runId, const std::string& key, std::vector<MetricPoint> points);

    /// Takes the points above a step out of the curve and returns them.
    std::vector<MetricPoint> removeAbove(const std::string& runId, const std::string& key, std::int64_t step);

    void removeRun(const std::string& runId);
    void clear();

    std::vector<MetricPoint> points(const std::string& runId, const std::string& key);
    std::optional<MetricPoint> last(const std::string& runId, const std::string& key);
    std::vector<std::string> keys(const std::string& runId);  ///< sorted by bytes

    /// See Store::curves.
    Curve curve(const std::string& runId, const std::string& key, std::optional<StepRange> steps, int atMost);

private:
    struct Head {
        std::int64_t id = 0;
        std::int64_t sealed = 0;  ///< points in rows; a multiple of 64
        std::vector<MetricPoint> tail;
        std::int64_t points() const { return sealed + static_cast<std::int64_t>(tail.size()); }
    };

    std::optional<Head> find(const std::string& runId, const std::string& key);
    void save(const Head& head);
    void append(Head& head, const std::vector<MetricPoint>& points);
    std::vector<MetricPoint> takeFrom(Head& head, std::int64_t rank);
    template <class Before>
    std::int64_t rankOf(const Head& head, Before&& isBefore);

    std::vector<MetricPoint> pointsBetween(const Head& head, std::int64_t begin, std::int64_t end);
    std::vector<CurveBucket> piecesBetween(const Head& head, int level, std::int64_t begin, std::int64_t end);

    template <class Item>
    void readItems(std::int64_t curveId, int level, std::int64_t begin, std::int64_t end,
                   std::vector<Item>& into);
    template <class Item>
    void appendItems(std::int64_t curveId, int level, std::int64_t count, const std::vector<Item>& items);
    template <class Item>
    void truncateItems(std::int64_t curveId, int level, std::int64_t count);

    StatementCache& m_statements;
};

}  // namespace dailies::tracking
