#include "core/rules/clip_pattern.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace dailies::rules {
namespace {

using testing::HasSubstr;

std::string patternProblem(const std::string& pattern) {
    try {
        ClipPattern made(pattern);
        return "";
    } catch (const InputError& error) {
        return error.full();
    }
}

/// "step|prompt|seed", "-" for what is not said.
std::string told(const std::string& pattern, const std::string& path) {
    const auto match = ClipPattern(pattern).match(path);
    if (!match) return "no";
    return (match->step ? std::to_string(*match->step) : "-") + "|" + match->prompt.value_or("-") + "|" +
           (match->seed ? std::to_string(*match->seed) : "-");
}

struct Case {
    const char *pattern, *path, *expected;
};

TEST(ClipPattern, SaysWhatOfAPathIsTheStepThePromptAndTheSeed) {
    const Case cases[] = {
        {"samples/{step}/{prompt}_{seed}.mp4", "samples/000500/a_red_fox_42.mp4", "500|a_red_fox|42"},
        {"samples/{step}/{prompt}_{seed}.mp4", "output/samples/5/fox_1.mp4", "5|fox|1"},
        {"samples/{step}/{prompt}_{seed}.mp4", "oldsamples/5/fox_1.mp4", "no"},
        {"samples/{step}/{prompt}_{seed}.mp4", "samples/5/fox_1.mp4.part", "no"},
        {"samples/{step}/{prompt}_{seed}.mp4", "samples/5/more/fox_1.mp4", "no"},
        {"samples/{step}/{prompt}_{seed}", "samples/5/fox_1.webm", "5|fox|1"},
        {"{prompt}-{step}.gif", "x/fox-in-the-snow-12.gif", "12|fox-in-the-snow|-"},
        {"eval/**/{step}_*.mp4", "eval/a/b/70_whatever.mp4", "70|-|-"},
        {"eval/**/{step}_*.mp4", "eval/70_whatever.mp4", "70|-|-"},
        {"e{step}_v?.mp4", "e000003_v2.mp4", "3|-|-"},
        {"e{step}_v?.mp4", "e000003_v22.mp4", "no"},
        {"./[a] (b)+/{step}.mp4", "[a] (b)+/7.mp4", "7|-|-"},
        {"{step}.mp4", "99999999999999999999999.mp4", "no"},
        {"wéb/{prompt}.mp4", "wéb/füchse.mp4", "-|füchse|-"},
    };
    for (const auto& [pattern, path, expected] : cases)
        EXPECT_EQ(told(pattern, path), expected) << pattern << " of " << path;
}

TEST(ClipPattern, AMistakeIsNamed) {
    EXPECT_THAT(patternProblem(""), HasSubstr("empty"));
    EXPECT_THAT(patternProblem("samples/*.mp4"), HasSubstr("says nothing of a clip"));
    EXPECT_THAT(patternProblem("{step/{seed}.mp4"), HasSubstr("{step/{seed}"));
    EXPECT_THAT(patternProblem("{step"), HasSubstr("{ without a }"));
    EXPECT_THAT(patternProblem("{model}/{step}.mp4"), HasSubstr("{model}"));
    EXPECT_THAT(patternProblem("{step}/{step}.mp4"), HasSubstr("twice"));
    EXPECT_THAT(patternProblem("/data/{step}.mp4"), HasSubstr("begins with /"));
    EXPECT_NE(patternProblem(std::string(2'000, 'x') + "{step}"), "");
}

TEST(ClipPattern, ReadsAnyPath) {
    const ClipPattern pattern("**/{prompt}_{step}*{seed}.mp4");
    std::mt19937 random(1);
    for (int i = 0; i < 200; ++i) {
        std::string path(500, '\0');
        for (auto& c : path) c = "a_/19.mp4\n\xFF"[random() % 12];
        pattern.match(path);
    }
    EXPECT_TRUE(pattern.match(std::string(4'000, 'a') + "_1_2.mp4"));
}

}  // namespace
}  // namespace dailies::rules
