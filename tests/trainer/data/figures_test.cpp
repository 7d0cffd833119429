#include "trainer/data/figures.h"

#include "core/base/error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <set>

namespace dailies::trainer {
namespace {

config::TrainConfig::Data figuresOf(std::int64_t side) {
    config::TrainConfig::Data data;
    data.frames = 8;
    data.height = data.width = side;
    return data;
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The largest of its frames, NaN aside.
double largest(const std::vector<double>& values) {
    EXPECT_EQ(values.size(), 8U);
    double found = 0;
    for (const double value : values) found = std::fmax(found, value);
    return found;
}

/// The errors of a figure as the prompt and seed ask for it.
std::map<std::string, std::vector<double>> errorsOfTruth(const Figures& figures, const std::string& prompt,
                                                         std::int64_t seed, int side) {
    const auto made = figureClip(prompt, promptedFigure(prompt, seed), 8, side, side);
    return figures.judge()->errors(made.clip, prompt, seed);
}

TEST(FiguresTest, EachIndexIsAnotherClipAndTheSameAtAllTimes) {
    Figures figures(figuresOf(32), 3), again(figuresOf(32), 3);
    std::set<std::vector<std::uint8_t>> clips;
    for (int i = 0; i < 50; ++i) {
        const auto example = figures.example(i);
        EXPECT_EQ(example.clip.rgb, again.example(i).clip.rgb);
        EXPECT_EQ(example.guide->poses.at(0).rgb, again.example(i).guide->poses.at(0).rgb);
        EXPECT_EQ(example.guide->poses.at(0).frames, example.clip.frames);
        EXPECT_EQ(example.guide->reference.frames, 1);
        clips.insert(example.clip.rgb);
    }
    EXPECT_EQ(clips.size(), 50U);
    EXPECT_EQ(figures.captions().size(), 64U);
}

TEST(FiguresTest, ShowTheGarmentsOfTheirCaptionsInReferenceAndClip) {
    Figures figures(figuresOf(48), 3);
    for (int i = 0; i < 64; ++i) {
        const auto example = figures.example(i);
        for (const auto* clip : {&example.clip, &example.guide->reference}) {
            const auto aspects = figures.judge()->judge(*clip, example.caption);
            ASSERT_TRUE(aspects);
            EXPECT_TRUE(aspects->at("shirt")) << i << " " << example.caption;
            EXPECT_TRUE(aspects->at("trousers")) << i << " " << example.caption;
        }
        const auto other = figures.example(i + 100);
        if (other.caption.substr(0, 5) == example.caption.substr(0, 5)) continue;
        EXPECT_FALSE(figures.judge()->judge(other.clip, example.caption)->at("shirt"));
    }
    EXPECT_FALSE(figures.judge()->judge(figures.example(0).clip, "a dog"));
}

TEST(FiguresTest, PosesAreReadBackAndThoseOfOthersAreFarOff) {
    for (const int side : {32, 48, 64}) {
        const Figures figures(figuresOf(side), 3);
        const auto captions = figures.captions();
        double own = 0, other = 0;
        for (std::size_t i = 0; i < captions.size(); ++i) {
            const auto seed = static_cast<std::int64_t>(i);
            const auto truth = errorsOfTruth(figures, captions[i], seed, side);
            EXPECT_LT(mean(truth.at("pose_error")), 0.05) << captions[i] << ", " << side << " pixels";
            EXPECT_EQ(largest(truth.at("background_error")), 0);
            EXPECT_EQ(largest(truth.at("flicker")), 0);
            own += mean(truth.at("pose_error"));
            const auto stranger = figureClip(captions[(i * 7 + 3) % captions.size()], 999 + i, 8, side, side);
            const auto wrong = figures.judge()->errors(stranger.clip, captions[i], seed);
            other += mean(wrong.at("pose_error"));
            EXPECT_GT(mean(wrong.at("background_error")), 0.001);
        }
        EXPECT_LT(own * 10, other) << side << " pixels";
    }
}

TEST(FiguresTest, APictureWithoutAFigureHasTheLargestPoseErrorAndNoiseFlickers) {
    const Figures figures(figuresOf(32), 3);
    const auto prompt = figures.captions().front();
    auto made = figureClip(prompt, promptedFigure(prompt, 1), 8, 32, 32);
    for (std::size_t i = 0; i < made.clip.rgb.size(); ++i)
        made.clip.rgb[i] = static_cast<std::uint8_t>(40 + (i / made.clip.frameBytes()) % 2 * 20);
    const auto errors = figures.judge()->errors(made.clip, prompt, 1);
    EXPECT_THAT(errors.at("pose_error"), testing::Each(testing::DoubleEq(FiguresJudge::kFarthest)));
    const auto& flicker = errors.at("flicker");
    EXPECT_TRUE(std::isnan(flicker.at(0))) << "nothing is before the first frame";
    EXPECT_THAT(std::vector(flicker.begin() + 1, flicker.end()),
                testing::Each(testing::DoubleNear(20.0 / 255, 1e-6)));
}

TEST(FiguresTest, AFrameThatIsWrongHasItsOwnError) {
    const Figures figures(figuresOf(48), 3);
    const auto prompt = figures.captions()[9];
    auto made = figureClip(prompt, promptedFigure(prompt, 2), 8, 48, 48);
    std::fill_n(made.clip.frame(5), made.clip.frameBytes(), std::uint8_t{40});
    const auto errors = figures.judge()->errors(made.clip, prompt, 2).at("pose_error");
    EXPECT_DOUBLE_EQ(errors.at(5), FiguresJudge::kFarthest);
    for (const std::size_t right : {0U, 3U, 4U, 6U, 7U}) EXPECT_LT(errors.at(right), 0.1) << right;
}

TEST(FiguresTest, PromptsAskForFiguresOfAnyLengthAndOthersAreRefused) {
    const Figures figures(figuresOf(32), 3);
    const auto prompt = figures.captions()[5];
    const auto eight = figures.guideOf(prompt, 7, 8), twenty = figures.guideOf(prompt, 7, 20);
    EXPECT_EQ(eight->reference.rgb, twenty->reference.rgb);
    EXPECT_TRUE(
        std::equal(eight->poses[0].rgb.begin(), eight->poses[0].rgb.end(), twenty->poses[0].rgb.begin()));
    EXPECT_NE(figures.guideOf(prompt, 8, 8)->poses[0].rgb, eight->poses[0].rgb);
    EXPECT_THAT([&] { figures.guideOf("a dog", 1, 8); },
                testing::ThrowsMessage<InputError>(testing::HasSubstr("\"a dog\" names no figure")));
}

TEST(FiguresTest, AreDrawnInEachOfTheWaysThatChampReads) {
    const std::vector<std::string> types = {"depth", "normal", "semantic_map", "dwpose"};
    Figures figures(figuresOf(64), 3, types), posed(figuresOf(64), 3);
    const auto example = figures.example(4), plain = posed.example(4);
    EXPECT_EQ(example.clip.rgb, plain.clip.rgb);
    ASSERT_EQ(example.guide->poses.size(), 4U);
    EXPECT_EQ(example.guide->poses[3].rgb, plain.guide->poses.at(0).rgb) << "the poses of DWPose";
    const auto covered = [](const RgbClip& drawing, std::size_t pixel) {
        const auto* at = drawing.rgb.data() + 3 * pixel;
        return at[0] + at[1] + at[2] > 90;
    };
    const auto &depth = example.guide->poses[0], &normal = example.guide->poses[1],
               &parts = example.guide->poses[2];
    std::set<std::array<int, 3>> colours;
    double bodies = 0;
    for (std::size_t pixel = 0; pixel < depth.rgb.size() / 3; ++pixel) {
        const auto *d = depth.rgb.data() + 3 * pixel, *n = normal.rgb.data() + 3 * pixel,
                   *p = parts.rgb.data() + 3 * pixel;
        EXPECT_TRUE(d[0] == d[1] && d[1] == d[2]) << "grey";
        if (!covered(parts, pixel)) continue;
        ++bodies;
        if (d[0] < 140) continue;  // a limb's edge
        EXPECT_TRUE(covered(normal, pixel));
        colours.insert({p[0] / 60, p[1] / 60, p[2] / 60});
        double length = 0;
        for (int axis = 0; axis < 3; ++axis) length += std::pow(n[axis] / 127.5 - 1, 2);
        EXPECT_LT(length, 1.05) << "a direction";
        EXPECT_GT(length, 0.2) << "less where a limb's edge is drawn over another";
        EXPECT_GE(n[2], 110) << "towards the eye";
    }
    bodies /= static_cast<double>(depth.rgb.size() / 3);
    EXPECT_GT(bodies, 0.05);
    EXPECT_LT(bodies, 0.4);
    EXPECT_GE(colours.size(), 6U) << "of each part another";
    EXPECT_EQ(figures.guideOf(figures.captions()[5], 7, 8)->poses.size(), 4U);
}

TEST(PoseDrawing, DrawsWhatIsSeenInTheColoursOfDWPose) {
    RgbClip clip{1, 256, 256, std::vector<std::uint8_t>(256 * 256 * 3)};
    Body body;
    body[kNeck] = {0.5, 0.25, true};
    body[kRightShoulder] = {0.25, 0.25, true};
    body[kRightElbow] = {0.25, 0.75, false};
    drawBody(clip, 0, body);
    const auto at = [&](int x, int y) {
        const auto* pixel = clip.frame(0) + (y * 256 + x) * 3;
        return std::array<int, 3>{pixel[0], pixel[1], pixel[2]};
    };
    EXPECT_EQ(at(96, 64), (std::array<int, 3>{153, 0, 0})) << "the limb, 0.6 times red";
    EXPECT_EQ(at(128, 64), (std::array<int, 3>{255, 85, 0})) << "the neck";
    EXPECT_EQ(at(64, 160), (std::array<int, 3>{0, 0, 0})) << "nothing leads to what is not seen";
}

}  // namespace
}  // namespace dailies::trainer
