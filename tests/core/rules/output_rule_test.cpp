#include "core/rules/output_rule.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <random>

namespace dailies::rules {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

std::string ruleProblem(const std::string& expression) {
    try {
        OutputRule rule(expression);
        return "";
    } catch (const InputError& error) {
        return error.full();
    }
}

TEST(OutputRule, GroupsAreTheStepAndMetricsOfTheirNames) {
    const OutputRule rule(R"(step=(?P<step>\S+) loss=(?P<loss>\S+)(?: lr=(?P<lr>\S+))?)");
    const auto row = rule.read("[rank 0] step=1,200 loss=0.25 lr=1e-4");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->step, 1200);
    EXPECT_THAT(row->values, ElementsAre(Pair("loss", 0.25), Pair("lr", 1e-4)));
    EXPECT_THAT(rule.read("step=3 loss=7")->values, ElementsAre(Pair("loss", 7))) << "lr did not match";
    EXPECT_FALSE(rule.read("loading 12 shards"));
    EXPECT_FALSE(rule.read(""));
}

TEST(OutputRule, NameAndValueAreAMetricAsOftenAsTheLineHasThem) {
    const OutputRule rule(R"(it (?P<step>\d+)|(?P<name>[\w/]+): (?P<value>[-+.\w]+))");
    const auto row = rule.read("train/loss: 0.5 | train/grad norm: inf | it 40 | eval/psnr: nan");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->step, 40);
    ASSERT_EQ(row->values.size(), 3u);
    EXPECT_THAT(row->values[0], Pair("train/loss", 0.5));
    EXPECT_THAT(row->values[1], Pair("norm", HUGE_VAL));
    EXPECT_TRUE(std::isnan(row->values[2].second));
    const auto later = rule.read("loss: 3");
    ASSERT_TRUE(later);
    EXPECT_FALSE(later->step) << "another line says it";
}

TEST(OutputRule, WhatIsNoNumberIsTold) {
    const OutputRule rule(R"(step (?P<step>\S+) loss (?P<loss>\S+))");
    EXPECT_EQ(rule.read("step 1 loss tbd")->notANumber, "tbd");
    EXPECT_THAT(rule.read("step 1 loss tbd")->values, IsEmpty());
    EXPECT_EQ(rule.read("step one loss 1")->notANumber, "one");
    EXPECT_EQ(rule.read("step 1.5 loss 1")->notANumber, "1.5");
    EXPECT_EQ(rule.read("step 99999999999999999999 loss 1")->step, std::nullopt);
    EXPECT_EQ(rule.read("step 500.0 loss 1")->step, 500);
}

TEST(OutputRule, AMistakeIsNamedWithItsPlace) {
    EXPECT_THAT(ruleProblem("step=(?P<step>\\d+ loss"), HasSubstr("missing )"));
    EXPECT_THAT(ruleProblem(R"((?P<step>\d+) (?P<loss>*\d))"),
                testing::AllOf(HasSubstr("at character 24"), HasSubstr("repetition operator: *")));
    EXPECT_THAT(ruleProblem(R"((?<step>\d+))"), HasSubstr("(?P<step>"));
    EXPECT_THAT(ruleProblem(R"((?P<step>\d+)(?=x))"), HasSubstr("Look-ahead"));
    EXPECT_THAT(ruleProblem(R"((?P<step>\d+)\1)"), HasSubstr("Back-references"));
    EXPECT_THAT(ruleProblem("[a"), HasSubstr("missing ]"));
    EXPECT_NE(ruleProblem("(?P<step>\\d{1,1000}){1000}(?P<loss>x)"), "") << "too large";
    EXPECT_NE(ruleProblem("\xFF(?P<step>x)"), "") << "not UTF-8";
    EXPECT_NE(ruleProblem(std::string(3'000, 'x')), "");
}

TEST(OutputRule, AnExpressionWithoutItsGroupsIsRefused) {
    EXPECT_THAT(ruleProblem(" "), HasSubstr("is empty"));
    EXPECT_THAT(ruleProblem(R"(step (\d+) loss (\S+))"), HasSubstr("no group named step"));
    EXPECT_THAT(ruleProblem(R"(step (?P<step>\d+))"), HasSubstr("no group for a metric"));
    EXPECT_THAT(ruleProblem(R"((?P<step>\d+) (?P<name>\w+))"), HasSubstr("name and value"));
    EXPECT_THAT(ruleProblem(R"((?P<step>\d+) (?P<value>\w+))"), HasSubstr("name and value"));
    EXPECT_EQ(ruleProblem(R"((?P<step>\d+) (?P<name>\w+)=(?P<value>\w+))"), "");
}

// what takes other engines longer than the universe has been there
TEST(OutputRule, TakesTimeInProportionWhateverItIs) {
    const auto start = std::chrono::steady_clock::now();
    const OutputRule nested(R"((?P<step>(a+)+)$(?P<loss>b))"), stars(R"((?P<step>.*.*.*.*)=(?P<loss>x+x+y))"),
        many(R"((?P<step>x)(?P<loss>.*z)?)");
    for (const char c : {'a', 'x', '='}) {
        const std::string line(65'536, c);
        nested.read(line);
        stars.read(line);
        many.read(line);
    }
    EXPECT_FALSE(nested.read(std::string(1 << 20, 'a'))) << "longer than any line of metrics";
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20));
}

TEST(OutputRule, NoiseMatchesOrNotAndNothingElse) {
    const OutputRule rule(R"((?P<step>\d*)(?P<loss>.*?)(?P<name>.)(?P<value>.?))");
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        std::string line(2'000, '\0');
        for (auto& c : line) c = static_cast<char>(random() & 0xFF);
        const auto row = rule.read(line);
        EXPECT_LE(row ? row->values.size() : 0, 200u);
    }
    EXPECT_NO_THROW(rule.read(std::string(100, '\0')));
}

}  // namespace
}  // namespace dailies::rules
