#include "trainer/denoising/batch_loader.h"

#include "core/base/error.h"
#include "trainer/denoising/collate.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <map>

namespace dailies::trainer {
namespace {

class BatchTest : public testing::Test {
protected:
    Batch load(std::int64_t rank, std::int64_t size, std::int64_t step) {
        const auto source = makeDataSource(config);
        const auto vocabulary = Vocabulary::ofCaptions(source->captions());
        DistEnv ranks;
        ranks.rank = rank;
        ranks.size = size;
        const auto text = makeTextEncoder(config, vocabulary, source->textWidth(), at::kCPU);
        return BatchLoader(config, ranks, *source, *text, source->valueScale(), at::kCPU).load(step);
    }

    config::TrainConfig config;
};

TEST_F(BatchTest, AnyNumberOfRanksTrainsOnTheSameBatch) {
    const auto whole = load(0, 1, 7);
    for (const std::int64_t size : {2, 4, 16}) {
        std::vector<at::Tensor> clips, captions, quantiles, noise;
        for (std::int64_t rank = 0; rank < size; ++rank) {
            const auto part = load(rank, size, 7);
            clips.push_back(part.groups[0].clips);
            captions.push_back(part.text.words);
            quantiles.push_back(part.quantiles);
            noise.push_back(part.groups[0].noise);
        }
        EXPECT_TRUE(at::equal(at::cat(clips), whole.groups[0].clips));
        EXPECT_TRUE(at::equal(at::cat(captions), whole.text.words));
        EXPECT_TRUE(at::equal(at::cat(quantiles), whole.quantiles));
        EXPECT_TRUE(at::equal(at::cat(noise), whole.groups[0].noise));
    }
}

TEST_F(BatchTest, StepsAndSamplesDiffer) {
    const auto one = load(0, 1, 1).groups[0], two = load(0, 1, 2).groups[0];
    EXPECT_FALSE(at::equal(one.noise, two.noise));
    EXPECT_FALSE(at::equal(one.clips, two.clips));
    EXPECT_FALSE(at::equal(one.noise[0], one.noise[1]));
}

TEST_F(BatchTest, CaptionsAreDroppedAsOftenAsAsked) {
    config.data.batch_size = 256;
    config.data.frames = 2;
    config.data.height = config.data.width = 8;
    config.diffusion.caption_drop = 0.25;
    const auto empty = load(0, 1, 1).text.words.select(1, 0).sum().item<double>();
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

/// Latents of two sizes: clip n holds the number n everywhere, and n + 1 tokens of text.
class TwoSizes : public DataSource {
public:
    std::int64_t size() const override { return 12; }
    std::vector<std::int64_t> bucketSizes() const override { return {8, 4}; }
    std::int64_t latentChannels() const override { return 5; }
    std::int64_t textWidth() const override { return 3; }
    ValueScale valueScale() const override { return {{1}, {2}}; }
    std::vector<std::string> captions() const override { return {}; }
    Example example(std::int64_t index) override {
        const std::int64_t side = index < 8 ? 4 : 8;
        const auto number = static_cast<float>(index);
        const auto tokens = index % 4 + 1;
        return {
            .latents = floatArray({2, side, side, 5},
                                  std::vector<float>(static_cast<std::size_t>(2 * side * side * 5), number)),
            .textEmbeddings =
                floatArray({tokens, 3}, std::vector<float>(static_cast<std::size_t>(tokens * 3), number)),
            .fps = 16};
    }
};

class PackedBatchTest : public testing::Test {
protected:
    PackedBatchTest() {
        config.data.source = "webdataset";
        config.data.buckets = {"2x4x4@16", "2x8x8@16"};
        config.data.packing = true;
        config.data.tokens_per_step = 24;  // a small clip has 2 tokens here, a large one 8
        config.model.patch_frames = 1;
        config.model.patch_size = 4;
        config.diffusion.caption_drop = 0;
    }
    Batch load(std::int64_t rank, std::int64_t size, std::int64_t step) {
        DistEnv ranks;
        ranks.rank = rank;
        ranks.size = size;
        const auto text = makeTextEncoder(config, vocabulary, source.textWidth(), at::kCPU);
        return BatchLoader(config, ranks, source, *text, source.valueScale(), at::kCPU).load(step);
    }
    /// The number that a clip of TwoSizes holds.
    static double numberOf(const at::Tensor& clip) { return clip.view(-1)[0].item<double>() * 2 + 1; }

    config::TrainConfig config;
    TwoSizes source;
    Vocabulary vocabulary = Vocabulary::ofCaptions({});
};

TEST_F(PackedBatchTest, GroupsTheClipsOfAStepBySize) {
    for (std::int64_t step = 1; step <= 6; ++step) {
        const auto batch = load(0, 1, step);
        std::int64_t clips = 0, tokens = 0;
        for (const auto& group : batch.groups) {
            for (const auto& clip : group.clips.unbind(0)) {
                EXPECT_EQ(clip.size(1), numberOf(clip) < 8 ? 4 : 8);
                const auto text = batch.text.embeddings[clips];
                const auto length = static_cast<std::int64_t>(numberOf(clip)) % 4 + 1;
                EXPECT_EQ(batch.text.mask[clips].sum().item<std::int64_t>(), length)
                    << "text goes with its clip";
                EXPECT_EQ(text[0][0].item<double>(), numberOf(clip));
                ++clips;
            }
            tokens += group.clips.size(0) * (group.clips.size(2) == 4 ? 2 : 8);
            EXPECT_EQ(group.fps, 16);
            EXPECT_EQ(group.noise.sizes(), group.clips.sizes());
        }
        EXPECT_LE(batch.groups.size(), 2U);
        EXPECT_EQ(clips, batch.clips());
        EXPECT_EQ(clips, batch.globalClips);
        EXPECT_EQ(tokens, batch.globalTokens);
        EXPECT_LE(tokens, 24);
    }
}

TEST_F(PackedBatchTest, EveryClipHasItsNoiseWhateverTheRanks) {
    const auto noiseByClip = [](const Batch& batch, std::map<double, std::pair<at::Tensor, double>>& found) {
        std::int64_t at = 0;
        for (const auto& group : batch.groups)
            for (std::int64_t i = 0; i < group.clips.size(0); ++i)
                found[numberOf(group.clips[i])] = {group.noise[i], batch.quantiles[at++].item<double>()};
    };
    std::map<double, std::pair<at::Tensor, double>> whole, parts;
    noiseByClip(load(0, 1, 3), whole);
    for (std::int64_t rank = 0; rank < 3; ++rank) {
        const auto part = load(rank, 3, 3);
        EXPECT_EQ(part.globalClips, static_cast<std::int64_t>(whole.size()));
        noiseByClip(part, parts);
    }
    ASSERT_EQ(parts.size(), whole.size());
    for (const auto& [number, drawn] : whole) {
        EXPECT_TRUE(at::equal(parts[number].first, drawn.first));
        EXPECT_EQ(parts[number].second, drawn.second);
    }
}

TEST_F(PackedBatchTest, IsCutIntoPartsThroughItsGroups) {
    const auto batch = load(0, 1, 1);
    ASSERT_EQ(batch.groups.size(), 2U);
    std::vector<at::Tensor> quantiles;
    for (std::int64_t i = 0; i < batch.clips(); ++i) {
        const auto part = batch.part(i, batch.clips());
        ASSERT_EQ(part.groups.size(), 1U);
        EXPECT_EQ(part.text.embeddings.size(0), 1);
        EXPECT_EQ(part.text.embeddings[0][0][0].item<double>(), numberOf(part.groups[0].clips[0]));
        quantiles.push_back(part.quantiles);
    }
    EXPECT_TRUE(at::equal(at::cat(quantiles), batch.quantiles));
}

TEST_F(PackedBatchTest, ADroppedCaptionIsOneTokenOfZeros) {
    config.diffusion.caption_drop = 1;
    const auto text = load(0, 1, 1).text;
    EXPECT_EQ(text.embeddings.abs().sum().item<double>(), 0);
    EXPECT_TRUE(at::equal(text.mask.sum(1), at::ones(text.mask.size(0), at::kLong)));
}

TEST(Pixels, SurviveTheWayIntoTheModelAndBack) {
    const ValueScale scale{{-0.78}, {0.5}};
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
