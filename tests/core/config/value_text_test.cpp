#include "core/config/value_text.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dailies::config {
namespace {

/// Of every type, what is easily lost on the way through text.
std::vector<Json> awkward(const Field& field) {
    if (!field.choices.empty()) return {field.choices.begin(), field.choices.end()};
    const std::string type = field.typeName();
    if (type == "true or false") return {true, false};
    if (type == "integer") return {0, 1, 9007199254740991};
    if (type == "number") return {0.0, 1.0, 0.1 + 0.2, 1e-7, 3e-4};
    if (type == "text") return {"", "a, b", "[]", "\"quoted\"", "1e-3", "ü"};
    return {Json::array(),      Json{"one"},
            Json{"a, b", "c"},  Json{"[]"},
            Json{""},           Json{"a", "", "b"},
            Json{" spaces "},   Json{"two\nlines"},
            Json{"\"quoted\""}, Json{"a \"word\" in quotes"}};
}

TEST(ValueText, AParamGivesBackEveryValueOfEveryKey) {
    for (const auto& field : trainSchema()) {
        EXPECT_EQ(parseParam(field, paramText(field.key, field.defaultValue())), field.defaultValue())
            << field.key;
        for (const auto& value : awkward(field))
            EXPECT_EQ(parseParam(field, paramText(field.key, value)), value) << field.key << " " << value;
    }
}

TEST(ValueText, WhatIsTypedGivesBackEveryValueOfEveryKey) {
    for (const auto& field : trainSchema())
        for (const auto& value : awkward(field))
            EXPECT_EQ(parseValue(field, valueText(value)), value) << field.key << " " << value;
}

TEST(ValueText, SeveralValuesInALineComeBackApart) {
    for (const auto& field : trainSchema()) {
        const auto values = awkward(field);
        EXPECT_EQ(parseValues(field, valuesText(values)), values) << field.key << " " << valuesText(values);
    }
    EXPECT_EQ(parseValues(*findField("optimizer.lr"), "1e-3, 2e-3,"), (std::vector<Json>{1e-3, 2e-3}));
}

TEST(ValueText, AParamThatIsNoListOfTextsIsRefusedByName) {
    for (const char* wrong : {"[1, 2]", "[\"a\"", "[['a']]"}) {
        try {
            parseParam(*findField("data.buckets"), wrong);
            ADD_FAILURE() << wrong;
        } catch (const InputError& error) {
            EXPECT_THAT(error.full(), testing::HasSubstr("data.buckets")) << wrong;
        }
    }
}

bool appliesWith(const std::string& key, const Json& changes) {
    const Json config = flatten(toJson(resolve(changes)));
    return applies(*findField(key),
                   [&](const Field& other) { return std::vector<Json>{config.at(other.key)}; });
}

TEST(Applies, KeysOfAnotherObjectiveDoNot) {
    EXPECT_FALSE(appliesWith("diffusion.sigma_max", Json::object()));
    EXPECT_TRUE(appliesWith("diffusion.sigma_max", {{"diffusion.objective", "edm"}}));
    EXPECT_TRUE(appliesWith("diffusion.timestep_mean", Json::object()));
    EXPECT_FALSE(appliesWith("diffusion.timestep_mean", {{"diffusion.objective", "edm"}}));
    EXPECT_FALSE(appliesWith("diffusion.timestep_mean", {{"diffusion.timesteps", "uniform"}}));
    EXPECT_FALSE(appliesWith("validation.levels", Json::object()));
    EXPECT_TRUE(appliesWith("validation.levels", {{"validation.every", 100}}));
    EXPECT_TRUE(appliesWith("optimizer.lr", Json::object()));
}

TEST(Applies, OneOfSeveralValuesOrOneThatIsNotKnownIsEnough) {
    const auto given = [](std::vector<Json> values) {
        return applies(*findField("diffusion.sigma_max"), [&](const Field&) { return values; });
    };
    EXPECT_TRUE(given({"rectified_flow", "edm"}));
    EXPECT_TRUE(given({}));
    EXPECT_FALSE(given({"rectified_flow"}));
}

TEST(Applies, EveryConditionNamesAKeyAndValuesThatItTakes) {
    for (const auto& field : trainSchema())
        for (const auto& condition : field.appliesWhen) {
            const auto* other = findField(condition.key);
            ASSERT_NE(other, nullptr) << field.key << ": " << condition.key;
            EXPECT_FALSE(condition.values.empty()) << field.key;
            for (const auto& value : condition.values)
                EXPECT_TRUE(accepts(*other, value)) << field.key << ": " << condition.key << " " << value;
        }
}

}  // namespace
}  // namespace dailies::config
