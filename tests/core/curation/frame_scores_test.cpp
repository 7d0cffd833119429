#include "core/curation/frame_scores.h"

#include "core/curation/picture_samples.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

namespace dailies::curation {
namespace {

using testing::Each;
using testing::ElementsAre;

MadeFilm filmOf(std::vector<video::Frame> frames) {
    MadeFilm film;
    film.frames = std::move(frames);
    return film;
}

video::Frame colour(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    auto frame = plainFrame(0, 4, 4);
    for (std::size_t i = 0; i < frame.rgb.size(); i += 3) {
        frame.rgb[i] = r;
        frame.rgb[i + 1] = g;
        frame.rgb[i + 2] = b;
    }
    return frame;
}

std::vector<int> hsvOf(std::uint8_t r, std::uint8_t g, std::uint8_t b) {
    const auto frame = colour(r, g, b);
    HsvPlanes planes;
    planes.assign({frame.rgb.data(), frame.width, frame.height});
    return {planes.values[0], planes.values[16], planes.values[32]};
}

TEST(ContentScore, HueSaturationAndValueAreThoseOfOpenCv) {
    EXPECT_THAT(hsvOf(255, 0, 0), ElementsAre(0, 255, 255));
    EXPECT_THAT(hsvOf(0, 255, 0), ElementsAre(60, 255, 255));
    EXPECT_THAT(hsvOf(0, 0, 255), ElementsAre(120, 255, 255));
    EXPECT_THAT(hsvOf(255, 0, 1), ElementsAre(0, 255, 255));
    EXPECT_THAT(hsvOf(255, 0, 30), ElementsAre(176, 255, 255));
    EXPECT_THAT(hsvOf(128, 128, 128), ElementsAre(0, 0, 128));
    EXPECT_THAT(hsvOf(200, 150, 100), ElementsAre(15, 127, 200));
    EXPECT_THAT(hsvOf(0, 0, 0), ElementsAre(0, 0, 0));
}

TEST(ContentScore, IsTheMeanOfThreeDifferences) {
    const auto film = filmOf({colour(255, 0, 0), colour(0, 255, 0), colour(100, 100, 100)}).scores();
    EXPECT_THAT(film.content, ElementsAre(0, 20, testing::DoubleNear((60 + 255 + 155) / 3.0, 0.005)));
}

TEST(FrameScores, AStillHasNoMotionAndGrainHasLittle) {
    const Scene scene(1);
    std::vector<video::Frame> still(5, scene.frame(0, 0, 0)), grainy, panned;
    for (int t = 0; t < 5; ++t) {
        grainy.push_back(scene.frame(t, 0, 6));
        panned.push_back(scene.frame(t, 4, 0));
    }
    EXPECT_THAT(filmOf(still).scores().motion, Each(0));
    const auto ofGrain = filmOf(grainy).scores(), ofPan = filmOf(panned).scores();
    EXPECT_LT(ofGrain.motion[2], ofGrain.change[2] / 2) << "blurring takes grain away";
    EXPECT_GT(ofPan.motion[2], 2 * ofGrain.motion[2]);
}

TEST(FrameScores, LumaBlackAndWhiteSayHowBrightAPictureIs) {
    auto half = plainFrame(0);
    std::fill(half.rgb.begin() + static_cast<std::ptrdiff_t>(half.rgb.size() / 2), half.rgb.end(), 255);
    const auto film = filmOf({plainFrame(20), half, plainFrame(240)}).scores();
    EXPECT_THAT(film.luma, ElementsAre(20, 127.5, 240));
    EXPECT_THAT(film.deviation, ElementsAre(0, 127.5, 0));
    EXPECT_THAT(film.black, ElementsAre(1, 0.5, 0));
    EXPECT_THAT(film.white, ElementsAre(0, 0.5, 1));
}

TEST(FrameScores, AFlashComesBackAndACutDoesNot) {
    const Scene one(1), other(2);
    MadeFilm film;
    film.shot(one, 12);
    film.flash(one, 2, 12);
    film.shot(one, 16, 1, 14);
    film.shot(other, 16);
    const auto scores = film.scores();
    EXPECT_GT(scores.flash[12], 0.8) << "into the light";
    EXPECT_GT(scores.flash[14], 0.8) << "out of it";
    EXPECT_LT(scores.flash[30], 0.3) << "the cut";
}

TEST(FrameScores, ADissolveIsDeepestInItsMiddleAndACutPanOrChangingLightIsNone) {
    const Scene one(3), other(4);
    MadeFilm film;
    film.shot(one, 40);
    film.dissolve(one, other, 20, 40);
    film.shot(other, 40, 1, 20);
    const auto scores = film.scores();
    const auto deepest = std::ranges::max_element(scores.dissolve) - scores.dissolve.begin();
    EXPECT_NEAR(deepest, 49.5, 3);
    EXPECT_GT(scores.dissolve[static_cast<std::size_t>(deepest)], 10);
    EXPECT_LT(scores.dissolve[36], 2);
    EXPECT_LT(scores.dissolve[63], 2);

    MadeFilm without;
    without.shot(one, 40, 8);
    without.shot(other, 40, 3);
    for (int t = 0; t < 40; ++t) without.frames.push_back(mixed(other.frame(40), plainFrame(0), 0.02 * t));
    EXPECT_THAT(without.scores().dissolve, Each(testing::Lt(4)));
}

TEST(FrameScores, NothingIsComparedWithADamagedFrame) {
    const Scene one(1), other(2);
    FilmScores film;
    FrameScorer scorer(film);
    const auto add = [&](const video::Frame& frame) {
        scorer.add({frame.rgb.data(), frame.width, frame.height});
    };
    add(one.frame(0));
    scorer.addDamaged();
    add(other.frame(0));
    add(other.frame(1));
    EXPECT_THAT(film.damaged, ElementsAre(1));
    ASSERT_EQ(film.content.size(), 4U);
    EXPECT_EQ(film.content[1], 0);
    EXPECT_EQ(film.content[2], 0) << "its frame before is unknown";
    EXPECT_GT(film.content[3], 0);
    EXPECT_EQ(film.luma[1], 0);
}

// -- what samples say

PictureSample sampleOf(const video::Frame& frame) {
    return samplePicture(0, {frame.rgb.data(), frame.width, frame.height});
}

std::uint64_t hashOf(const video::Frame& frame) {
    return filmOf({frame}).scores().hashes.at(0);
}

video::Frame letterboxed(video::Frame frame, int rows, int columns = 0, int barLevel = 3) {
    for (int y = 0; y < frame.height; ++y)
        for (int x = 0; x < frame.width; ++x)
            if (y < rows || y >= frame.height - rows || x < columns || x >= frame.width - columns)
                std::fill_n(frame.rgb.begin() + 3 * (static_cast<std::ptrdiff_t>(y) * frame.width + x), 3,
                            static_cast<std::uint8_t>(barLevel));
    return frame;
}

TEST(Samples, BlackBarsAreFoundToTheEvenRow) {
    const auto picture = Scene(5).frame(0);
    EXPECT_EQ(sampleOf(picture).box, (Box{0, 0, 256, 144}));
    EXPECT_EQ(sampleOf(letterboxed(picture, 18)).box, (Box{0, 18, 256, 108}));
    EXPECT_EQ(sampleOf(letterboxed(picture, 17)).box, (Box{0, 18, 256, 108})) << "inwards to even rows";
    EXPECT_EQ(sampleOf(letterboxed(picture, 0, 32)).box, (Box{32, 0, 192, 144}));
    EXPECT_EQ(sampleOf(letterboxed(picture, 50)).box, (Box{0, 0, 256, 144}))
        << "a light in the dark has no bars";
    EXPECT_TRUE(sampleOf(plainFrame(2)).plain);
    EXPECT_EQ(sampleOf(plainFrame(2)).box, (Box{0, 0, 256, 144}));
}

TEST(Samples, AHashOutlivesNoiseLightAndBarsAndTellsScenesApart) {
    const Scene scene(6);
    const auto hash = hashOf(scene.frame(0));
    const auto bitsTo = [&](const video::Frame& frame) { return std::popcount(hashOf(frame) ^ hash); };
    EXPECT_LE(bitsTo(scene.frame(0, 0, 20)), 4);
    EXPECT_LE(bitsTo(mixed(scene.frame(0), plainFrame(255), 0.3)), 4);
    for (int other = 7; other < 27; ++other) EXPECT_GT(bitsTo(Scene(other).frame(0)), 12) << other;

    auto taller = plainFrame(3, 256, 180);
    const auto inBars = scene.frame(0);
    std::copy(inBars.rgb.begin(), inBars.rgb.end(), taller.rgb.begin() + 3 * 256 * 18);
    std::fill_n(taller.rgb.begin(), 3 * 256 * 18, std::uint8_t{3});
    EXPECT_LE(bitsTo(taller), 4);
}

TEST(Samples, BlurringTakesSharpnessAway) {
    const auto sharp = Scene(8).frame(0, 0, 0);
    auto blurred = sharp;
    for (int y = 4; y < 140; ++y)
        for (int x = 4; x < 252; ++x)
            for (int c = 0; c < 3; ++c) {
                int sum = 0;
                for (int dy = -4; dy <= 4; ++dy)
                    for (int dx = -4; dx <= 4; ++dx)
                        sum += sharp.rgb[static_cast<std::size_t>(3 * ((y + dy) * 256 + x + dx) + c)];
                blurred.rgb[static_cast<std::size_t>(3 * (y * 256 + x) + c)] =
                    static_cast<std::uint8_t>(sum / 81);
            }
    EXPECT_GT(sampleOf(sharp).sharpness, 10 * sampleOf(blurred).sharpness);
}

}  // namespace
}  // namespace dailies::curation
