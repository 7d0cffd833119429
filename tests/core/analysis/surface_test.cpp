#include "core/analysis/surface.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dailies::analysis {
namespace {

std::vector<SurfacePoint> samples(std::size_t count, double (*f)(double, double)) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> uniform;
    std::vector<SurfacePoint> points;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = uniform(random), y = uniform(random);
        points.push_back({x, y, f(x, y)});
    }
    return points;
}

TEST(Surface, FollowsASmoothFunction) {
    const auto f = [](double x, double y) { return std::sin(3 * x) + y; };
    const Surface surface = smoothedSurface(samples(5'000, f), 20, 20);
    for (std::size_t j = 2; j < 18; ++j) {
        for (std::size_t i = 2; i < 18; ++i) {
            const double x = (static_cast<double>(i) + 0.5) / 20, y = (static_cast<double>(j) + 0.5) / 20;
            EXPECT_NEAR(surface.at(i, j), f(x, y), 0.06) << x << " " << y;
        }
    }
}

TEST(Surface, IsBlankWhereNothingWasTried) {
    std::vector<SurfacePoint> points;
    for (int i = 0; i < 50; ++i) {
        points.push_back({0.1 + 0.002 * i, 0.2, 1});
    }
    const Surface surface = smoothedSurface(points, 40, 40);
    EXPECT_DOUBLE_EQ(surface.at(6, 8), 1);
    EXPECT_TRUE(std::isnan(surface.at(35, 35)));
    EXPECT_TRUE(std::isnan(surface.at(6, 35)));
}

TEST(Surface, NeverLeavesTheRangeOfItsPoints) {
    for (const double value :
         smoothedSurface(samples(60, [](double x, double) { return x > 0.5 ? 1.0 : 0.0; }), 30, 30).values) {
        EXPECT_TRUE(std::isnan(value) || (value >= 0 && value <= 1));
    }
}

TEST(Surface, PassesOverPointsThatAreNotFinite) {
    const Surface surface = smoothedSurface({{0.5, 0.5, 2}, {0.5, 0.5, NAN}, {NAN, 0.5, 9}}, 11, 11);
    EXPECT_DOUBLE_EQ(surface.at(5, 5), 2);
    EXPECT_TRUE(std::isnan(smoothedSurface({{0.5, 0.5, INFINITY}}, 3, 3).at(1, 1)));
    EXPECT_TRUE(smoothedSurface({{0.5, 0.5, 1}}, 0, 3).values.empty());
}

TEST(Surface, StopsWhenItIsAskedTo) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(smoothedSurface({{0.5, 0.5, 2}}, 4, 4, stop.get_token()), Cancelled);
}

}  // namespace
}  // namespace dailies::analysis
