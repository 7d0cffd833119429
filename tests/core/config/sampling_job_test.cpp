#include "core/config/sampling_job.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string refusal(const std::function<void()>& call) {
    try {
        call();
    } catch (const InputError& error) {
        return error.what();
    }
    return "accepted";
}

std::string samplingRefusal(const Json& job) {
    return refusal([&] { parseSamplingJob(job); });
}

TEST(SamplingJob, IsEveryPromptWithEverySeedFromEveryCheckpointAtEveryGuidanceAndStepCount) {
    const auto job = parseSamplingJob({{"checkpoints", {"a", "b", "c", "d"}},
                                       {"prompts", {"a red square", "a blue circle"}},
                                       {"seeds", {0, 1, 2}},
                                       {"guidance", {1, 3.5}},
                                       {"steps", {10, 20}}});
    EXPECT_EQ(job.clips(), 4 * 2 * 3 * 2 * 2);
    EXPECT_EQ(toJson(parseSamplingJob(toJson(job))), toJson(job)) << "it is read back as it was written";
}

TEST(SamplingJob, GivesFramesToAllPromptsOrToEachItsOwn) {
    auto job = parseSamplingJob({{"prompts", {"a", "b"}}});
    EXPECT_EQ(job.conditioningFile(1), "");
    job.given_files = {"first.png"};
    EXPECT_EQ(job.conditioningFile(1), "first.png");
    job.given_files = {"first.png", ""};
    EXPECT_EQ(job.conditioningFile(0), "first.png");
    EXPECT_EQ(job.conditioningFile(1), "");
    EXPECT_EQ(parseSamplingJob(toJson(job)).given_files, job.given_files);
}

TEST(SamplingJob, NamesWhomModelsOfCharactersAnimate) {
    auto job = parseSamplingJob({{"prompts", {"a", "b"}}});
    EXPECT_FALSE(toJson(job).contains("reference_files")) << "trainers that do not know it read the job";
    for (const auto* key : {"pose_files", "reference_pose_files", "last_files"})
        EXPECT_FALSE(toJson(job).contains(key)) << key;
    EXPECT_FALSE(toJson(job).contains("align_poses"));
    job.align_poses = false;
    EXPECT_EQ(parseSamplingJob(toJson(job)).align_poses, false) << "though the run aligned";
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"align_poses", "yes"}}),
                HasSubstr("align_poses: found \"yes\", expected true or false"));
    job.reference_pose_files = {"anna-pose.png"};
    job.last_files = {"end.png"};
    job.reference_files = {"anna.png"};
    job.pose_files = {"waves.mp4", "walks.mp4"};
    const auto read = parseSamplingJob(toJson(job));
    EXPECT_EQ(fileOfPrompt(read.reference_files, 1), "anna.png");
    EXPECT_EQ(fileOfPrompt(read.pose_files, 1), "walks.mp4");
    EXPECT_EQ(read.reference_pose_files, job.reference_pose_files);
    EXPECT_EQ(read.last_files, job.last_files);
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"pose_files", {"a", "b"}}}),
                HasSubstr("pose_files: found 2 for 1 prompts"));
}

TEST(SamplingJob, ANegativePromptIsTheJobsOwnOrTheRuns) {
    SamplingJob job = parseSamplingJob({{"prompts", {"x"}}, {"negative_prompt", ""}});
    EXPECT_EQ(job.negative_prompt, "") << "none, though the run had one";
    EXPECT_EQ(parseSamplingJob(toJson(job)).negative_prompt, "");
    job.negative_prompt.reset();
    EXPECT_FALSE(toJson(job).contains("negative_prompt")) << "trainers that do not know it read the job";
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"negative_prompt", 3}}),
                HasSubstr("negative_prompt: found 3, expected a text"));
}

TEST(SamplingJob, RefusesWhatItCannotMeanAndSaysWhatItWouldTake) {
    EXPECT_THAT(samplingRefusal({{"prompts", Json::array()}}), HasSubstr("prompts: found none"));
    EXPECT_THAT(samplingRefusal({{"prompt", {"x"}}}), HasSubstr("did you mean prompts?"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"seeds", {1.5}}}),
                HasSubstr("seeds: found [1.5], expected a list of whole numbers"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"seeds", {-1}}}), HasSubstr("found -1"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x", "x"}}}), HasSubstr("\"x\" twice"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"guidance", {1e9}}}), HasSubstr("sampling.guidance"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"steps", {0}}}), HasSubstr("sampling.steps: found 0"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"strength", {11}}}),
                HasSubstr("strength: found 11, expected numbers from -10 to 10"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"strength", {1, 1}}}), HasSubstr("twice"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"blend", "cubic"}}), HasSubstr("linear, progressive"));
    EXPECT_THAT(samplingRefusal({{"prompts", {"x"}}, {"given_files", {"a", "b"}}}),
                HasSubstr("given_files: found 2 for 1 prompts"));
    EXPECT_THAT(samplingRefusal(Json::array()), HasSubstr("an object"));
}

TEST(SamplingJob, ReadsPromptsOfAPlainFileOrAJsonList) {
    EXPECT_THAT(parsePrompts("# shapes\na red square\n\n  a blue circle \r\n", "p.txt"),
                ElementsAre("a red square", "a blue circle"));
    EXPECT_THAT(parsePrompts(R"(["a red square", "two\nlines"])", "p.json"),
                ElementsAre("a red square", "two\nlines"));
    EXPECT_THAT(refusal([] { parsePrompts("# nothing\n", "p.txt"); }), HasSubstr("p.txt: found no prompt"));
    EXPECT_THAT(refusal([] { parsePrompts("[1]", "p.json"); }), HasSubstr("found 1"));
}

TEST(SamplingJob, ReadsNumbersAsPeopleTypeThem) {
    EXPECT_THAT(parseWholeNumbers("0..3, 7", "--seeds"), ElementsAre(0, 1, 2, 3, 7));
    EXPECT_THAT(parseNumbers("1,2.5", "--guidance"), ElementsAre(1, 2.5));
    for (const char* wrong : {"", "3..0", "a", "1.5", "0..", "0..99999999", "1,,2"})
        EXPECT_THAT(refusal([&] { parseWholeNumbers(wrong, "--seeds"); }), HasSubstr("--seeds: found"))
            << wrong;
    for (const char* wrong : {"", "x", "nan", "1;2"})
        EXPECT_THAT(refusal([&] { parseNumbers(wrong, "--guidance"); }), HasSubstr("--guidance: found"))
            << wrong;
}

}  // namespace
}  // namespace dailies::config
