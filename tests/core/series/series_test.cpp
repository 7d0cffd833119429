#include "core/series/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

namespace dailies::series {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Smoothed, MatchesTensorBoardsFormula) {
    // worked by hand with weight 0.5: averages 1, 2.5, 4.25 over 0.5, 0.75, 0.875
    EXPECT_THAT(smoothed({2, 4, 6}, 0.5), ElementsAre(DoubleNear(2.0, 1e-12), DoubleNear(2.5 / 0.75, 1e-12),
                                                      DoubleNear(4.25 / 0.875, 1e-12)));
}

TEST(Smoothed, ConstantSeriesAndNoWeightChangeNothing) {
    EXPECT_THAT(smoothed({0.1, 0.1, 0.1}, 0.9), ElementsAre(0.1, 0.1, 0.1));
    EXPECT_THAT(smoothed({3, 1, 2}, 0), ElementsAre(3, 1, 2));
    EXPECT_THAT(smoothed({}, 0.5), IsEmpty());
}

TEST(Smoothed, AValueThatIsNotFiniteStaysAndSpoilsNothingAfterIt) {
    const auto with = smoothed({2, kNan, 4, kInfinity, 6}, 0.5);
    const auto without = smoothed({2, 4, 6}, 0.5);
    EXPECT_TRUE(std::isnan(with[1]));
    EXPECT_EQ(with[3], kInfinity);
    EXPECT_EQ(with[2], without[1]);
    EXPECT_EQ(with[4], without[2]);
}

TEST(Decimated, FewPointsAreAllKept) {
    const std::vector<Point> points = {{0, 1}, {1, 5}, {2, 3}, {3, 4}};
    EXPECT_EQ(decimated(points, 0, 3, 100).line, points);
}

TEST(Decimated, NoExtremeIsLostInAnyColumn) {
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 1);
    std::vector<Point> points;
    for (int i = 0; i < 100'000; ++i) points.push_back({static_cast<double>(i), noise(random)});
    points[54'321].y = 1'000;
    points[12'345].y = -1'000;
    const int columns = 800;
    const auto line = decimated(points, 0, 99'999, columns).line;
    EXPECT_LE(line.size(), 4u * columns);

    const auto spans = [&](const std::vector<Point>& drawn) {
        std::map<int, std::pair<double, double>> found;
        for (const auto& point : drawn) {
            const int column = std::min(static_cast<int>(point.x / 99'999 * columns), columns - 1);
            auto [span, isNew] = found.try_emplace(column, point.y, point.y);
            span->second.first = std::min(span->second.first, point.y);
            span->second.second = std::max(span->second.second, point.y);
        }
        return found;
    };
    EXPECT_EQ(spans(line), spans(points));
    EXPECT_TRUE(std::is_sorted(line.begin(), line.end(), [](auto& a, auto& b) { return a.x < b.x; }));
}

TEST(Decimated, ValuesThatAreNotFiniteBecomeMarks) {
    std::vector<Point> points;
    for (int i = 0; i < 1'000; ++i) points.push_back({static_cast<double>(i), 1.0});
    points[100].y = points[101].y = kNan;
    points[500].y = kInfinity;
    points[501].y = -kInfinity;
    const auto drawn = decimated(points, 0, 999, 10);
    EXPECT_THAT(drawn.marks, ElementsAre(Mark{100, Mark::Kind::Nan}, Mark{500, Mark::Kind::PlusInfinity},
                                         Mark{501, Mark::Kind::MinusInfinity}));
    for (const auto& point : drawn.line) EXPECT_TRUE(std::isfinite(point.y));
    const auto allNan = decimated({{0, kNan}, {1, kNan}}, 0, 1, 10);
    EXPECT_THAT(allNan.line, IsEmpty());
    EXPECT_EQ(allNan.marks.size(), 2u);
}

TEST(Decimated, ZoomedInTheLineStillLeavesThePlotOnBothSides) {
    const std::vector<Point> points = {{0, 1}, {10, 2}, {20, kNan}, {50, 3}, {80, kNan}, {90, 4}, {100, 5}};
    EXPECT_THAT(decimated(points, 40, 60, 10).line, ElementsAre(Point{10, 2}, Point{50, 3}, Point{90, 4}));
    EXPECT_THAT(decimated(points, 60, 70, 10).line, ElementsAre(Point{50, 3}, Point{90, 4}));
    EXPECT_THAT(decimated(points, 200, 300, 10).line, ElementsAre(Point{100, 5}));
}

TEST(Decimated, SeveralPointsAtOneStepAreOneColumn) {
    EXPECT_THAT(decimated({{1, 5}, {1, 1}, {1, 9}, {1, 2}}, 0, 2, 10).line,
                ElementsAre(Point{1, 5}, Point{1, 1}, Point{1, 9}, Point{1, 2}));
}

TEST(Decimated, AnEmptyRangeShowsNothing) {
    EXPECT_THAT(decimated({{0, 1}}, 1, 1, 10).line, IsEmpty());
    EXPECT_THAT(decimated({{0, 1}}, 0, 1, 0).line, IsEmpty());
    EXPECT_THAT(decimated({{0, 1}}, kNan, 1, 10).line, IsEmpty());
    EXPECT_THAT(decimated({}, 0, 1, 10).line, IsEmpty());
}

}  // namespace
}  // namespace dailies::series
