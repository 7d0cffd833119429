#include "core/sweep/argument_text.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

Sweep own(const std::string& parameters) {
    return parseSweep("program: train.py\nparameters: {" + parameters + "}\n", "own.yaml");
}

Parameter parameter(Parameter::Kind kind, const std::string& text) {
    Parameter read;
    read.key = "lr";
    read.kind = kind;
    readArgumentText(read, text);
    return read;
}

std::string problem(Parameter::Kind kind, const std::string& text) {
    try {
        parameter(kind, text);
    } catch (const InputError& error) {
        return error.what();
    }
    return {};
}

TEST(ArgumentText, IsTheLineOfTheSweepFile) {
    const auto shown = [](const std::string& values) {
        return argumentText(own("lr: {values: [" + values + "]}").parameters[0]);
    };
    EXPECT_EQ(shown("1e-4, 5e-5"), "1e-4, 5e-5") << "as its author spells them";
    EXPECT_EQ(shown("1.0, 2, 07"), "1.0, 2, 07");
    EXPECT_EQ(shown("'1', yes, null"), "\"1\", true, null");
    EXPECT_EQ(shown("/data/a b, '~'"), "/data/a b, \"~\"");
    EXPECT_EQ(shown("'a, b', 'a: b', '# c', ''"), "\"a, b\", \"a: b\", \"# c\", \"\"");
    EXPECT_EQ(shown("[1, 2.0, x], {k: [a]}"), "[1, 2.0, x], {k: [a]}");
}

TEST(ArgumentText, IsReadBackAsTheSameValues) {
    for (const std::string values :
         {"1e-4, 5e-5", "1.0, 2, 07", "'1', true, null", "/data/a b, '~', 16:9", "'a, b', 'a: b', '# c', ''",
          "[1, 2.0, x], {k: [a], '1': '2'}", "\"two\\nlines\", \"it's\", '\"', '[', 'a]', '*x', '- y'"}) {
        const auto written = own("lr: {values: [" + values + "]}").parameters[0];
        const auto read = parameter(Parameter::Kind::Values, argumentText(written));
        EXPECT_EQ(read.values, written.values) << argumentText(written);
        EXPECT_EQ(read.spellings, written.spellings) << argumentText(written);
    }
}

TEST(ArgumentText, OfAFixedParameterIsOneValue) {
    EXPECT_EQ(parameter(Parameter::Kind::Fixed, "a b").values, (std::vector<Json>{"a b"}));
    EXPECT_EQ(parameter(Parameter::Kind::Fixed, "[1, 2]").values, (std::vector<Json>{{1, 2}}));
    EXPECT_EQ(problem(Parameter::Kind::Fixed, "1, 2"),
              "lr: found 2 values, expected one; put text with a comma in quotes, and a list in [ ].");
}

TEST(ArgumentText, SaysWhatItCannotRead) {
    EXPECT_EQ(problem(Parameter::Kind::Values, " "),
              "lr: found nothing, expected values, such as 1e-4, 5e-5.");
    for (const std::string text : {"[1", "1], x: [2", "1]", "a: b: c", "\"open", "1]} # "})
        EXPECT_THAT(problem(Parameter::Kind::Values, text), testing::HasSubstr("found '" + text + "'"));
}

TEST(ArgumentText, ASweepFileKeepsNumbersAsTheyAreSpelled) {
    const auto read = own("a: {value: 1.0}, b: {values: [[1.0, 2], 3]}, c: {value: 1e-4}");
    const auto again = parseSweep(toYaml(read), "again.yaml");
    for (std::size_t i = 0; i < 3; ++i) {
        EXPECT_EQ(again.parameters[i].values, read.parameters[i].values);
        EXPECT_EQ(argumentText(again.parameters[i]), argumentText(read.parameters[i]));
    }
    EXPECT_TRUE(again.parameters[1].values[0][0].is_number_float());
}

}  // namespace
}  // namespace dailies::sweep
