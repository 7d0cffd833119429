#include "tests/core/sweep/sweep_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string kOwnProgram = "program: t.py\nparameters: {lr: {value: 1}}\n";

TEST(SourcesKey, IsReadAndWrittenAsItWas) {
    const auto sweep = parseSweep(kOwnProgram +
                                      "sources:\n"
                                      "  output: 'step=(?P<step>\\d+) loss=(?P<loss>\\S+)'\n"
                                      "  clips: samples/{step}/{prompt}_{seed}.mp4\n",
                                  "sweep.yaml");
    EXPECT_EQ(sweep.program->sources.output, R"(step=(?P<step>\d+) loss=(?P<loss>\S+))");
    EXPECT_THAT(sweep.program->sources.clips, ElementsAre("samples/{step}/{prompt}_{seed}.mp4"));
    EXPECT_EQ(parseSweep(toYaml(sweep), "sweep.yaml").program, sweep.program);
    const auto several =
        parseSweep("sources: {clips: ['{step}.mp4', 'e{step}/{prompt}']}\n" + kOwnProgram, "sweep.yaml");
    EXPECT_EQ(several.program->sources.clips.size(), 2u);
    EXPECT_EQ(parseSweep(toYaml(several), "sweep.yaml").program, several.program);
}

TEST(SourcesKey, AMistakeIsNamedWithItsLine) {
    EXPECT_THAT(refusal(kOwnProgram + "sources:\n  clips: x{step}\n  output: 'a(?P<step>\\d+'\n"),
                AllOf(HasSubstr("line 5"), HasSubstr("sources.output"), HasSubstr("missing )")));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {output: 'loss (\\d+)'}\n"),
                HasSubstr("no group named step"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {clips: ['{step}.mp4', '{stpe}.mp4']}\n"),
                HasSubstr("{stpe}"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {clip: '{step}'}\n"), HasSubstr("did you mean clips"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {output: ''}\n"), HasSubstr("a regular expression"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {clips: []}\n"), HasSubstr("sources: found nothing"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: {}\n"), HasSubstr("sources"));
    EXPECT_THAT(refusal(kOwnProgram + "sources: tensorboard\n"), HasSubstr("sources"));
    EXPECT_THAT(refusal("sources: {clips: '{step}'}\nparameters: {optimizer.lr: {values: [0.1]}}\n"),
                HasSubstr("without a program"));
}

}  // namespace
}  // namespace dailies::sweep
