#include "core/quality/change.h"

#include "tests/core/quality/painted_picture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies::quality {
namespace {

constexpr int kSide = 64;

Luma lumaOfClip(int level) {
    return lumaOf(painted(kSide, kSide, [=](int, int) { return grey(level); }).view());
}

/// A soft wave that has moved by so many pixels.
Luma wave(double moved) {
    return lumaOf(painted(kSide, kSide, [=](int x, int) {
                      return grey(static_cast<int>(std::lround(128 + 90 * std::sin((x - moved) / 9.0))));
                  }).view());
}

double flickerOf(const Luma& before, const Luma& now, const Luma& after) {
    return flicker(blocksOf(before), blocksOf(now), blocksOf(after));
}

TEST(Motion, IsTheMeanAbsoluteDifferenceOfLuma) {
    EXPECT_DOUBLE_EQ(motion(lumaOfClip(100), lumaOfClip(100)), 0);
    EXPECT_DOUBLE_EQ(motion(lumaOfClip(100), lumaOfClip(93)), 7);
    EXPECT_GT(motion(wave(0), wave(2)), 5);
}

TEST(Flicker, IsWhatAFrameStandsOutOfItsNeighbours) {
    EXPECT_NEAR(flickerOf(lumaOfClip(100), lumaOfClip(110), lumaOfClip(100)), 10, 1e-4);
    EXPECT_NEAR(flickerOf(lumaOfClip(100), lumaOfClip(90), lumaOfClip(104)), 10, 1e-4);
}

TEST(Flicker, IsNothingForFadesCutsAndStillPictures) {
    EXPECT_EQ(flickerOf(lumaOfClip(100), lumaOfClip(110), lumaOfClip(120)), 0);
    EXPECT_EQ(flickerOf(lumaOfClip(20), lumaOfClip(200), lumaOfClip(200)), 0);
    EXPECT_EQ(flickerOf(lumaOfClip(50), lumaOfClip(50), lumaOfClip(50)), 0);
}

TEST(Flicker, OfSteadyMotionIsFarBelowItsMotion) {
    EXPECT_LT(flickerOf(wave(0), wave(2), wave(4)), 0.1 * motion(wave(0), wave(2)));
}

TEST(Blocks, OfOddSizesCoverTheEdges) {
    const auto luma = lumaOf(painted(67, 40, [](int x, int) { return grey(x >= 64 ? 90 : 30); }).view());
    const LumaBlocks blocks = blocksOf(luma);
    EXPECT_EQ(blocks.columns, 3);
    EXPECT_EQ(blocks.rows, 2);
    EXPECT_FLOAT_EQ(blocks.means[0], 30);
    EXPECT_FLOAT_EQ(blocks.means[5], 90);
}

}  // namespace
}  // namespace dailies::quality
