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

}  // namespace
}  // namespace dailies::analysis
