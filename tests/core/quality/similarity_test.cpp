#include "core/quality/similarity.h"

#include "core/base/error.h"
#include "tests/core/quality/painted_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dailies::quality {
namespace {

PaintedPicture texture(int width, int height, int offset = 0) {
    return painted(width, height, [&](int x, int y) {
        return grey(std::clamp(static_cast<int>(255 * hashed(x, y)) + offset, 0, 255));
    });
}

TEST(Psnr, IsInfiniteForEqualPictures) {
    const auto picture = texture(40, 30);
    EXPECT_TRUE(std::isinf(psnr(picture.view(), picture.view())));
}

TEST(Psnr, IsThatOfTheMeanSquaredErrorOfAllChannels) {
    const auto black = painted(32, 32, [](int, int) { return rgb(0, 0, 0); });
    const auto reddish = painted(32, 32, [](int, int) { return rgb(30, 0, 0); });
    EXPECT_NEAR(psnr(black.view(), reddish.view()), 10 * std::log10(255.0 * 255 / (900.0 / 3)), 1e-9);
}

TEST(Psnr, LooksAtThePictureAloneWhereRowsArePadded) {
    auto wide = painted(48, 8, [](int x, int) { return grey(x < 32 ? 100 : 255); });
    const auto narrow = painted(32, 8, [](int, int) { return grey(100); });
    EXPECT_TRUE(std::isinf(psnr(narrow.view(), {wide.pixels.data(), 32, 8, 48})));
}

TEST(Ssim, IsOneForEqualPictures) {
    const auto luma = lumaOf(texture(64, 48).view());
    EXPECT_NEAR(ssim(luma, luma), 1, 1e-6);
}

TEST(Ssim, OfFlatPicturesIsTheLuminanceTermAlone) {
    const auto flat = [](int level) {
        return lumaOf(painted(32, 32, [=](int, int) { return grey(level); }).view());
    };
    const double c1 = 0.01 * 255 * 0.01 * 255;
    EXPECT_NEAR(ssim(flat(100), flat(140)), (2 * 100 * 140 + c1) / (100 * 100 + 140 * 140 + c1), 1e-5);
}

TEST(Ssim, FallsWithNoiseAndIsNegativeForTheNegative) {
    const auto original = texture(64, 64);
    const auto noisy = painted(64, 64, [&](int x, int y) {
        const int level = redOf(original.pixels[static_cast<std::size_t>(y) * 64 + x]);
        return grey(std::clamp(level + static_cast<int>(80 * (hashed(x, y, 9) - 0.5)), 0, 255));
    });
    const auto negative = painted(64, 64, [&](int x, int y) {
        return grey(255 - redOf(original.pixels[static_cast<std::size_t>(y) * 64 + x]));
    });
    const auto likeness = [&](const PaintedPicture& picture) {
        return ssim(lumaOf(original.view()), lumaOf(picture.view()));
    };
    EXPECT_LT(likeness(noisy), 0.99);
    EXPECT_GT(likeness(noisy), 0.5);
    EXPECT_LT(likeness(negative), -0.5);
}

TEST(Ssim, IsNoNumberWhereTheWindowDoesNotFit) {
    const auto small = lumaOf(texture(10, 64).view());
    EXPECT_TRUE(std::isnan(ssim(small, small)));
}

TEST(Similarity, RefusesPicturesOfTwoSizes) {
    const auto one = texture(32, 32), other = texture(32, 16);
    EXPECT_THROW(psnr(one.view(), other.view()), Error);
    EXPECT_THROW(ssim(lumaOf(one.view()), lumaOf(other.view())), Error);
}

TEST(Luma, OfAGreyIsTheGreyAndOfColoursByTheirDefinition) {
    for (const int height : {480, 720}) {
        const LumaWeights weights = lumaWeights(height * 16 / 9, height);
        for (int level = 0; level < 256; ++level) EXPECT_EQ(weights.of(grey(level)), level);
    }
    EXPECT_EQ(lumaWeights(64, 64).of(rgb(255, 0, 0)), 76) << "BT.601";
    EXPECT_EQ(lumaWeights(1920, 1080).of(rgb(255, 0, 0)), 54) << "BT.709";
}

}  // namespace
}  // namespace dailies::quality
