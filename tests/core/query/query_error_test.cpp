#include "core/query/query_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace {

using dailies::query::caretSnippet;
using testing::HasSubstr;

TEST(Underlined, CaretsStandBeneathTheWrongCharacters) {
    EXPECT_EQ(caretSnippet("metrics.loss < 'low'", 15, 5),
              "metrics.loss < 'low'\n"
              "               ^^^^^");
}

TEST(Underlined, WhatIsMissingIsMarkedWhereItShouldStand) {
    EXPECT_EQ(caretSnippet("metrics.loss <", 14, 0),
              "metrics.loss <\n"
              "              ^");
    EXPECT_EQ(caretSnippet("", 7, 3), "\n^");
}

TEST(Underlined, WideCharactersCountTwoColumnsAndAccentsNone) {
    EXPECT_EQ(caretSnippet("走る = é", 9, 2),
              "走る = é\n"
              "       ^");
    EXPECT_EQ(caretSnippet("e\u0301 = x", 6, 1),
              "e\u0301 = x\n"
              "    ^");
}

TEST(Underlined, LinesAndTabsAreLaidOutAsOneLine) {
    EXPECT_EQ(caretSnippet("status = 'x'\n\tAND colour", 18, 6),
              "status = 'x'  AND colour\n"
              "                  ^^^^^^");
}

TEST(Underlined, OfALongTextOnlyThePartAroundIsShown) {
    const std::string text = std::string(5'000, 'a') + "!!" + std::string(5'000, 'b');
    const auto shown = caretSnippet(text, 5'000, 2);
    EXPECT_LT(shown.size(), 300u);
    EXPECT_THAT(shown, HasSubstr("a!!b"));
    EXPECT_THAT(shown, HasSubstr(std::string(61, ' ') + "^^"));
}

TEST(Underlined, ATerminalGetsNoEscapeSequences) {
    EXPECT_EQ(caretSnippet("\x1b[31m!", 5, 1).find('\x1b'), std::string::npos);
}

}  // namespace
