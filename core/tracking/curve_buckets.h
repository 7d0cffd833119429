#pragma once

#include "core/tracking/curve.h"
#include "core/tracking/metric_point.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::tracking {

/// The order of a curve's points: step, then time, then value as MLflow's table has it (NaN counts as 0).
bool isBefore(const MetricPoint& a, const MetricPoint& b);

CurveBucket bucketOf(const MetricPoint& point);

/// Adds what follows a stretch to it.
void extend(CurveBucket& bucket, const MetricPoint& next);
void extend(CurveBucket& bucket, const CurveBucket& next);

/// Neighbouring pieces of a curve (points, or buckets of up to `unit` points each) as they were read.
template <class Piece>
struct CurveSlice {
    std::vector<Piece> pieces;
    std::int64_t rank = 0;  ///< of the first piece's first point among all points of the curve
    std::int64_t unit = 1;
};

/// Drops the pieces that lie outside of `steps`, but for the nearest on each side.
void cut(CurveSlice<MetricPoint>& slice, StepRange steps);
void cut(CurveSlice<CurveBucket>& slice, StepRange steps);

/// At most `atMost` buckets (and the one outside of `steps` on each side), each of the pieces whose rank
/// divided by a power of two is the same: while a picture pans or a curve grows, its buckets stay the same.
Curve grouped(const CurveSlice<MetricPoint>& slice, std::optional<StepRange> steps, int atMost);
Curve grouped(const CurveSlice<CurveBucket>& slice, std::optional<StepRange> steps, int atMost);

}  // namespace dailies::tracking
