#include "core/exchange/mlflow_rules.h"

#include <gtest/gtest.h>

namespace dailies::exchange {
namespace {

TEST(MlflowNames, WhatMlflowTakesStaysAsItIs) {
    for (const std::string name : {"loss", "train/loss", "val acc", "a.b-c_d:e", "потеря", "損失", "a/b/c"})
        EXPECT_EQ(mlflowName(name), name);
}

TEST(MlflowNames, WhatItRefusesBecomesAnUnderscore) {
    EXPECT_EQ(mlflowName("loss (mean)"), "loss _mean_");
    EXPECT_EQ(mlflowName("acc@1"), "acc_1");
    EXPECT_EQ(mlflowName("smile🎬"), "smile_");
}

TEST(MlflowNames, NamesThatWouldBeAnotherPathAreFlattened) {
    EXPECT_EQ(mlflowName("a//b"), "a__b");
    EXPECT_EQ(mlflowName("/abs"), "_abs");
    EXPECT_EQ(mlflowName("a/../b"), "a_.._b");
    EXPECT_EQ(mlflowName("."), "_.");
    EXPECT_EQ(mlflowName(".."), "_..");
    EXPECT_EQ(mlflowName("a/"), "a_");
    EXPECT_EQ(mlflowName(""), "_");
}

TEST(MlflowNames, LongNamesAreCutBetweenCharacters) {
    EXPECT_EQ(mlflowName(std::string(300, 'x')).size(), 250u);
    EXPECT_EQ(cutTo("жжж", 2), "жж");
    EXPECT_EQ(cutTo("ab", 5), "ab");
    EXPECT_EQ(cutTo("a\xD0", 2), "a\xD0") << "invalid UTF-8 is not read beyond its end";
}

}  // namespace
}  // namespace dailies::exchange
