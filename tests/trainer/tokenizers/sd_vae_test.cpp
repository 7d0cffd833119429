#include "trainer/tokenizers/sd_vae/sd_vae.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/tokenizers/tiny_sd_vae.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/sd_vae/sd_vae_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer::sd_vae {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class SdVaeFileTest : public testing::Test {
protected:
    const TemporaryFolder m_folder;
    const pretrained::SdVaeSizes m_sizes = tinySdVae();

    std::filesystem::path file() const { return m_folder.path() / "vae.safetensors"; }
    config::TrainConfig::Tokenizer config() const {
        config::TrainConfig::Tokenizer config;
        config.kind = "sd_vae";
        config.weights = file().string();
        config.frames_factor = 1;
        config.space_factor = 8;
        config.channels = m_sizes.latents;
        return config;
    }
    std::unique_ptr<Tokenizer> made() const { return makeTokenizer(config(), at::kCPU); }
    /// Of the whole folder, with the config.json in it.
    std::unique_ptr<Tokenizer> madeBeside(const Json& beside) const {
        writeFileAtomically(m_folder.path() / "config.json", beside.dump());
        auto ofFolder = config();
        ofFolder.weights = m_folder.path().string();
        return makeTokenizer(ofFolder, at::kCPU);
    }
    template <class Make>
    static std::string refusal(Make make) {
        try {
            make();
        } catch (const InputError& error) {
            return error.full();
        }
        return "";
    }
};

TEST_F(SdVaeFileTest, AllSpellingsOfTheNamesAreTheSameTokenizer) {
    const auto clips = normalTensor(1, {2, 3, 32, 48, 3}).clamp(-1, 1);
    writeSdVae(file(), m_sizes);
    const auto diffusers = made();
    const auto latents = diffusers->encode(clips);
    EXPECT_EQ(latents.sizes(), (at::IntArrayRef{2, 3, 4, 6, 4}));
    for (const SdVaeFile& how :
         {SdVaeFile{.names = SdVaeNames::diffusers016}, SdVaeFile{.names = SdVaeNames::original},
          SdVaeFile{.names = SdVaeNames::original, .prefix = "first_stage_model."}}) {
        writeSdVae(file(), m_sizes, how);
        const auto other = made();
        EXPECT_EQ(other->identity(), diffusers->identity());
        EXPECT_TRUE(at::equal(other->encode(clips), latents));
        EXPECT_TRUE(at::equal(other->decode(latents), diffusers->decode(latents)));
    }
}

TEST_F(SdVaeFileTest, EveryFrameIsAPictureOfItsOwn) {
    writeSdVae(file(), m_sizes);
    const auto tokenizer = made();
    const auto clips = normalTensor(1, {2, 3, 16, 24, 3}).clamp(-1, 1);
    const auto latents = tokenizer->encode(clips);
    const auto back = tokenizer->decode(latents);
    ASSERT_EQ(back.sizes(), clips.sizes());
    const SdVae vae(m_sizes);
    const auto weights = publishedSdVae(m_sizes);
    for (const std::int64_t clip : {0, 1})
        for (const std::int64_t frame : {0, 1, 2}) {
            const auto picture = clips[clip][frame].permute({2, 0, 1}).unsqueeze(0).contiguous();
            const auto mean = vae.encodeMean(weights, picture);
            EXPECT_TRUE(at::equal(latents[clip][frame], mean[0].permute({1, 2, 0}))) << clip << frame;
            EXPECT_TRUE(
                at::equal(back[clip][frame], vae.decode(weights, mean)[0].permute({1, 2, 0}).clamp(-1, 1)));
        }
    Tokenizer::StreamState memory;
    const auto first = tokenizer->decodePiece(latents.slice(1, 0, 2), memory, false);
    ASSERT_TRUE(first.defined()) << "nothing waits for later frames";
    EXPECT_TRUE(
        at::equal(at::cat({first, tokenizer->decodePiece(latents.slice(1, 2), memory, true)}, 1), back));
    EXPECT_EQ(tokenizer->decode(100 * latents).abs().max().item<float>(), 1) << "values of pixels";
}

