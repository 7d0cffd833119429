#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <random>

namespace dailies {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::string outputOf(const std::string& command) {
    std::string output;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (!pipe) return "popen failed";
    char buffer[4096];
    while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
    ::pclose(pipe);
    return output;
}

std::string randomBytes(std::mt19937& random, bool withNul) {
    std::uniform_int_distribution<int> length(0, 60), byte(withNul ? 0 : 1, 255), nasty(0, 3);
    static constexpr std::string_view kNasty = "'\"\\$`\n;&|<>(){}*?[]~#! \t-%";
    std::uniform_int_distribution<std::size_t> which(0, kNasty.size() - 1);
    std::string bytes;
    for (int left = length(random); left > 0; --left)
        bytes += nasty(random) == 0 ? static_cast<char>(byte(random)) : kNasty[which(random)];
    return bytes;
}

TEST(ShellQuote, WhateverTheBytesARealShellPassesThemOnAsOneWord) {
    std::mt19937 random(3);
    for (int i = 0; i < 300; ++i) {
        const std::string text = randomBytes(random, false);
        // the second word shows that the first neither swallowed it nor fell apart
        ASSERT_EQ(outputOf("printf '[%s]' " + shellQuote(text) + " end"), "[" + text + "][end]");
    }
    EXPECT_EQ(outputOf("printf '[%s]' " + shellQuote("") + " end"), "[][end]");
}

TEST(ShellQuote, ANulWhichNoArgumentCanHoldIsDropped) {
    EXPECT_EQ(shellQuote(std::string_view("a\0b", 3)), "'ab'");
}

TEST(InertText, ControlCharactersBecomeVisible) {
    EXPECT_EQ(sanitizedText("\x1b[31mred\x07"), "␛[31mred␇");
    EXPECT_EQ(sanitizedText(std::string_view("a\0b\r", 4)), "a␀b␍");
    EXPECT_EQ(sanitizedText("tab\tand\nline"), "tab\tand\nline");
    EXPECT_EQ(sanitizedText("\x7f\xc2\x9b"), "��") << "DEL, and the one-byte CSI";
}

TEST(InertText, TextThatReordersTheLineIsDefused) {
    EXPECT_EQ(sanitizedText("safe\xe2\x80\xae"
                            "gpj.exe"),
              "safe�gpj.exe");
    EXPECT_EQ(sanitizedText("\xe2\x81\xa6x\xe2\x80\xa8"), "�x�");
    EXPECT_EQ(sanitizedText("日本語 ünïcode 🎬"), "日本語 ünïcode 🎬");
}

TEST(InertText, InvalidUtf8IsReplacedByteByByte) {
    EXPECT_EQ(sanitizedText("a\xff"
                            "b"),
              "a�b");
    EXPECT_EQ(sanitizedText("\xc0\xaf"), "��") << "an overlong slash";
    EXPECT_EQ(sanitizedText("\xed\xa0\x80"), "���") << "a surrogate";
    EXPECT_EQ(sanitizedText("\xf0\x9f\x8e"), "���") << "cut off";
    EXPECT_EQ(sanitizedText("\xf4\x90\x80\x80"), "����") << "beyond Unicode";
}

TEST(InertText, WhateverTheBytesTheResultIsInertAlready) {
    std::mt19937 random(4);
    for (int i = 0; i < 2'000; ++i) {
        const std::string once = sanitizedText(randomBytes(random, true));
        ASSERT_EQ(sanitizedText(once), once);
    }
}

TEST(NearestWord, FindsTheWordThatWasMeantOrNone) {
    const std::vector<std::string> keys = {"optimizer.lr", "optimizer.beta1", "model.depth"};
    EXPECT_EQ(nearestWord("optimiser.lr", keys), "optimizer.lr");
    EXPECT_EQ(nearestWord("model.dept", keys), "model.depth");
    EXPECT_EQ(nearestWord("completely different", keys), "");
    EXPECT_EQ(nearestWord("x", {}), "");
}

TEST(Split, KeepsEmptyPartsAndJoinPutsThemBack) {
    EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
    EXPECT_THAT(split("a,", ','), ElementsAre("a", ""));
    EXPECT_THAT(split("", ','), IsEmpty());
    EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
    EXPECT_EQ(join({}, ", "), "");
}

TEST(Trim, TakesWhiteSpaceFromBothEndsOnly) {
    EXPECT_EQ(trim(" \t a b \r\n"), "a b");
    EXPECT_EQ(trim("   "), "");
    EXPECT_EQ(trim(""), "");
}

}  // namespace
}  // namespace dailies
