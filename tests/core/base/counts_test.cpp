#include "core/base/counts.h"

#include <gtest/gtest.h>

namespace dailies {
namespace {

TEST(Counts, AreGroupedByThousands) {
    EXPECT_EQ(grouped(0), "0");
    EXPECT_EQ(grouped(999), "999");
    EXPECT_EQ(grouped(1'000), "1,000");
    EXPECT_EQ(grouped(-1'234'567), "-1,234,567");
    EXPECT_EQ(grouped(-123), "-123");
}

TEST(Counts, AgreeWithTheirNoun) {
    EXPECT_EQ(pluralize(1, "run", "runs"), "1 run");
    EXPECT_EQ(pluralize(0, "run", "runs"), "0 runs");
    EXPECT_EQ(pluralize(1'200, "run", "runs"), "1,200 runs");
}

}  // namespace
}  // namespace dailies
