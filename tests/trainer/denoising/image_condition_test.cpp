#include "trainer/denoising/image_condition.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/clip_latents.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

TEST(ImageTensors, StandBehindAMaskThatIsOneInTheFirstFrame) {
    const auto latents = normalTensor(1, {3, 4, 6, 2}), tokens = normalTensor(2, {10, 8});
    const ImageCondition first{toArray(latents), toArray(tokens)},
        second{toArray(2 * latents), toArray(-tokens)};
    const auto [given, seen] = imageTensors({&first, &second}, {{1, 2}, {2, 4}}, at::kCPU);
    ASSERT_EQ(given.sizes(), (std::vector<std::int64_t>{2, 3, 4, 6, 6}));
    const auto mask = given.narrow(-1, 0, 4);
    EXPECT_EQ(mask.narrow(1, 0, 1).min().item<float>(), 1);
    EXPECT_EQ(mask.narrow(1, 1, 2).abs().max().item<float>(), 0);
    const auto scaled = (latents - at::tensor({1, 2})) / at::tensor({2, 4});
    EXPECT_TRUE(at::allclose(given[0].narrow(-1, 4, 2), scaled));
    EXPECT_FALSE(at::allclose(given[1].narrow(-1, 4, 2), scaled));
    EXPECT_TRUE(at::equal(seen[0], tokens));
    EXPECT_TRUE(at::equal(seen[1], -tokens));

    const ImageCondition blind{toArray(latents)};
    EXPECT_FALSE(imageTensors({&blind}, {}, at::kCPU).tokens.defined()) << "without an image encoder";
    EXPECT_FALSE(imageTensors({}, {}, at::kCPU).defined());
}

TEST(ImageTensors, OfImagesAloneHaveNoMaskAndAreLeftOut) {
    const auto latents = normalTensor(1, {1, 4, 6, 2}), seen = normalTensor(2, {1, 8});
    const ImageCondition image{toArray(latents), toArray(seen)};
    const auto both = imageTensors({&image, &image}, {}, at::kCPU);
    ASSERT_EQ(both.conditioning.sizes(), (std::vector<std::int64_t>{2, 1, 4, 6, 2}));
    const auto left = withoutImages(both, {false, true});
    EXPECT_TRUE(at::equal(left.conditioning[0], latents));
    EXPECT_TRUE(at::equal(left.tokens[0], seen));
    EXPECT_EQ(left.conditioning[1].abs().max().item<float>(), 0);
    EXPECT_EQ(left.tokens[1].abs().max().item<float>(), 0);
}

TEST(ReadImage, TakesTheLastFrameInTheSizeOfTrainingClips) {
    const TemporaryFolder folder;
    const auto file = folder.path() / "clip.mp4";
    const auto frame = [](std::uint8_t value) {
        return video::Frame{64, 48, std::vector<std::uint8_t>(std::size_t{64} * 48 * 3, value)};
    };
    video::writeClip(file, {frame(20), frame(90), frame(200)}, {.fps = 8});
    config::TrainConfig config;
    config.data.height = 16;
    config.data.width = 32;
    const auto image = readImage(file, config);
    EXPECT_EQ(image.frames, 1);
    EXPECT_EQ(image.height, 16);
    EXPECT_EQ(image.width, 32);
    EXPECT_NEAR(image.rgb[image.rgb.size() / 2], 200, 4);
    try {
        readImage(folder.path() / "none.png", config);
        ADD_FAILURE() << "read";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), testing::AllOf(testing::HasSubstr("sampling.given_files: "),
                                                 testing::HasSubstr("none.png")));
    }
}

}  // namespace
}  // namespace dailies::trainer
