#include "core/exchange/mlflow_limits.h"

#include <gtest/gtest.h>

namespace dailies::exchange {
namespace {

TEST(MlflowNames, WhatMlflowTakesStaysAsItIs) {
    for (const std::string name : {"loss", "train/loss", "val acc", "a.b-c_d:e", "потеря", "損失", "a/b/c"})
        EXPECT_EQ(sanitizeMlflowName(name), name);
}

TEST(MlflowNames, WhatItRefusesBecomesAnUnderscore) {
    EXPECT_EQ(sanitizeMlflowName("loss (mean)"), "loss _mean_");
    EXPECT_EQ(sanitizeMlflowName("acc@1"), "acc_1");
    EXPECT_EQ(sanitizeMlflowName("smile🎬"), "smile_");
}

TEST(MlflowNames, NamesThatWouldBeAnotherPathAreFlattened) {
    EXPECT_EQ(sanitizeMlflowName("a//b"), "a__b");
    EXPECT_EQ(sanitizeMlflowName("/abs"), "_abs");
    EXPECT_EQ(sanitizeMlflowName("a/../b"), "a_.._b");
    EXPECT_EQ(sanitizeMlflowName("."), "_.");
    EXPECT_EQ(sanitizeMlflowName(".."), "_..");
    EXPECT_EQ(sanitizeMlflowName("a/"), "a_");
    EXPECT_EQ(sanitizeMlflowName(""), "_");
}

TEST(MlflowNames, LongNamesAreCutBetweenCharacters) {
    EXPECT_EQ(sanitizeMlflowName(std::string(300, 'x')).size(), 250u);
    EXPECT_EQ(truncateUtf8("жжж", 2), "жж");
    EXPECT_EQ(truncateUtf8("ab", 5), "ab");
    EXPECT_EQ(truncateUtf8("a\xD0", 2), "a\xD0") << "invalid UTF-8 is not read beyond its end";
}

}  // namespace
}  // namespace dailies::exchange
