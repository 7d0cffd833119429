#include "core/series/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::series {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::IsEmpty;

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

}  // namespace
}  // namespace dailies::series
