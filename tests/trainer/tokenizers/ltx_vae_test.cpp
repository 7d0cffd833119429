#include "trainer/tokenizers/ltx_vae/ltx_vae.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/trainer/tokenizers/tiny_ltx_vae.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random_tensor.h"
#include "trainer/tokenizers/tokenizer.h"

#include <gmock/gmock.h>
#include <torch/types.h>

// What only tests of ours see; tests/interop/trainer/tokenizers_as_diffusers.py compares the numbers.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class LtxVaeTest : public testing::TestWithParam<bool> {
protected:
    const at::NoGradGuard m_noGradients;
    const pretrained::LtxVaeSizes sizes = tinyLtxVae(GetParam());
    const Params weights = livelyLtxVae(sizes);
    const ltx_vae::LtxVae vae{sizes};
    const TemporaryFolder folder;

    at::Tensor encoded(const at::Tensor& clips) const { return vae.encodeMean(weights, clips); }

    config::TrainConfig::Tokenizer published() const {
        writeSafetensors(folder.path() / "vae.safetensors", weights);
        config::TrainConfig::Tokenizer config;
        config.kind = "ltx_vae";
        config.weights = folder.path().string();
        config.frames_factor = 8;
        config.space_factor = 32;
        config.channels = 4;
        return config;
    }
};

INSTANTIATE_TEST_SUITE_P(Published, LtxVaeTest, testing::Bool(),
                         [](const auto& each) { return each.param ? "Of091" : "Of090"; });

TEST_P(LtxVaeTest, MakesOneLatentOfEightFramesAndAPictureOfOne) {
    const auto clips = normalTensor(1, {2, 3, 17, 32, 64});
    const auto latents = encoded(clips);
    EXPECT_EQ(latents.sizes(), at::IntArrayRef({2, 4, 3, 1, 2}));
    EXPECT_EQ(vae.decode(weights, latents, 0.05).sizes(), clips.sizes());
    EXPECT_EQ(encoded(clips.slice(2, 0, 1)).size(2), 1);
    EXPECT_EQ(vae.decode(weights, latents.slice(2, 0, 1), 0.05).size(2), 1);
}

TEST_P(LtxVaeTest, EncodesWithoutLookingAhead) {
    const auto clips = normalTensor(1, {1, 3, 17, 32, 32});
    auto other = clips.clone();
    other.slice(2, 9).fill_(1);
    const auto before = encoded(clips), after = encoded(other);
    EXPECT_LT((before.slice(2, 0, 2) - after.slice(2, 0, 2)).abs().max().item<double>(), 1e-6);
    EXPECT_GT((before.slice(2, 2) - after.slice(2, 2)).abs().max().item<double>(), 1e-3);
}

TEST_P(LtxVaeTest, DecodersThatTakeNoiseAwayAreToldHowMuchThereIs) {
    const auto latents = normalTensor(2, {1, 4, 2, 1, 1});
    const auto little = vae.decode(weights, latents, 0.05), much = vae.decode(weights, latents, 0.5);
    EXPECT_EQ(at::equal(little, much), !GetParam());
    EXPECT_TRUE(at::equal(little, vae.decode(weights, latents, 0.05)))
        << "what it adds of its own is the same";
}

TEST_P(LtxVaeTest, AsATokenizerGivesTheSameClipEachTimeAndItsPublishedScale) {
    const auto tokenizer = makeTokenizer(published(), at::kCPU);
    const auto latents = normalTensor(3, {2, 2, 1, 2, 4});
    const auto clips = tokenizer->decode(latents);
    EXPECT_EQ(clips.sizes(), at::IntArrayRef({2, 9, 32, 64, 3}));
    EXPECT_LE(clips.abs().max().item<double>(), 1);
    EXPECT_TRUE(at::equal(clips, tokenizer->decode(latents)));
    EXPECT_TRUE(at::equal(clips.slice(0, 1), tokenizer->decode(latents.slice(0, 1))))
        << "whatever is beside it";
    const auto scale = tokenizer->latentScale();
    ASSERT_TRUE(scale);
    EXPECT_EQ(scale->mean, std::vector<double>(4, 0.25));
    EXPECT_EQ(scale->deviation, (std::vector<double>{0.5, 1, 1.5, 2}));
}

TEST_P(LtxVaeTest, RefusesOtherFactorsAndADeviationOfNothing) {
    const auto refusal = [](const config::TrainConfig::Tokenizer& config) -> std::string {
        try {
            makeTokenizer(config, at::kCPU);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    };
    auto config = published();
    config.frames_factor = 4;
    EXPECT_THAT(refusal(config), HasSubstr("tokenizer.frames_factor: found 4"));
    auto broken = weights;
    broken["latents_std"].fill_(0);
    writeSafetensors(folder.path() / "vae.safetensors", broken);
    config.frames_factor = 8;
    EXPECT_THAT(refusal(config), AllOf(HasSubstr("tokenizer.weights"), HasSubstr("not above 0")));
}

}  // namespace
}  // namespace dailies::trainer
