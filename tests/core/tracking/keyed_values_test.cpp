#include "core/base/json.h"
#include "core/tracking/keyed_values_builder.h"

#include <gtest/gtest.h>

namespace dailies::tracking {
namespace {

using Texts = KeyedValues<std::string>;

std::vector<std::string> keysOf(const Texts& values) {
    std::vector<std::string> keys;
    for (const auto& [key, value] : values) keys.push_back(key);
    return keys;
}

TEST(KeyedValuesTest, KeysComeInOrderHoweverTheyWereAdded) {
    Texts values{{"steps", "100"}, {"lr", "0.1"}};
    values["optimizer"] = "muon";
    EXPECT_FALSE(values.emplace("lr", "0.2").second) << "what is there stays";
    EXPECT_EQ(keysOf(values), (std::vector<std::string>{"lr", "optimizer", "steps"}));
    EXPECT_EQ(values.at("lr"), "0.1");
    EXPECT_EQ(values.find("steps")->second, "100");
    EXPECT_EQ(values.find("step"), values.end());
    EXPECT_THROW((void)std::as_const(values).at("zeta"), std::out_of_range);
}

TEST(KeyedValuesTest, ChangingOneRunsKeysLeavesThoseThatSharedThem) {
    const auto keys = std::make_shared<const Texts::Keys>(Texts::Keys{"a", "c"});
    Texts one(keys, {"1", "2"}), other(keys, {"3", "4"});
    EXPECT_TRUE(one.hasSameKeys(other));
    one["b"] = "5";
    EXPECT_EQ(one.erase("a"), 1u);
    EXPECT_EQ(one.erase("a"), 0u);
    EXPECT_EQ(keysOf(one), (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(keysOf(other), (std::vector<std::string>{"a", "c"}));
    EXPECT_EQ(other.at("c"), "4");
    EXPECT_FALSE(one.hasSameKeys(other));
}

TEST(KeyedValuesTest, EqualsByContentsNotByWhereTheKeysAre) {
    const Texts shared(std::make_shared<const Texts::Keys>(Texts::Keys{"a", "b"}), {"1", "2"});
    EXPECT_EQ(shared, (Texts{{"b", "2"}, {"a", "1"}}));
    EXPECT_FALSE(shared == (Texts{{"a", "1"}, {"b", "3"}}));
    EXPECT_FALSE(shared == (Texts{{"a", "1"}, {"c", "2"}}));
    EXPECT_EQ(Texts(), Texts());
}

TEST(KeyedValuesTest, BecomeAnObjectInJson) {
    EXPECT_EQ(Json((KeyedValues<std::string>{{"optimizer.lr", "0.01"}, {"data.folder", ""}})).dump(),
              R"({"data.folder":"","optimizer.lr":"0.01"})");
}

TEST(GatheringTest, InterleavedRunsWithKeysInAnyOrderGetTheirOwnInOrder) {
    KeyedValuesBuilder<std::string> gathering(4);
    gathering.add(0, "lr", "0.1");
    gathering.add(1, "steps", "200");
    gathering.add(0, "steps", "100");
    gathering.add(1, "lr", "0.2");
    gathering.add(2, "", "of an empty key");
    gathering.add(2, "lr", "0.3");
    const auto first = gathering.take(0), second = gathering.take(1), third = gathering.take(2);
    EXPECT_EQ(first, (Texts{{"lr", "0.1"}, {"steps", "100"}}));
    EXPECT_EQ(second, (Texts{{"lr", "0.2"}, {"steps", "200"}}));
    EXPECT_EQ(third, (Texts{{"", "of an empty key"}, {"lr", "0.3"}}));
    EXPECT_TRUE(gathering.take(3).empty());
    EXPECT_EQ(&first.keys(), &second.keys()) << "the same keys in another order are kept once";
}

}  // namespace
}  // namespace dailies::tracking
