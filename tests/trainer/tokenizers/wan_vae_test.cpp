#include "trainer/tokenizers/wan_vae/wan_vae.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/tokenizers/tiny_wan_vae.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/causal_vae/tiles.h"
#include "trainer/tokenizers/tokenized_source.h"
#include "trainer/tokenizers/wan_vae/wan_layers.h"
#include "trainer/tokenizers/wan_vae/wan_vae_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer::wan_vae {
namespace {

using pretrained::WanVaeSizes;
using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t kClip = 1;

std::string nameOf(const testing::TestParamInfo<bool>& info) {
    return info.param ? "Wan22" : "Wan21";
}

at::Tensor encodeIn(const WanVae& vae, const Params& weights, const at::Tensor& clips,
                    const std::vector<std::int64_t>& chunks) {
    vae::StreamState memory;
    std::vector<at::Tensor> pieces;
    for (const auto& chunk : clips.split_with_sizes(chunks, 2))
        if (auto mean = vae.encodeMean(weights, vae.encodeFine(weights, chunk, memory), memory);
            mean.defined())
            pieces.push_back(std::move(mean));
    return at::cat(pieces, 2);
}

at::Tensor decodeIn(const WanVae& vae, const Params& weights, const at::Tensor& latents,
                    const std::vector<std::int64_t>& chunks) {
    vae::StreamState memory;
    std::vector<at::Tensor> pieces;
    for (const auto& chunk : latents.split_with_sizes(chunks, 2))
        pieces.push_back(vae.decodeFine(weights, vae.decodeCoarse(weights, chunk, memory), memory));
    return at::cat(pieces, 2);
}

double furthest(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).abs().max().item<double>();
}

/// Whether it is the VAE of 2.2.
class WanVaeTest : public testing::TestWithParam<bool> {
protected:
    const at::NoGradGuard m_noGradients;
    const WanVae m_vae{tinyWanVae(GetParam())};
    const Params m_weights = livelyWanVae(m_vae.sizes(), at::kDouble);
    const std::int64_t m_factor = m_vae.spaceFactor();

    at::Tensor clip(std::int64_t frames, std::int64_t rows = 3, std::int64_t columns = 2) const {
        return normalTensor(kClip, {1, 3, frames, rows * m_factor, columns * m_factor}).to(at::kDouble);
    }
};

INSTANTIATE_TEST_SUITE_P(Published, WanVaeTest, testing::Bool(), nameOf);

TEST_P(WanVaeTest, AClipIsFourFramesAndEightOrSixteenPixelsForOneLatent) {
    for (const std::int64_t frames : {1, 5, 9}) {
        const auto latents = encodeIn(m_vae, m_weights, clip(frames), {frames});
        EXPECT_EQ(latents.sizes(), (at::IntArrayRef{1, m_vae.sizes().latents, 1 + (frames - 1) / 4, 3, 2}));
        EXPECT_EQ(decodeIn(m_vae, m_weights, latents, {latents.size(2)}).sizes(),
                  (at::IntArrayRef{1, 3, frames, 3 * m_factor, 2 * m_factor}));
    }
    EXPECT_EQ(m_factor, GetParam() ? 16 : 8);
}

TEST_P(WanVaeTest, PiecesOfAnyLengthEqualTheWhole) {
    const auto pixels = clip(13);
    const auto whole = encodeIn(m_vae, m_weights, pixels, {13});
    for (const std::vector<std::int64_t>& chunks : {std::vector<std::int64_t>{1, 4, 4, 4},
                                                    {5, 8},
                                                    {3, 3, 3, 3, 1},
                                                    {2, 11},
                                                    std::vector<std::int64_t>(13, 1)})
        EXPECT_LT(furthest(encodeIn(m_vae, m_weights, pixels, chunks), whole), 1e-12) << chunks.size();
    const auto decoded = decodeIn(m_vae, m_weights, whole, {4});
    for (const std::vector<std::int64_t>& chunks :
         {std::vector<std::int64_t>{1, 1, 1, 1}, {1, 3}, {2, 2}, {3, 1}})
        EXPECT_LT(furthest(decodeIn(m_vae, m_weights, whole, chunks), decoded), 1e-12) << chunks.size();
}

