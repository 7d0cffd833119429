#include "core/analysis/correlation.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies::analysis {
namespace {

TEST(Spearman, IsOneForAnyRisingRelation) {
    EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {1, 10, 100, 1000}).rho, 1);
    EXPECT_DOUBLE_EQ(spearman({1, 2, 3, 4}, {5, 4, 1, -7}).rho, -1);
}

TEST(Spearman, AgreesWithScipyWhereValuesTie) {
    // scipy.stats.spearmanr([1, 2, 2, 3, 5, 8], [3, 1, 4, 4, 4, 9])
    EXPECT_NEAR(spearman({1, 2, 2, 3, 5, 8}, {3, 1, 4, 4, 4, 9}).rho, 0.8008534347238067, 1e-12);
}

TEST(Spearman, PassesOverPairsThatAreNotFinite) {
    const auto result = spearman({1, NAN, 2, INFINITY, 3}, {1, 5, 2, 0, 3});
    EXPECT_EQ(result.n, 3U);
    EXPECT_DOUBLE_EQ(result.rho, 1);
}

TEST(Spearman, SaysNothingOfTooFewOrEqualValues) {
    EXPECT_TRUE(std::isnan(spearman({1, 2}, {1, 2}).rho));
    EXPECT_TRUE(std::isnan(spearman({1, 1, 1, 1}, {1, 2, 3, 4}).rho));
    EXPECT_TRUE(std::isnan(spearman({}, {}).rho));
}

TEST(Dependence, FindsAnOptimumInTheMiddleThatNoRankCorrelationSees) {
    std::vector<double> x, y, noise;
    for (int i = 0; i < 100; ++i) {
        x.push_back(i);
        y.push_back(-(i - 49.5) * (i - 49.5));
        noise.push_back((i * 37) % 100);
    }
    EXPECT_NEAR(spearman(x, y).rho, 0, 0.01);
    EXPECT_GT(dependence(x, false, y), 0.9);
    EXPECT_LT(dependence(x, false, noise), 0.1);
}

TEST(Dependence, TakesCategoriesAsTheirOwnGroups) {
    EXPECT_GT(dependence({0, 1, 2, 0, 1, 2, 0, 1, 2}, true, {1, 9, 2, 1.1, 9.1, 2.1, 1.2, 9.2, 2.2}), 0.8);
}

TEST(Dependence, IsNothingWhereThereIsNothingToTell) {
    EXPECT_EQ(dependence({}, false, {}), 0);
    EXPECT_EQ(dependence({1, 2}, false, {1, 2}), 0);
    EXPECT_EQ(dependence({1, 1, 1, 1}, true, {1, 2, 3, 4}), 0);
    EXPECT_EQ(dependence({1, 2, 3, 4}, false, {5, 5, 5, 5}), 0);
    EXPECT_EQ(dependence({NAN, NAN, NAN}, false, {1, 2, 3}), 0);
}

TEST(Spearman, ItsIntervalLiesWithinMinusOneAndOneAndHoldsRho) {
    for (const std::vector<double>& y :
         {std::vector<double>{1, 2, 3, 4}, {4, 3, 2, 1}, {1, 2, 4, 3}, {2, 1, 4, 3, 5, 6}, {3, 1, 2, 5, 4}}) {
        std::vector<double> x;
        for (std::size_t i = 0; i < y.size(); ++i) x.push_back(static_cast<double>(i));
        const auto found = spearman(x, y);
        EXPECT_GE(found.low, -1) << found.rho;
        EXPECT_LE(found.low, found.rho);
        EXPECT_LE(found.rho, found.high);
        EXPECT_LE(found.high, 1) << found.rho;
    }
    EXPECT_FALSE(spearman({1, 2, 3, 4}, {1, 2, 3, 4}).hasDirection()) << "four runs are no certainty";
    EXPECT_TRUE(std::isnan(spearman({1, 2, 3}, {1, 2, 3}).low)) << "of three nothing can be said";
}

TEST(Spearman, ItsIntervalIsThatOfFishersZ) {
    // rho 0.8008534347238067 over 6: tanh(atanh(rho) -+ 1.959964 sqrt((1 + rho^2 / 2) / 3))
    const auto six = spearman({1, 2, 2, 3, 5, 8}, {3, 1, 4, 4, 4, 9});
    EXPECT_NEAR(six.low, -0.1968, 5e-4);
    EXPECT_NEAR(six.high, 0.9837, 5e-4);
    std::vector<double> x, y;
    for (int i = 0; i < 100; ++i) {
        x.push_back(i);
        y.push_back(i % 10 == 0 ? 100 - i : i);
    }
    const auto many = spearman(x, y);
    EXPECT_TRUE(many.hasDirection());
    EXPECT_LT(many.high - many.low, 0.3);
}

}  // namespace
}  // namespace dailies::analysis
