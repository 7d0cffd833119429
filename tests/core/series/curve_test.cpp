#include "core/series/axis.h"
#include "core/series/band.h"
#include "core/series/raster.h"
#include "core/series/trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace dailies::series {
namespace {

using testing::ElementsAre;

std::vector<Point> noise(int count, unsigned seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 1);
    std::vector<Point> points;
    for (int i = 0; i < count; ++i) points.push_back({static_cast<double>(i), normal(random)});
    return points;
}

TEST(Trace, EveryLevelHoldsTheExtremesOfEveryWindow) {
    auto points = noise(100'000, 7);
    points[54'321].y = 1'000;
    points[12'345].y = -1'000;
    points[777].y = kNan;
    const Trace trace(points);
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        const double left = std::uniform_real_distribution<double>(0, 99'000)(random);
        const double right =
            std::min(99'999.0, left + std::pow(10, std::uniform_real_distribution<double>(0, 5)(random)));
        double low = kNan, high = kNan;
        for (const auto& point : points) {
            if (point.x < left || point.x > right || std::isnan(point.y)) continue;
            low = std::isnan(low) ? point.y : std::min(low, point.y);
            high = std::isnan(high) ? point.y : std::max(high, point.y);
        }
        double least = kNan, greatest = kNan;
        trace.visit(trace.part(left, right, 200), [&](const Segment& s) {
            if (!s.drawable()) return;
            least = std::isnan(least) ? s.low : std::min(least, s.low);
            greatest = std::isnan(greatest) ? s.high : std::max(greatest, s.high);
        });
        if (std::isnan(low)) continue;
        EXPECT_LE(least, low);
        EXPECT_GE(greatest, high);
    }
}

TEST(Trace, APictureReadsByItsWidthWhateverTheNumberOfPoints) {
    const Trace trace(noise(1'000'000, 1));
    for (const double width : {1e6, 1e5, 1e4, 1e3, 100.0}) {
        const auto part = trace.part(1000, 1000 + width, 500);
        EXPECT_LE(part.end - part.begin, 8u * 500 + 4);
    }
    const auto near = trace.part(1000, 1100, 500);
    EXPECT_EQ(near.level, 0u);
    EXPECT_EQ(near.begin, 999u);
    EXPECT_EQ(near.end, 1102u);
}

TEST(Trace, TheNearestStretchIsFoundAndOutliersAreCountedExactly) {
    auto points = noise(50'000, 5);
    for (const int at : {10, 20'000, 49'999}) points[static_cast<std::size_t>(at)].y = 100;
    const Trace trace(points);
    EXPECT_EQ(trace.nearest(17.4), 17u);
    EXPECT_EQ(trace.nearest(17.6), 18u);
    EXPECT_EQ(trace.nearest(-5), 0u);
    EXPECT_EQ(trace.nearest(1e9), 49'999u);
    EXPECT_EQ(trace.countAbove(50, 0, 49'999), 3u);
    EXPECT_EQ(trace.countAbove(50, 11, 49'998), 1u);
    EXPECT_EQ(trace.countBelow(-50, 0, 49'999), 0u);
}

std::vector<std::uint32_t> drawn(const View& view, const Trace& trace, const Stroke& stroke,
                                 int threads = 1) {
    std::vector<std::uint32_t> pixels(static_cast<std::size_t>(view.width) *
                                      static_cast<std::size_t>(view.height));
    render(
        view, threads, [&](Canvas& canvas) { canvas.line(trace, stroke); }, pixels.data(),
        static_cast<std::size_t>(view.width));
    return pixels;
}

TEST(Canvas, EachColumnsSpanIsThatOfItsPoints) {
    const auto points = noise(100'000, 11);
    const View view{0, 99'999, -6, 6, 500, 400};
    const auto pixels = drawn(view, Trace(points), {{255, 0, 0, 1}, 1});
    // A stretch lies at most a pixel beside its column.
    for (int column = 2; column < view.width - 2; ++column) {
        double low = 1e9, high = -1e9;
        const auto from = static_cast<std::size_t>(column * 100'000.0 / view.width);
        for (std::size_t i = from; i < from + 200; ++i) {
            low = std::min(low, points[i].y);
            high = std::max(high, points[i].y);
        }
        bool topSeen = false, bottomSeen = false;
        for (int c = column - 1; c <= column + 2; ++c) {
            const auto at = [&](double y) {
                const int row = std::clamp(static_cast<int>(view.y(y)), 0, view.height - 1);
                return pixels[static_cast<std::size_t>(row * view.width + c)] >> 24;
            };
            topSeen = topSeen || at(high) > 60;
            bottomSeen = bottomSeen || at(low) > 60;
        }
        EXPECT_TRUE(topSeen && bottomSeen) << "column " << column;
    }
}

TEST(Canvas, TwoThreadsDrawTheSamePixelsAsOne) {
    const View view{100, 90'000, -4, 4, 333, 200};
    const Trace trace(noise(100'000, 13));
    const Stroke stroke{{10, 200, 100, 0.5f}, 2.5f};
    const auto one = drawn(view, trace, stroke);
    const auto two = drawn(view, trace, stroke, 2);
    // The pyramid's level is chosen by each part's share of the points, so a pixel beside the seam may
    // differ.
    std::size_t different = 0;
    for (std::size_t i = 0; i < one.size(); ++i) different += one[i] != two[i] ? 1 : 0;
    EXPECT_LT(different, one.size() / 50);
}

TEST(Canvas, ASlantedLineIsEquallyThickAtEverySlope) {
    for (const double slope : {0.0, 0.3, 1.0, 4.0}) {
        const View view{0, 100, 0, 100, 100, 100};
        const double rise = std::min(40.0, 40 * slope);
        const double run = slope > 1 ? 40 / slope : 40;
        const auto pixels = drawn(
            view, Trace(std::vector<Point>{{50 - run, 50 - rise}, {50 + run, 50 + rise}}), {{0, 0, 0, 1}, 2});
        double covered = 0;
        for (const auto pixel : pixels) covered += (pixel >> 24) / 255.0;
        const double length = 2 * std::hypot(run, rise);
        EXPECT_NEAR(covered / length, 2, 0.25) << "slope " << slope;
    }
}

TEST(Canvas, AnIsolatedPointIsADotAndAGapStaysEmpty) {
    const View view{0, 100, 0, 10, 100, 50};
    const auto pixels =
        drawn(view, Trace(std::vector<Point>{{10, 5}, {20, kNan}, {50, 5}, {60, kNan}, {90, 5}}),
              {{0, 0, 0, 1}, 2});
    const auto covered = [&](int column) {
        double sum = 0;
        for (int y = 0; y < view.height; ++y)
            sum += pixels[static_cast<std::size_t>(y * view.width + column)] >> 24;
        return sum / 255;
    };
    EXPECT_GT(covered(50), 2);
    EXPECT_EQ(covered(30), 0);
    EXPECT_EQ(covered(70), 0);
}

TEST(Canvas, WhatLiesFarOutsideHarmsNothing) {
    const View view{0, 10, 0, 1, 100, 50};
    drawn(view, Trace(std::vector<Point>{{-1e300, 1e300}, {5, -1e300}, {1e300, 1e300}}), {{0, 0, 0, 1}, 3});
    drawn(view, Trace(std::vector<Point>{}), {{0, 0, 0, 1}, 3});
    drawn({0, 1e-12, 0, 1e-12, 10, 10}, Trace(std::vector<Point>{{0, 0}, {1, 1}}), {{0, 0, 0, 1}, 3});
}

TEST(Band, EqualsBruteForceOverCurvesOfDifferentLengthsAndSteps) {
    std::vector<std::vector<Point>> curves;
    std::mt19937 random(5);
    for (int run = 0; run < 7; ++run) {
        std::vector<Point> points;
        double x = run * 3;
        for (int i = 0; i < 20 + 10 * run; ++i) {
            points.push_back({x, std::uniform_real_distribution<double>(0, 1)(random)});
            x += 1 + run % 3;
        }
        curves.push_back(points);
    }
    std::vector<TracePtr> traces;
    for (const auto& curve : curves) traces.push_back(std::make_shared<const Trace>(curve));
    const auto valueAt = [](const std::vector<Point>& curve, double x) {
        for (std::size_t i = 0; i < curve.size(); ++i) {
            if (curve[i].x == x) return curve[i].y;
            if (i > 0 && curve[i - 1].x < x && x < curve[i].x)
                return std::lerp(curve[i - 1].y, curve[i].y,
                                 (x - curve[i - 1].x) / (curve[i].x - curve[i - 1].x));
        }
        return kNan;
    };
    for (const Spread spread : {Spread::Deviation, Spread::Range, Spread::Confidence}) {
        const Band found = band(traces, spread, 0, 1000, 5000);
        for (std::size_t i = 0; i < found.x.size(); ++i) {
            std::vector<double> values;
            for (const auto& curve : curves)
                if (const double y = valueAt(curve, found.x[i]); !std::isnan(y)) values.push_back(y);
            const auto n = static_cast<double>(values.size());
            double mean = 0, squares = 0;
            for (const double y : values) mean += y / n;
            for (const double y : values) squares += (y - mean) * (y - mean);
            const double deviation = n > 1 ? std::sqrt(squares / (n - 1)) : 0;
            EXPECT_EQ(found.runs[i], static_cast<int>(values.size()));
            EXPECT_NEAR(found.mean[i], mean, 1e-12);
            const double least = *std::min_element(values.begin(), values.end());
            const double around = spread == Spread::Confidence
                                      ? deviation * studentT(static_cast<int>(n) - 1) / std::sqrt(n)
                                      : deviation;
            EXPECT_NEAR(found.low[i], spread == Spread::Range ? least : mean - around, 1e-9);
        }
    }
}

TEST(Band, StudentsQuantilesAreThoseOfTheTables) {
    EXPECT_NEAR(studentT(1), 12.706, 0.001);
    EXPECT_NEAR(studentT(2), 4.303, 0.001);
    EXPECT_NEAR(studentT(3), 3.182, 0.005);
    EXPECT_NEAR(studentT(4), 2.776, 0.003);
    EXPECT_NEAR(studentT(10), 2.228, 0.001);
    EXPECT_NEAR(studentT(1000), 1.962, 0.001);
}

TEST(Axis, TicksAreRoundAndWithinTheRange) {
    EXPECT_THAT(linearAxis({0, 1000}, 5).ticks, ElementsAre(0, 200, 400, 600, 800, 1000));
    const Axis rounded = niceAxis({0.13, 0.87}, 4);
    EXPECT_DOUBLE_EQ(rounded.range.minimum, 0);
    EXPECT_DOUBLE_EQ(rounded.range.maximum, 1);
    EXPECT_THAT(logarithmicAxis({-3, 1}, 5).ticks, ElementsAre(-3, -2, -1, 0, 1));
    EXPECT_THAT(timeAxis({0, 3600}, 4).ticks, ElementsAre(0, 900, 1800, 2700, 3600));
    EXPECT_FALSE(linearAxis({5, 5}, 4).ticks.empty());
    EXPECT_FALSE(linearAxis({1e18, 1e18 + 1}, 4).ticks.size() > 100);
    EXPECT_GE(logarithmicAxis({-0.1, 0.1}, 5).ticks.size(), 2u);
}

TEST(Axis, AFewValuesFarOutAreLeftOutAndTheSpreadOfNormalDataIsNot) {
    auto points = noise(5'000, 3);
    const Trace normal(points);
    EXPECT_FALSE(valueRange({&normal}, 0, 5'000, true).cut);
    points[100].y = 1e6;
    points[200].y = -1e6;
    const Trace spiked(points);
    const auto range = valueRange({&spiked}, 0, 5'000, true);
    EXPECT_TRUE(range.cut);
    EXPECT_LT(range.range.maximum, 20);
    const auto out = countOutOfRange({&spiked}, 0, 5'000, range.range);
    EXPECT_EQ(out.above, 1u);
    EXPECT_EQ(out.below, 1u);
    EXPECT_FALSE(valueRange({&spiked}, 0, 5'000, false).cut);
}

}  // namespace
}  // namespace dailies::series