TEST_P(WanVaeTest, AFrameChangesNothingBeforeIt) {
    const auto pixels = clip(9);
    const auto before = encodeIn(m_vae, m_weights, pixels, {9});
    for (const std::int64_t changed : {1, 5}) {
        auto other = pixels.clone();
        other.select(2, changed).add_(1);
        const auto after = encodeIn(m_vae, m_weights, other, {9});
        const auto first = (changed + 3) / 4;
        EXPECT_TRUE(at::equal(after.slice(2, 0, first), before.slice(2, 0, first)));
        EXPECT_GT(furthest(after.select(2, first), before.select(2, first)), 1e-6);
    }
}

TEST_P(WanVaeTest, LargeFramesGoThroughInTilesThatEqualTheWhole) {
    const auto pixels = clip(5, 7, 6);
    const auto latents = encodeIn(m_vae, m_weights, pixels, {5});
    const auto back = decodeIn(m_vae, m_weights, latents, {2});
    for (const std::int64_t side : {m_factor, 2 * m_factor}) {
        EXPECT_LT(furthest(vae::encodeInTiles(m_vae, m_weights, pixels, side), latents), 1e-12) << side;
        EXPECT_LT(furthest(vae::decodeInTiles(m_vae, m_weights, latents, side), back), 1e-12) << side;
    }
}

TEST_P(WanVaeTest, DecodedValuesAreThoseOfPixels) {
    const auto latents = normalTensor(2, {1, m_vae.sizes().latents, 2, 2, 2}).to(at::kDouble);
    const auto back = decodeIn(m_vae, m_weights, 100 * latents, {2});
    EXPECT_EQ(back.max().item<double>(), 1);
    EXPECT_EQ(back.min().item<double>(), -1);
}

TEST(WanVaeFoldingTest, SquaresOfPixelsAreChannelsOfColourColumnRow) {
    const auto pixels = at::arange(3 * 4 * 6).view({1, 3, 1, 4, 6});
    const auto channels = folded(pixels);
    ASSERT_EQ(channels.sizes(), (at::IntArrayRef{1, 12, 1, 2, 3}));
    for (const std::int64_t colour : {0, 1, 2})
        for (const std::int64_t column : {0, 1})
            for (const std::int64_t row : {0, 1})
                EXPECT_TRUE(at::equal(channels[0][4 * colour + 2 * column + row][0],
                                      pixels[0][colour][0].slice(0, row, 4, 2).slice(1, column, 6, 2)));
    EXPECT_TRUE(at::equal(unfolded(channels), pixels));
}

config::TrainConfig::Tokenizer configOf(const std::filesystem::path& weights) {
    config::TrainConfig::Tokenizer config;
    config.kind = "wan_vae";
    config.weights = weights.string();
    return config;
}

class WanVaeFileTest : public testing::TestWithParam<bool> {
protected:
    const TemporaryFolder m_folder;
    const WanVaeSizes m_sizes = tinyWanVae(GetParam());

    std::filesystem::path file() const { return m_folder.path() / "vae.safetensors"; }
    config::TrainConfig::Tokenizer config() const {
        auto config = configOf(file());
        config.channels = m_sizes.latents;
        config.space_factor = GetParam() ? 16 : 8;
        return config;
    }
    std::string refusal(const config::TrainConfig::Tokenizer& config) const {
        try {
            makeTokenizer(config, at::kCPU);
        } catch (const InputError& error) {
            return error.what();
        }
        return "";
    }
};

INSTANTIATE_TEST_SUITE_P(Published, WanVaeFileTest, testing::Bool(), nameOf);

