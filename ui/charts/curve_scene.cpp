#include "ui/charts/curve_scene.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

namespace dailies::ui {

namespace {

using tracking::CurveBucket;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

CurveBucket toBucket(const tracking::MetricPoint& point) {
    CurveBucket bucket;
    bucket.firstStep = bucket.lastStep = point.step;
    bucket.firstMs = bucket.lastMs = point.timestampMs;
    bucket.count = 1;
    if (std::isfinite(point.value)) {
        bucket.first = bucket.last = bucket.minimum = bucket.maximum = bucket.mean = point.value;
        bucket.finite = 1;
    } else {
        bucket.first = bucket.last = bucket.minimum = bucket.maximum = bucket.mean = kNan;
        bucket.marks = std::isnan(point.value) ? CurveBucket::kNan
                       : point.value > 0       ? CurveBucket::kPlusInfinity
                                               : CurveBucket::kMinusInfinity;
    }
    return bucket;
}

void append(std::vector<CurveBucket>& all, const History& history) {
    for (const auto& point : history.points) {
        all.push_back(toBucket(point));
    }
    all.insert(all.end(), history.buckets.begin(), history.buckets.end());
}

/// The fine part within the coarse whole. Buckets that reach into the fine part are left out: it is wider
/// than the screen, so nobody sees where they were.
std::vector<CurveBucket> spliced(const CurveSource& source) {
    std::vector<CurveBucket> all;
    if (!source.overview) {
        return all;
    }
    if (!source.detail || (source.detail->points.empty() && source.detail->buckets.empty())) {
        append(all, *source.overview);
        return all;
    }
    std::vector<CurveBucket> fine;
    append(fine, *source.detail);
    std::vector<CurveBucket> coarse;
    append(coarse, *source.overview);
    const auto before = std::partition_point(coarse.begin(), coarse.end(), [&](const CurveBucket& b) {
        return b.lastStep < fine.front().firstStep;
    });
    const auto after = std::partition_point(
        before, coarse.end(), [&](const CurveBucket& b) { return b.firstStep <= fine.back().lastStep; });
    all.reserve(coarse.size() + fine.size());
    all.assign(coarse.begin(), before);
    all.insert(all.end(), fine.begin(), fine.end());
    all.insert(all.end(), after, coarse.end());
    return all;
}

/// From a step to another metric's value there, made to grow (a resumed run logs some steps twice).
class Samples {
public:
    explicit Samples(const CurveSource& source) {
        double most = -std::numeric_limits<double>::infinity();
        for (const auto& bucket : spliced(source)) {
            if (bucket.finite > 0) {
                most = std::max(most, bucket.maximum);
                m_points.push_back({static_cast<double>(bucket.lastStep), most});
            }
        }
    }
    double at(std::int64_t step) const {
        const auto x = static_cast<double>(step);
        const auto next = std::partition_point(m_points.begin(), m_points.end(),
                                               [&](const series::Point& p) { return p.x < x; });
        if (next == m_points.end()) {
            return kNan;  // the metric was not logged that far
        }
        if (next->x == x || next == m_points.begin()) {
            return next->x == x ? next->y : kNan;
        }
        const auto& before = *(next - 1);
        return before.y + (next->y - before.y) * (x - before.x) / (next->x - before.x);
    }

private:
    std::vector<series::Point> m_points;
};

/// The x of each bucket's first and last point.
void mapX(const CurveInput& input, const CurveSettings& settings, const std::vector<CurveBucket>& buckets,
          std::vector<double>& x0, std::vector<double>& x1) {
    const auto each = [&](const auto& first, const auto& last) {
        for (const auto& bucket : buckets) {
            x0.push_back(first(bucket));
            x1.push_back(last(bucket));
        }
    };
    const auto eachTime = [&](double origin) {
        each([=](const CurveBucket& b) { return static_cast<double>(b.firstMs) / 1000 - origin; },
             [=](const CurveBucket& b) { return static_cast<double>(b.lastMs) / 1000 - origin; });
    };
    switch (settings.x.kind) {
        case XAxis::Kind::Step:
            each([](const CurveBucket& b) { return static_cast<double>(b.firstStep); },
                 [](const CurveBucket& b) { return static_cast<double>(b.lastStep); });
            break;
        case XAxis::Kind::WallTime:
            eachTime(0);
            break;
        case XAxis::Kind::Relative: {
            const bool known = input.startMs > 0 && !buckets.empty() && input.startMs <= buckets[0].firstMs;
            const std::int64_t start = known || buckets.empty() ? input.startMs : buckets[0].firstMs;
            eachTime(static_cast<double>(start) / 1000);
            break;
        }
        case XAxis::Kind::Metric: {
            const Samples samples(input.x);
            each([&](const CurveBucket& b) { return samples.at(b.firstStep); },
                 [&](const CurveBucket& b) { return samples.at(b.lastStep); });
            break;
        }
    }
    if (settings.logX) {
        const auto logarithm = [](double& x) { x = x > 0 ? std::log10(x) : kNan; };
        std::for_each(x0.begin(), x0.end(), logarithm);
        std::for_each(x1.begin(), x1.end(), logarithm);
        for (std::size_t i = 0; i < x0.size(); ++i) {
            x0[i] = std::isnan(x0[i]) ? x1[i] : x0[i];
        }
    }
}

/// Drops what has no x and orders the rest by it, everything alike: clocks and resumed runs may step back.
void order(std::vector<CurveBucket>& buckets, std::vector<double>& x0, std::vector<double>& x1) {
    std::vector<std::size_t> kept;
    bool ordered = true;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        if (std::isnan(x0[i]) || std::isnan(x1[i])) {
            continue;
        }
        if (x0[i] > x1[i]) {
            std::swap(x0[i], x1[i]);
        }
        ordered = ordered && (kept.empty() || x0[kept.back()] <= x0[i]);
        kept.push_back(i);
    }
    if (ordered && kept.size() == buckets.size()) {
        return;
    }
    std::stable_sort(kept.begin(), kept.end(), [&](std::size_t a, std::size_t b) { return x0[a] < x0[b]; });
    std::vector<CurveBucket> sorted;
    std::vector<double> s0, s1;
    for (const std::size_t i : kept) {
        sorted.push_back(buckets[i]);
        s0.push_back(x0[i]);
        s1.push_back(x1[i]);
    }
    buckets = std::move(sorted);
    x0 = std::move(s0);
    x1 = std::move(s1);
}

/// The logarithm, or the value; NaN where there is none.
double onAxis(double value, bool logarithmic) {
    return !logarithmic ? value : value > 0 ? std::log10(value) : kNan;
}

series::Segment segmentOf(const CurveBucket& b, double x0, double x1, bool logY) {
    series::Segment s{x0, x1, kNan, kNan, kNan, kNan, kNan};
    if (b.finite == 0 || (logY && b.maximum <= 0)) {
        return s;
    }
    s.high = onAxis(b.maximum, logY);
    // Of a stretch that goes below zero, the least of what is known to be above.
    double least = b.minimum;
    if (logY && least <= 0) {
        least = b.maximum;
        for (const double value : {b.first, b.last, b.mean}) {
            least = value > 0 ? std::min(least, value) : least;
        }
    }
    s.low = onAxis(least, logY);
    const auto inside = [&](double value) {
        const double y = onAxis(value, logY);
        return std::isnan(y) ? s.low : y;
    };
    s.first = inside(b.first);
    s.last = inside(b.last);
    s.mean = inside(b.mean);
    return s;
}

series::TracePtr makeTrace(const std::vector<CurveBucket>& buckets, const std::vector<double>& x0,
                           const std::vector<double>& x1, bool logY) {
    const bool exact =
        std::all_of(buckets.begin(), buckets.end(), [](const CurveBucket& b) { return b.count == 1; });
    if (exact) {
        std::vector<series::Point> points;
        points.reserve(buckets.size());
        for (std::size_t i = 0; i < buckets.size(); ++i) {
            points.push_back({x0[i], onAxis(buckets[i].first, logY)});
        }
        return std::make_shared<const series::Trace>(std::move(points));
    }
    std::vector<series::Segment> segments;
    segments.reserve(buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        segments.push_back(segmentOf(buckets[i], x0[i], x1[i], logY));
    }
    return std::make_shared<const series::Trace>(std::move(segments));
}

series::TracePtr makeSmoothed(const std::vector<CurveBucket>& buckets, const std::vector<double>& x1,
                              double weight, bool logY) {
    std::vector<double> values;
    std::vector<std::uint32_t> counts;
    values.reserve(buckets.size());
    counts.reserve(buckets.size());
    for (const auto& bucket : buckets) {
        values.push_back(bucket.mean);
        counts.push_back(std::max<std::uint32_t>(1, bucket.finite));
    }
    values = series::smoothed(values, counts, weight);
    std::vector<series::Point> points;
    points.reserve(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        points.push_back({x1[i], onAxis(values[i], logY)});
    }
    return std::make_shared<const series::Trace>(std::move(points));
}

}  // namespace

