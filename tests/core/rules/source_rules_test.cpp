#include "core/rules/source_rules.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::rules {
namespace {

TEST(SourceRules, AreTheSameFromTheirRecord) {
    const SourceRules rules{R"(step=(?P<step>\d+) "loss"=(?P<loss>\S+))", {"s/{step}.mp4", "{prompt}.gif"}};
    EXPECT_EQ(fromText(toText(rules)), rules);
    EXPECT_TRUE(fromText(toText({})).isEmpty());
}

TEST(SourceRules, OfADamagedRecordWhatIsGoodStays) {
    EXPECT_TRUE(fromText("").isEmpty());
    EXPECT_TRUE(fromText("[1]").isEmpty());
    EXPECT_TRUE(fromText(R"({"output": "(", "clips": "x"})").isEmpty());
    EXPECT_EQ(fromText(R"({"output": 3, "clips": ["{", "{step}", 5]})").clips,
              std::vector<std::string>{"{step}"});
}

TEST(SourceRules, AMistakeSaysWhichRuleItIsIn) {
    const auto problem = [](const SourceRules& rules) -> std::string {
        try {
            check(rules);
            return "";
        } catch (const InputError& error) {
            return error.what();
        }
    };
    EXPECT_EQ(problem({}), "");
    EXPECT_THAT(problem({.output = "("}), testing::StartsWith("output: the regular expression"));
    EXPECT_THAT(problem({.clips = {"{step}", "{x}"}}), testing::StartsWith("clips: the pattern has {x}"));
    EXPECT_THAT(problem({.clips = std::vector<std::string>(11, "{step}")}),
                testing::HasSubstr("more than 10"));
}

}  // namespace
}  // namespace dailies::rules