TEST_F(SdVaeFileTest, StableVideoDiffusionsDecodesNeighbouringFramesTogether) {
    const at::NoGradGuard noGradients;
    auto sizes = m_sizes;
    sizes.decodesOverTime = true;
    writeSdVae(file(), sizes);
    const auto tokenizer = made();
    constexpr std::int64_t kFrames = 11;  // eight at a time
    const auto latents = normalTensor(1, {2, kFrames, 3, 2, 4});
    const auto clips = tokenizer->decode(latents);
    ASSERT_EQ(clips.sizes(), (at::IntArrayRef{2, kFrames, 24, 16, 3}));
    auto others = latents.clone();
    others[1][3] += 1;
    const auto change = (tokenizer->decode(others) - clips).abs().amax({2, 3, 4});
    EXPECT_EQ(change[0].max().item<double>(), 0) << "each clip by itself";
    EXPECT_GT(change[1][2].item<double>(), 1e-4) << "frames before and behind see it";
    EXPECT_GT(change[1][4].item<double>(), 1e-4);
    EXPECT_EQ(change[1][9].item<double>(), 0) << "in another piece";
    // as long clips are decoded, which come in pieces
    Tokenizer::StreamState memory;
    EXPECT_FALSE(tokenizer->decodePiece(latents.narrow(1, 0, 5), memory, false).defined());
    EXPECT_TRUE(at::equal(tokenizer->decodePiece(latents.narrow(1, 5, 6), memory, true), clips));
    writeSdVae(file(), m_sizes);
    EXPECT_NE(made()->identity(), tokenizer->identity());
}

TEST_F(SdVaeFileTest, TheScaleIsWhatTheConfigurationSaysElseThatOfStableDiffusion) {
    writeSdVae(file(), m_sizes);
    const auto plain = made()->latentScale();
    ASSERT_TRUE(plain.has_value());
    EXPECT_EQ(plain->mean, std::vector<double>(4, 0));
    EXPECT_EQ(plain->deviation, std::vector<double>(4, 1 / 0.18215));
    const auto told = madeBeside({{"scaling_factor", 0.5}, {"shift_factor", 0.25}})->latentScale();
    EXPECT_EQ(told->mean, std::vector<double>(4, 0.25));
    EXPECT_EQ(told->deviation, std::vector<double>(4, 2));
    EXPECT_THAT(refusal([&] {
                    madeBeside({{"scaling_factor", 0}});
                }),
                AllOf(HasSubstr("tokenizer.weights: "), HasSubstr("scaling_factor 0")));
    std::filesystem::remove(m_folder.path() / "config.json");
    auto many = m_sizes;
    many.latents = 16;
    many.quantConvolutions = false;
    writeSdVae(file(), many);
    auto ofMany = config();
    ofMany.channels = 16;
    EXPECT_EQ(makeTokenizer(ofMany, at::kCPU)->latentScale(), std::nullopt)
        << "not that of Stable Diffusion 1";
}

TEST_F(SdVaeFileTest, GroupsOfTheNormsAreToldByTheConfiguration) {
    auto narrow = m_sizes;
    narrow.channels = {8, 8, 16, 16};
    narrow.groups = 4;
    writeSdVae(file(), narrow);
    EXPECT_THAT(refusal([&] { made(); }), AllOf(HasSubstr("32 groups"), HasSubstr("norm_num_groups")));
    const auto tokenizer = madeBeside({{"norm_num_groups", 4}});
    const auto clips = normalTensor(1, {1, 1, 16, 16, 3}).clamp(-1, 1);
    const auto picture = clips[0].permute({0, 3, 1, 2}).contiguous();
    EXPECT_TRUE(at::equal(tokenizer->encode(clips)[0],
                          SdVae(narrow).encodeMean(publishedSdVae(narrow), picture).permute({0, 2, 3, 1})));
}

TEST_F(SdVaeFileTest, OtherFactorsAreRefusedWithThoseOfTheFile) {
    writeSdVae(file(), m_sizes);
    const auto refused = [&](auto member, std::int64_t value) {
        auto other = config();
        other.*member = value;
        return refusal([&] { makeTokenizer(other, at::kCPU); });
    };
    using Config = config::TrainConfig::Tokenizer;
    EXPECT_THAT(refused(&Config::frames_factor, 4),
                AllOf(HasSubstr("tokenizer.frames_factor: found 4"), HasSubstr("has 1")));
    EXPECT_THAT(refused(&Config::space_factor, 16),
                AllOf(HasSubstr("tokenizer.space_factor: found 16"), HasSubstr("has 8")));
    EXPECT_THAT(refused(&Config::channels, 16), HasSubstr("tokenizer.channels: found 16"));
}

TEST_F(SdVaeFileTest, WhatIsNoWholeVaeIsRefused) {
    EXPECT_THAT(refusal([&] { made(); }), HasSubstr("vae.safetensors"));
    writeSdVae(file(), m_sizes, {.without = "decoder.mid_block.attentions.0.to_k.bias"});
    EXPECT_THAT(
        refusal([&] { made(); }),
        AllOf(HasSubstr("not whole"), HasSubstr("1 is missing (decoder.mid_block.attentions.0.to_k.bias)")));
    writeSdVae(file(), m_sizes, {.without = "quant_conv.weight"});
    EXPECT_THAT(refusal([&] { made(); }), HasSubstr("1 is missing (quant_conv.weight)"));
}

}  // namespace
}  // namespace dailies::trainer::sd_vae
