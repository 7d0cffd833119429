#include "trainer/data/shapes_judge.h"

#include "trainer/data/moving_shapes.h"
#include "trainer/tensors/random.h"

#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

constexpr int kClips = 192;

config::TrainConfig::Data dataOf(std::int64_t frames, std::int64_t side) {
    config::TrainConfig::Data data;
    data.frames = frames;
    data.height = data.width = side;
    return data;
}

bool allRight(const std::optional<std::map<std::string, bool>>& aspects) {
    if (!aspects) return false;
    for (const auto& [aspect, right] : *aspects)
        if (!right) return false;
    return true;
}

TEST(ShapesJudge, FindsEverythingRightInRealClipsOfAnySize) {
    for (const auto& [frames, side] : {std::pair{8, 32}, {16, 32}, {8, 64}, {4, 48}}) {
        MovingShapes shapes(dataOf(frames, side), 5);
        int right = 0;
        for (int i = 0; i < kClips; ++i) {
            const auto example = shapes.example(i);
            right += allRight(shapes.judge()->judge(example.clip, example.caption));
        }
        EXPECT_EQ(right, kClips) << frames << " frames of " << side << " pixels";
    }
}

TEST(MovingShapes, ClipsHaveTheColoursAskedForAndCaptionsNameAll) {
    auto data = dataOf(8, 32);
    data.colours = {"yellow", "green"};
    MovingShapes some(data, 5);
    std::map<std::string, int> seen;
    for (int i = 0; i < kClips; ++i) {
        const auto example = some.example(i);
        EXPECT_TRUE(allRight(some.judge()->judge(example.clip, example.caption))) << example.caption;
        ++seen[example.caption.substr(0, example.caption.find(' '))];
    }
    EXPECT_EQ(seen.size(), 2U);
    EXPECT_GT(seen["yellow"], kClips / 3);
    EXPECT_GT(seen["green"], kClips / 3);
    EXPECT_EQ(some.captions(), MovingShapes(dataOf(8, 32), 5).captions());
    EXPECT_EQ(some.captions().size(), 48U);
}

TEST(ShapesJudge, FindsAlmostNothingRightUnderOtherClipsCaptions) {
    MovingShapes shapes(dataOf(8, 32), 5);
    int right = 0;
    for (int i = 0; i < kClips; ++i)
        right += allRight(shapes.judge()->judge(shapes.example(i).clip, shapes.example(i + 1000).caption));
    EXPECT_LE(right, kClips / 10);  // chance is 1 in 48
}

TEST(ShapesJudge, FindsNothingRightInNoiseOrBlackness) {
    MovingShapes shapes(dataOf(8, 32), 5);
    RgbClip noise = shapes.example(0).clip;
    for (int i = 0; i < 20; ++i) {
        Random random(static_cast<std::uint64_t>(i));
        for (auto& byte : noise.rgb) byte = static_cast<std::uint8_t>(random.below(256));
        EXPECT_FALSE(allRight(shapes.judge()->judge(noise, shapes.example(i).caption)));
    }
    std::ranges::fill(noise.rgb, std::uint8_t{0});
    const auto aspects = shapes.judge()->judge(noise, "red circle left");
    ASSERT_TRUE(aspects);
    for (const auto& [aspect, right] : *aspects) EXPECT_FALSE(right) << aspect;
}

TEST(ShapesJudge, TellsWhichAspectIsWrong) {
    MovingShapes shapes(dataOf(8, 32), 0);
    int found = 0;
    for (int i = 0; i < 300; ++i) {
        const auto example = shapes.example(i);
        if (example.caption != "green square up") continue;
        ++found;
        EXPECT_EQ(shapes.judge()->judge(example.clip, "red square up"),
                  (std::map<std::string, bool>{{"colour", false}, {"shape", true}, {"direction", true}}));
        EXPECT_EQ(shapes.judge()->judge(example.clip, "green circle down"),
                  (std::map<std::string, bool>{{"colour", true}, {"shape", false}, {"direction", false}}));
    }
    EXPECT_GT(found, 0);
}

TEST(ShapesJudge, AClipThatStandsStillHasNoDirection) {
    MovingShapes shapes(dataOf(8, 32), 5);
    auto example = shapes.example(3);
    for (int t = 1; t < example.clip.frames; ++t)
        std::copy_n(example.clip.frame(0), example.clip.frameBytes(), example.clip.frame(t));
    EXPECT_FALSE(shapes.judge()->judge(example.clip, example.caption)->at("direction"));
}

TEST(ShapesJudge, DoesNotJudgeAPromptItCannotRead) {
    MovingShapes shapes(dataOf(8, 32), 5);
    const auto clip = shapes.example(0).clip;
    for (const auto* prompt :
         {"", "red square", "left red square", "purple square left", "red square left please"})
        EXPECT_FALSE(shapes.judge()->judge(clip, prompt)) << prompt;
}

TEST(MovingShapes, AreAFunctionOfSeedAndIndex) {
    MovingShapes first(dataOf(8, 32), 1), again(dataOf(8, 32), 1), other(dataOf(8, 32), 2);
    EXPECT_EQ(first.example(41).clip.rgb, again.example(41).clip.rgb);
    EXPECT_NE(first.example(41).clip.rgb, first.example(42).clip.rgb);
    EXPECT_NE(first.example(41).clip.rgb, other.example(41).clip.rgb);
}

TEST(MovingShapes, HaveTheirValueScale) {
    MovingShapes shapes(dataOf(8, 32), 1);
    double sum = 0, count = 0;
    for (int i = 0; i < 100; ++i)
        for (const auto byte : shapes.example(i).clip.rgb) {
            sum += byte / 127.5 - 1;
            ++count;
        }
    EXPECT_NEAR(sum / count, shapes.valueScale().mean.at(0), 0.1);
}

}  // namespace
}  // namespace dailies::trainer