double PreparedCurve::xOfStep(double step, bool logX) const {
    if (steps.empty()) {
        return logX ? onAxis(step, true) : step;
    }
    if (step < steps.front() || step > steps.back()) {
        return kNan;
    }
    const auto at = std::lower_bound(steps.begin(), steps.end(), step);
    return (*raw)[static_cast<std::size_t>(at - steps.begin())].x1;
}

PreparedPtr prepareCurve(const CurveInput& input, const CurveSettings& settings) {
    auto prepared = std::make_shared<PreparedCurve>();
    auto buckets = spliced(input.values);
    std::vector<double> x0, x1;
    mapX(input, settings, buckets, x0, x1);
    const std::size_t all = buckets.size();
    order(buckets, x0, x1);
    prepared->withoutPlace = settings.logX ? all - buckets.size() : 0;
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const auto& bucket = buckets[i];
        const double middle = (x0[i] + x1[i]) / 2;
        const auto mark = [&](CurveBucket::Mark bit, series::Mark::Kind kind) {
            if (bucket.marks & bit) {
                prepared->marks.push_back({middle, kind});
            }
        };
        mark(CurveBucket::kNan, series::Mark::Kind::Nan);
        mark(CurveBucket::kPlusInfinity, series::Mark::Kind::PlusInfinity);
        mark(CurveBucket::kMinusInfinity, series::Mark::Kind::MinusInfinity);
        prepared->withoutPlace += settings.logY && bucket.finite > 0 && bucket.minimum <= 0 ? 1 : 0;
        if (settings.x.kind != XAxis::Kind::Step || settings.logX) {
            prepared->steps.push_back(static_cast<double>(bucket.lastStep));
        }
    }
    const auto line = [&](bool logY) {
        return settings.smoothing > 0 ? makeSmoothed(buckets, x1, settings.smoothing, logY)
                                      : makeTrace(buckets, x0, x1, logY);
    };
    prepared->raw = makeTrace(buckets, x0, x1, settings.logY);
    prepared->line = settings.smoothing > 0 ? line(settings.logY) : prepared->raw;
    if (!input.group.empty()) {
        prepared->plain = settings.logY ? line(false) : prepared->line;
    }
    return prepared;
}

PreparedPtr PreparedCache::get(const CurveInput& input, const CurveSettings& settings) {
    Entry& entry = m_entries[input.runId];
    entry.used = true;
    CurveSettings relevant = settings;
    relevant.showAll = false;
    relevant.spread = {};
    const bool needsPlain = !input.group.empty() && entry.prepared && !entry.prepared->plain;
    if (!entry.prepared || needsPlain || entry.values != input.values || entry.x != input.x ||
        entry.settings != relevant) {
        entry.values = input.values;
        entry.x = input.x;
        entry.settings = relevant;
        entry.prepared = prepareCurve(input, settings);
    }
    return entry.prepared;
}

void PreparedCache::trim() {
    for (auto entry = m_entries.begin(); entry != m_entries.end();) {
        entry = std::exchange(entry->second.used, false) ? std::next(entry) : m_entries.erase(entry);
    }
}

}  // namespace dailies::ui
