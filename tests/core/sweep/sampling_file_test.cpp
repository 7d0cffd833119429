#include "core/sweep/sampling_file.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::sweep {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(SamplingFile, SaysPromptsSeedsSettingsAndResources) {
    const auto file = parseSamplingFile(
        "name: dailies of tonight\nnegative_prompt: blurry\nprompts: [red square left, \"blue circle: "
        "up\"]\nseeds: 0..3\n"
        "guidance: [1, 3.5]\nsteps: 20\nstrength: [0, 0.5]\nframes: 32\nblend: progressive\n"
        "resources: {gpus_per_node: 1, time_limit: \"0:20:00\"}\n",
        "sample.yaml");
    EXPECT_EQ(file.name, "dailies of tonight");
    EXPECT_THAT(file.job.prompts, ElementsAre("red square left", "blue circle: up"));
    EXPECT_THAT(file.job.seeds, ElementsAre(0, 1, 2, 3));
    EXPECT_THAT(file.job.guidance, ElementsAre(1, 3.5));
    EXPECT_THAT(file.job.steps, ElementsAre(20));
    EXPECT_THAT(file.job.strength, ElementsAre(0, 0.5));
    EXPECT_EQ(file.job.frames, 32);
    EXPECT_EQ(file.job.negative_prompt, "blurry");
    ASSERT_TRUE(file.resources);
    EXPECT_EQ(file.resources->gpusPerNode, 1);
    const auto plain = parseSamplingFile("prompts: one\nseeds: [4, 9]\n", "s");
    EXPECT_FALSE(plain.resources);
    EXPECT_FALSE(plain.job.negative_prompt) << "as the run's own";
}

TEST(SamplingFile, AMistakeIsToldWithItsLineAndWhatWouldDo) {
    const auto refusal = [](const char* yaml) -> std::string {
        try {
            parseSamplingFile(yaml, "sample.yaml");
        } catch (const InputError& error) {
            return error.full();
        }
        return "taken";
    };
    EXPECT_THAT(refusal("prompt: [x]\n"),
                AllOf(HasSubstr("sample.yaml"), HasSubstr("did you mean prompts?")));
    EXPECT_THAT(refusal("prompts: [x]\nseeds: many\n"), AllOf(HasSubstr("2"), HasSubstr("seeds")));
    EXPECT_THAT(refusal("seeds: 1\n"), HasSubstr("prompts: found none"));
    EXPECT_THAT(refusal("prompts: [x]\nresources: {gpus: 1}\n"), HasSubstr("gpus"));
    EXPECT_THAT(refusal("prompts: [x]\nblend: hard\n"), HasSubstr("linear, progressive"));
    EXPECT_THAT(refusal("- x\n"), HasSubstr("mapping"));
}

}  // namespace
}  // namespace dailies::sweep