TEST_P(WanVaeFileTest, BothSpellingsOfTheNamesAreTheSameTokenizer) {
    writeWanVae(file(), m_sizes);
    const auto diffusers = makeTokenizer(config(), at::kCPU);
    writeWanVae(file(), m_sizes, {.original = true});
    const auto original = makeTokenizer(config(), at::kCPU);
    EXPECT_EQ(diffusers->identity(), original->identity());

    const auto clips = normalTensor(kClip, {1, 5, 32, 48, 3}).clamp(-1, 1);
    const auto latents = diffusers->encode(clips);
    EXPECT_EQ(latents.size(-1), m_sizes.latents);
    EXPECT_TRUE(at::equal(original->encode(clips), latents));
    const auto back = diffusers->decode(latents);
    EXPECT_EQ(back.sizes(), clips.sizes());

    Tokenizer::StreamState memory;
    const auto first = diffusers->decodePiece(latents.slice(1, 0, 1), memory, false);
    const auto second = diffusers->decodePiece(latents.slice(1, 1), memory, true);
    EXPECT_LT((at::cat({first, second}, 1) - back).abs().max().item<double>(), 1e-5);

    const WanVae vae(m_sizes);
    const auto planes = clips.permute({0, 4, 1, 2, 3}).contiguous();
    EXPECT_LT(furthest(encodeIn(vae, livelyWanVae(m_sizes, at::kFloat), planes, {5}).permute({0, 2, 3, 4, 1}),
                       latents),
              1e-5)
        << "the means as the encoder gives them";
}

TEST_P(WanVaeFileTest, TheScaleIsWhatTheConfigurationBesideTheWeightsSays) {
    writeWanVae(file(), m_sizes);
    EXPECT_EQ(makeTokenizer(config(), at::kCPU)->latentScale(), std::nullopt) << "of no published size";
    const auto channels = static_cast<std::size_t>(m_sizes.latents);
    Json beside = {{"latents_mean", std::vector<double>(channels, 0.25)},
                   {"latents_std", std::vector<double>(channels, 2)}};
    writeFileAtomically(m_folder.path() / "config.json", beside.dump());
    const auto folder = configOf(m_folder.path());
    auto inFolder = config();
    inFolder.weights = folder.weights;
    const auto scale = makeTokenizer(inFolder, at::kCPU)->latentScale();
    ASSERT_TRUE(scale.has_value());
    EXPECT_EQ(scale->mean, std::vector<double>(channels, 0.25));
    EXPECT_EQ(scale->deviation, std::vector<double>(channels, 2));
    beside["latents_std"] = {1, 2};
    writeFileAtomically(m_folder.path() / "config.json", beside.dump());
    EXPECT_THAT(refusal(inFolder), HasSubstr("latents_std is a list of 2 numbers"));
}

TEST_P(WanVaeFileTest, OtherFactorsAreRefusedWithThoseOfTheFile) {
    writeWanVae(file(), m_sizes);
    auto other = config();
    other.space_factor = 4;
    EXPECT_THAT(refusal(other), AllOf(HasSubstr("tokenizer.space_factor: found 4"),
                                      HasSubstr(GetParam() ? "has 16" : "has 8")));
    other = config();
    other.channels = 7;
    EXPECT_THAT(refusal(other), HasSubstr("tokenizer.channels: found 7"));
}

TEST_P(WanVaeFileTest, WhatIsNoWholeVaeIsRefused) {
    EXPECT_THAT(refusal(config()), HasSubstr("vae.safetensors"));
    writeWanVae(file(), m_sizes, {.without = "decoder.mid_block.resnets.1.conv2.bias"});
    EXPECT_THAT(refusal(config()), AllOf(HasSubstr("tokenizer.weights: "), HasSubstr("not whole"),
                                         HasSubstr("1 is missing (decoder.mid_block.resnets.1.conv2.bias)")));
    writeWanVae(file(), m_sizes, {.notFinite = "quant_conv.bias"});
    EXPECT_THAT(refusal(config()), AllOf(HasSubstr("is damaged: quant_conv.bias"), HasSubstr("not finite")));
    Params stranger;
    stranger.add("some.weight", at::zeros({2, 2}));
    writeSafetensors(file(), stranger);
    EXPECT_THAT(refusal(config()), HasSubstr("holds no Wan VAE"));
}

}  // namespace
}  // namespace dailies::trainer::wan_vae
