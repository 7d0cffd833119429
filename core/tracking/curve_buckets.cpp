#include "core/tracking/curve_buckets.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace dailies::tracking {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::uint8_t markOf(double value) {
    if (std::isnan(value)) return CurveBucket::kNan;
    if (std::isinf(value)) return value > 0 ? CurveBucket::kPlusInfinity : CurveBucket::kMinusInfinity;
    return 0;
}

std::int64_t firstStep(const MetricPoint& point) {
    return point.step;
}
std::int64_t lastStep(const MetricPoint& point) {
    return point.step;
}
std::int64_t firstStep(const CurveBucket& bucket) {
    return bucket.firstStep;
}
std::int64_t lastStep(const CurveBucket& bucket) {
    return bucket.lastStep;
}
std::int64_t countOf(const MetricPoint&) {
    return 1;
}
std::int64_t countOf(const CurveBucket& bucket) {
    return bucket.count;
}
CurveBucket bucketOf(const CurveBucket& bucket) {
    return bucket;
}

/// The pieces that reach into the range: [first, last).
template <class Piece>
std::pair<std::size_t, std::size_t> inside(const std::vector<Piece>& pieces, std::optional<StepRange> steps) {
    if (!steps) return {0, pieces.size()};
    const auto first = std::partition_point(pieces.begin(), pieces.end(),
                                            [&](const Piece& p) { return lastStep(p) < steps->first; });
    const auto last = std::partition_point(first, pieces.end(),
                                           [&](const Piece& p) { return firstStep(p) <= steps->last; });
    return {static_cast<std::size_t>(first - pieces.begin()),
            static_cast<std::size_t>(last - pieces.begin())};
}

template <class Piece>
void cutPieces(CurveSlice<Piece>& slice, StepRange steps) {
    auto& pieces = slice.pieces;
    auto [first, last] = inside(pieces, steps);
    if (first > 0) --first;
    if (last < pieces.size()) ++last;
    for (std::size_t i = 0; i < first; ++i) slice.rank += countOf(pieces[i]);
    pieces.resize(last);
    pieces.erase(pieces.begin(), pieces.begin() + static_cast<std::ptrdiff_t>(first));
}

template <class Piece>
Curve group(const CurveSlice<Piece>& slice, std::optional<StepRange> steps, int atMost) {
    const auto& pieces = slice.pieces;
    const auto [first, last] = inside(pieces, steps);
    Curve curve;
    std::int64_t begin = slice.rank, end = slice.rank;  // ranks of the points inside
    for (std::size_t i = 0; i < last; ++i) (i < first ? begin : end) += countOf(pieces[i]);
    end += begin - slice.rank;
    std::int64_t size = slice.unit;
    while (end > begin && (end - 1) / size - begin / size + 1 > atMost) size *= 2;

    curve.buckets.reserve(static_cast<std::size_t>(end > begin ? (end - 1) / size - begin / size + 1 : 0) +
                          2);
    if (first > 0) curve.buckets.push_back(bucketOf(pieces[first - 1]));
    std::int64_t rank = begin, boundary = begin;
    for (std::size_t i = first; i < last; ++i) {
        if (rank >= boundary) {
            curve.buckets.push_back(bucketOf(pieces[i]));
            boundary = (rank / size + 1) * size;
        } else {
            extend(curve.buckets.back(), pieces[i]);
        }
        rank += countOf(pieces[i]);
    }
    if (last < pieces.size()) curve.buckets.push_back(bucketOf(pieces[last]));
    curve.exact = std::all_of(curve.buckets.begin(), curve.buckets.end(),
                              [](const CurveBucket& bucket) { return bucket.count == 1; });
    return curve;
}

}  // namespace

bool isBefore(const MetricPoint& a, const MetricPoint& b) {
    const auto key = [](const MetricPoint& p) {
        const bool nan = std::isnan(p.value);
        return std::tuple(p.step, p.timestampMs, nan ? 0.0 : p.value, nan);
    };
    if (a.step != b.step) return a.step < b.step;  // nearly always decides
    return key(a) < key(b);
}

CurveBucket bucketOf(const MetricPoint& point) {
    const std::uint8_t mark = markOf(point.value);
    const double value = mark ? kNone : point.value;
    CurveBucket bucket;
    bucket.firstStep = bucket.lastStep = point.step;
    bucket.firstMs = bucket.lastMs = point.timestampMs;
    bucket.first = bucket.last = bucket.minimum = bucket.maximum = bucket.mean = value;
    bucket.count = 1;
    bucket.finite = mark ? 0 : 1;
    bucket.marks = mark;
    return bucket;
}

void extend(CurveBucket& bucket, const MetricPoint& next) {
    if (const std::uint8_t mark = markOf(next.value); mark || bucket.finite == 0) {
        extend(bucket, bucketOf(next));
        return;
    }
    bucket.lastStep = next.step;
    bucket.lastMs = next.timestampMs;
    bucket.last = next.value;
    bucket.minimum = std::min(bucket.minimum, next.value);
    bucket.maximum = std::max(bucket.maximum, next.value);
    ++bucket.count;
    ++bucket.finite;
    // divided first: the difference of two of the largest numbers would be infinite
    bucket.mean += next.value / bucket.finite - bucket.mean / bucket.finite;
}

void extend(CurveBucket& bucket, const CurveBucket& next) {
    bucket.lastStep = next.lastStep;
    bucket.lastMs = next.lastMs;
    bucket.count += next.count;
    bucket.marks |= next.marks;
    if (next.finite == 0) return;
    if (bucket.finite == 0) {
        bucket.first = next.first;
        bucket.minimum = next.minimum;
        bucket.maximum = next.maximum;
        bucket.mean = next.mean;
    } else {
        const double share = next.finite / (static_cast<double>(bucket.finite) + next.finite);
        bucket.minimum = std::min(bucket.minimum, next.minimum);
        bucket.maximum = std::max(bucket.maximum, next.maximum);
        bucket.mean += share * next.mean - share * bucket.mean;
    }
    bucket.last = next.last;
    bucket.finite += next.finite;
}

void cut(CurveSlice<MetricPoint>& slice, StepRange steps) {
    cutPieces(slice, steps);
}
void cut(CurveSlice<CurveBucket>& slice, StepRange steps) {
    cutPieces(slice, steps);
}

Curve grouped(const CurveSlice<MetricPoint>& slice, std::optional<StepRange> steps, int atMost) {
    return group(slice, steps, atMost);
}
Curve grouped(const CurveSlice<CurveBucket>& slice, std::optional<StepRange> steps, int atMost) {
    return group(slice, steps, atMost);
}

}  // namespace dailies::tracking
