// Histories, whole or as a picture needs them.
#include "core/tracking/store_impl.h"

#include <algorithm>
#include <cmath>

namespace dailies::tracking {

namespace {

CurveBucket bucketOf(const MetricPoint& point) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const bool finite = std::isfinite(point.value);
    const double value = finite ? point.value : kNone;
    std::uint8_t marks = 0;
    if (std::isnan(point.value))
        marks = CurveBucket::kNan;
    else if (!finite)
        marks = point.value > 0 ? CurveBucket::kPlusInfinity : CurveBucket::kMinusInfinity;
    return {
        point.step, point.step, point.timestampMs, point.timestampMs, value, value, value, value, value, 1,
        finite,     marks};
}

/// Appends what follows a stretch to it.
void extend(CurveBucket& bucket, const CurveBucket& next) {
    bucket.lastStep = next.lastStep;
    bucket.lastMs = next.lastMs;
    if (next.finite > 0) {
        if (bucket.finite == 0) {
            bucket.first = next.first;
            bucket.minimum = next.minimum;
            bucket.maximum = next.maximum;
            bucket.mean = next.mean;
        } else {
            bucket.minimum = std::min(bucket.minimum, next.minimum);
            bucket.maximum = std::max(bucket.maximum, next.maximum);
            bucket.mean += (next.mean - bucket.mean) * next.finite / (bucket.finite + next.finite);
        }
        bucket.last = next.last;
    }
    bucket.count += next.count;
    bucket.finite += next.finite;
    bucket.marks |= next.marks;
}

Curve curveOf(const std::vector<MetricPoint>& points, std::optional<StepRange> steps, int atMost) {
    Curve curve;
    curve.points = static_cast<std::int64_t>(points.size());
    auto begin = points.begin(), end = points.end();
    if (steps) {
        begin = std::partition_point(begin, end, [&](auto& p) { return p.step < steps->first; });
        end = std::partition_point(begin, end, [&](auto& p) { return p.step <= steps->last; });
    }
    const auto limit = static_cast<std::ptrdiff_t>(std::max(atMost, 1));
    std::ptrdiff_t group = 1;
    while ((end - begin + group - 1) / group > limit) group *= 2;
    if (steps && begin != points.begin()) --begin;
    if (steps && end != points.end()) ++end;
    for (auto at = begin; at != end; ++at) {
        if ((at - points.begin()) % group == 0 || at == begin)
            curve.buckets.push_back(bucketOf(*at));
        else
            extend(curve.buckets.back(), bucketOf(*at));
    }
    curve.exact = group == 1;
    return curve;
}

}  // namespace

std::vector<MetricPoint> Store::history(const std::string& runId, const std::string& key) const {
    return m_impl->database.read([&](SQLite::Database& db) {
        std::vector<MetricPoint> points;
        SQLite::Statement query(db,
                                "SELECT step, timestamp, value, is_nan FROM metrics "
                                "WHERE run_uuid = ? AND \"key\" = ? ORDER BY step, timestamp, value");
        SQLite::bind(query, runId, key);
        while (query.executeStep())
            points.push_back({query.getColumn(0).getInt64(), query.getColumn(1).getInt64(),
                              fromStored(query.getColumn(2).getDouble(), query.getColumn(3).getInt() != 0)});
        return points;
    });
}

std::vector<Curve> Store::curves(const std::vector<CurveKey>& keys, std::optional<StepRange> steps,
                                 int atMost) const {
    std::vector<Curve> found;
    for (const auto& key : keys) found.push_back(curveOf(history(key.runId, key.key), steps, atMost));
    return found;
}

}  // namespace dailies::tracking
