#include "core/sources/clip_name.h"

#include "core/tracking/clip_path.h"

#include <gtest/gtest.h>

namespace dailies::sources {
namespace {

void expectClip(const std::string& path, std::int64_t step, const std::string& prompt, std::int64_t seed) {
    const auto clip = clipNameOf(path);
    EXPECT_EQ(clip.step, step) << path;
    EXPECT_EQ(clip.prompt, prompt) << path;
    EXPECT_EQ(clip.seed, seed) << path;
}

TEST(ClipName, TellsWhatTrainersWriteIntoIt) {
    expectClip("sample/lora_000100_02_20260102030405_7.mp4", 100, "sample 2", 7);
    expectClip("sample/lora_e000003_00_20260102030405.mp4", 3, "sample 0", 0);
    expectClip("validation_step_200_inference_steps_50_video_1.mp4", 200, "sample 1", 0);
    expectClip("checkpoint-500/validation_video_3.mp4", 500, "sample 3", 0);
    expectClip("samples/step_001000/a-cat_running_seed42.mp4", 1000, "a cat running", 42);
    expectClip("samples/a cat runs-3.gif", 0, "a cat runs", 3);
    expectClip("out/epoch=7/0001.webm", 7, "sample 1", 0);
    expectClip("global_step1234/test.mp4", 1234, "test", 0);
    expectClip("video.mp4", 0, "video", 0);
    expectClip("iter-20.mp4", 20, "sample", 0);
    expectClip("video/ComfyUI_00012_.mp4", 0, "ComfyUI", 12);
    expectClip("AnimateDiff_00003.mp4", 0, "AnimateDiff", 3);
}

TEST(ClipName, TheUsersPatternsSayMore) {
    const std::vector<rules::ClipPattern> patterns = {rules::ClipPattern("out/{step}/{prompt}_{seed}.mp4"),
                                                      rules::ClipPattern("{prompt}@{step}")};
    const auto expect = [&](const char* path, std::int64_t step, const std::string& prompt,
                            std::int64_t seed) {
        const auto clip = clipNameOf(path, patterns);
        EXPECT_EQ(clip.step, step) << path;
        EXPECT_EQ(clip.prompt, prompt) << path;
        EXPECT_EQ(clip.seed, seed) << path;
    };
    expect("run/out/000200/a_red-fox_7.mp4", 200, "a red fox", 7);
    expect("out/5/03_1.mp4", 5, "sample 3", 1);
    expect("x/step_9/fox@30.gif", 30, "fox", 0);
    expect("step_9/fox_2.mp4", 9, "fox", 2);  // of no pattern
    EXPECT_EQ(clipNameOf("9.mp4", {rules::ClipPattern("{step}.mp4")}).prompt, "sample");
}

TEST(ClipName, SurvivesAnyName) {
    for (const std::string& path : {std::string(), std::string(100'000, '/'), std::string(100'000, '_'),
                                    "step-" + std::string(500, '9') + ".mp4", std::string("\xff\xfe.mp4")})
        EXPECT_FALSE(clipNameOf(path).prompt.empty());
}

TEST(ClipPath, IsInsideTheRunsFolderAndNamedLikeAVideo) {
    using tracking::isClipPath;
    for (const char* good : {"clips/step-000000400/red square-1.mp4", "a.MP4", "b/c.gif", "ü/x.webm"})
        EXPECT_TRUE(isClipPath(good)) << good;
    for (const char* bad : {"", "/etc/x.mp4", "../x.mp4", "a/../x.mp4", "a//x.mp4", "a/./x.mp4", "a\nb.mp4",
                            "a\\b.mp4", "clips/x.part", "clips/", "config.json", "mp4"})
        EXPECT_FALSE(isClipPath(bad)) << bad;
    EXPECT_FALSE(isClipPath("clips/inputs/a.png"));
    EXPECT_TRUE(tracking::isInputPath("clips/inputs/a.PNG"));
    EXPECT_TRUE(tracking::isInputPath("a.mp4"));
    EXPECT_TRUE(tracking::isInInputFolder("clips/inputs/a.mp4"));
    EXPECT_TRUE(tracking::isInInputFolder("run/clips/inputs/a.mp4"));
    EXPECT_FALSE(tracking::isInInputFolder("video-clips/inputs/a.mp4"));
    for (const char* bad : {"../a.png", "/a.png", "a.txt", ""})
        EXPECT_FALSE(tracking::isInputPath(bad)) << bad;
}

}  // namespace
}  // namespace dailies::sources
