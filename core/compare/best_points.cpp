#include "core/compare/best_points.h"

#include "core/base/error.h"

#include <cmath>

namespace dailies::compare {

using sweep::Goal;

namespace {

using tracking::CurveBucket;
using tracking::CurveKey;

constexpr int kBuckets = 512;  ///< of one look: a curve of 100,000 points takes two

double extremeOf(const CurveBucket& bucket, Goal goal) {
    return goal == Goal::Minimize ? bucket.minimum : bucket.maximum;
}

const CurveBucket* bestBucket(const tracking::Curve& curve, Goal goal) {
    const CurveBucket* best = nullptr;
    for (const CurveBucket& bucket : curve.buckets)
        if (bucket.finite > 0 && (!best || isBetter(extremeOf(bucket, goal), extremeOf(*best, goal), goal)))
            best = &bucket;
    return best;
}

/// Follows the best bucket down to the point; nullopt for a curve without a finite value.
std::optional<tracking::MetricPoint> bestPoint(const tracking::Store& store, const CurveKey& key,
                                               tracking::Curve curve, Goal goal) {
    for (;;) {
        const CurveBucket* best = bestBucket(curve, goal);
        if (!best) return std::nullopt;
        const double value = extremeOf(*best, goal);
        if (best->count == 1 || best->firstStep == best->lastStep || curve.exact)
            return tracking::MetricPoint{best->firstStep, best->firstMs, value};
        const tracking::StepRange range{best->firstStep, best->lastStep};
        const auto count = best->count;
        curve = store.curves({key}, range, kBuckets).front();
        // The neighbours outside of the range are no better; a bucket that stays as it is cannot be opened.
        const CurveBucket* again = bestBucket(curve, goal);
        if (again && again->count >= count)
            return tracking::MetricPoint{again->firstStep, again->firstMs, value};
    }
}

}  // namespace

BestPoints bestPoints(const tracking::Store& store, const std::vector<std::string>& runIds,
                      const Goals& goals, const std::stop_token& stop) {
    BestPoints best;
    for (const std::string& id : runIds) {
        std::vector<CurveKey> keys;
        for (const std::string& key : store.metricKeys({id})) keys.push_back({id, key});
        auto curves = store.curves(keys, std::nullopt, kBuckets);
        for (std::size_t i = 0; i < keys.size(); ++i) {
            if (stop.stop_requested()) throw Cancelled();
            const Goal goal = goalOf(keys[i].key, goals);
            if (auto point = bestPoint(store, keys[i], std::move(curves[i]), goal))
                best.emplace(std::pair(id, keys[i].key), *point);
        }
    }
    return best;
}

}  // namespace dailies::compare
