#include "trainer/models/clip/clip_pictures.h"

#include "trainer/tensors/random_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer::clip {
namespace {

constexpr std::int64_t kSide = 16;
constexpr PictureFit kFits[] = {{.crop = true, .antialias = true},
                                {.crop = true, .antialias = false},
                                {.crop = false, .antialias = true},
                                {.crop = false, .antialias = false}};

at::Tensor grey(double value, std::int64_t height, std::int64_t width) {
    return at::full({1, 3, height, width}, value, at::kFloat);
}

/// Back to 0 … 1.
at::Tensor shown(const at::Tensor& prepared) {
    const auto mean = at::tensor({0.48145466, 0.4578275, 0.40821073}).view({3, 1, 1});
    const auto deviation = at::tensor({0.26862954, 0.26130258, 0.27577711}).view({3, 1, 1});
    return prepared * deviation + mean;
}

double largest(const at::Tensor& x) {
    return x.abs().max().item<double>();
}

TEST(ClipPictures, OneColourStaysThatColourInEveryFit) {
    for (const auto& fit : kFits)
        for (const auto& picture : {grey(0.2, 40, 90), grey(0.2, 31, 17), grey(0.2, 5, 9)}) {
            const auto prepared = encoderPictures(picture, kSide, fit);
            ASSERT_EQ(prepared.sizes(), (at::IntArrayRef{1, 3, kSide, kSide}));
            EXPECT_LT(largest(shown(prepared) - 0.2), 1e-5);
        }
    // (0.2 - mean) / deviation of red
    EXPECT_NEAR(encoderPictures(grey(0.2, kSide, kSide), kSide)[0][0][0][0].item<double>(), -1.047743, 1e-5);
}

TEST(ClipPictures, BytesAreNumbersOfOneIn255) {
    const auto bytes = at::arange(3 * 20 * 30, at::kLong).view({1, 3, 20, 30}).remainder(256).to(at::kByte);
    EXPECT_LT(largest(encoderPictures(bytes, kSide) - encoderPictures(bytes.to(at::kDouble) / 255, kSide)),
              1e-5);
}

TEST(ClipPictures, TheMiddleIsCutOutOrTheWholeIsSqueezed) {
    for (const bool wide : {true, false}) {
        auto picture = grey(0, 32, 96);
        picture.narrow(3, 32, 32).fill_(1);  // white between black
        if (!wide) picture = picture.transpose(2, 3).contiguous();
        const auto cut = shown(encoderPictures(picture, kSide)).narrow(wide ? 3 : 2, 2, kSide - 4);
        EXPECT_LT(largest(cut - 1), 1e-3);
        const auto whole = shown(encoderPictures(picture, kSide, {.crop = false}));
        EXPECT_NEAR(whole.mean().item<double>(), 1.0 / 3, 0.02);
        EXPECT_LT(largest(whole.narrow(wide ? 3 : 2, 0, 4)), 1e-3);
    }
}

TEST(ClipPictures, AntialiasedOnesHaveNoPatternThatIsTooFineAndStayWithinBlackAndWhite) {
    const auto stripes = at::arange(64, at::kFloat).remainder(2).expand({1, 3, 64, 64});
    const PictureFit sharp{.antialias = false};
    EXPECT_LT(largest(shown(encoderPictures(stripes, kSide)).narrow(3, 2, kSide - 4) - 0.5), 0.02);
    auto edge = grey(0, 8, 8);
    edge.narrow(3, 4, 4).fill_(1);
    const auto clean = shown(encoderPictures(edge, kSide)),
               ringing = shown(encoderPictures(edge, kSide, sharp));
    EXPECT_GE(clean.min().item<double>(), -1e-5);
    EXPECT_LE(clean.max().item<double>(), 1 + 1e-5);
    EXPECT_GT(ringing.max().item<double>(), 1.05) << "as Wan's own program leaves it";
}

TEST(ClipPictures, OneOfTheRightSizeIsNotResampled) {
    const auto picture = ((uniformTensor(4, {2, 3, kSide, kSide}) + 1) * 127).round() / 255;
    for (const auto& fit : kFits)
        EXPECT_LT(largest(shown(encoderPictures(picture, kSide, fit)) - picture), 1e-5);
}

}  // namespace
}  // namespace dailies::trainer::clip
