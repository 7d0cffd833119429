#include "trainer/batch.h"

#include "core/base/error.h"

#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

class BatchTest : public testing::Test {
protected:
    Batch load(std::int64_t rank, std::int64_t size, std::int64_t step) {
        const auto source = makeDataSource(config);
        const auto vocabulary = Vocabulary::ofCaptions(source->captions());
        Ranks ranks;
        ranks.rank = rank;
        ranks.size = size;
        return BatchLoader(config, ranks, *source, vocabulary, source->pixelScale(), at::kCPU).load(step);
    }

    config::TrainConfig config;
};

TEST_F(BatchTest, AnyNumberOfRanksTrainsOnTheSameBatch) {
    const auto whole = load(0, 1, 7);
    for (const std::int64_t size : {2, 4, 16}) {
        std::vector<at::Tensor> clips, captions, quantiles, noise;
        for (std::int64_t rank = 0; rank < size; ++rank) {
            const auto part = load(rank, size, 7);
            clips.push_back(part.clips);
            captions.push_back(part.captions);
            quantiles.push_back(part.quantiles);
            noise.push_back(part.noise);
        }
        EXPECT_TRUE(at::equal(at::cat(clips), whole.clips));
        EXPECT_TRUE(at::equal(at::cat(captions), whole.captions));
        EXPECT_TRUE(at::equal(at::cat(quantiles), whole.quantiles));
        EXPECT_TRUE(at::equal(at::cat(noise), whole.noise));
    }
}

TEST_F(BatchTest, StepsAndSamplesDiffer) {
    const auto one = load(0, 1, 1), two = load(0, 1, 2);
    EXPECT_FALSE(at::equal(one.noise, two.noise));
    EXPECT_FALSE(at::equal(one.clips, two.clips));
    EXPECT_FALSE(at::equal(one.noise[0], one.noise[1]));
}

TEST_F(BatchTest, CaptionsAreDroppedAsOftenAsAsked) {
    config.data.batch_size = 256;
    config.data.frames = 2;
    config.data.height = config.data.width = 8;
    config.diffusion.caption_drop = 0.25;
    const auto empty = load(0, 1, 1).captions.select(1, 0).sum().item<double>();
    EXPECT_NEAR(empty / 256, 0.25, 0.08);
}

TEST_F(BatchTest, ABatchThatDoesNotDivideOverTheRanksIsRefused) {
    try {
        load(0, 3, 1);
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_NE(std::string(error.what()).find("data.batch_size: found 16 for 3 ranks"), std::string::npos);
    }
}

TEST(Pixels, SurviveTheWayIntoTheModelAndBack) {
    const PixelScale scale{-0.78, 0.5};
    const auto bytes = at::arange(2 * 2 * 3 * 3, at::kByte).view({2, 2, 3, 3}) * 7;
    const auto clip = toRgbClip(scaledPixels(bytes, scale), scale);
    EXPECT_EQ(clip.frames, 2);
    EXPECT_EQ(clip.width, 3);
    for (std::size_t i = 0; i < clip.rgb.size(); ++i)
        EXPECT_EQ(clip.rgb[i], static_cast<std::uint8_t>(i * 7));
}

TEST(Pixels, BeyondTheRangeAreClampedAndNonFiniteOnesAreNotUndefined) {
    const auto clip = toRgbClip(at::tensor({-100.0F, 100.0F, NAN}).view({1, 1, 1, 3}), {});
    EXPECT_EQ(clip.rgb[0], 0);
    EXPECT_EQ(clip.rgb[1], 255);
}

}  // namespace
}  // namespace dailies::trainer
