#include "trainer/denoising/conditioning_frames.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/diffusion/objective_configs.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <numeric>

namespace dailies::trainer {
namespace {

TEST(GivenFrames, AreTheFirstOfAClipWithTheirMask) {
    const auto clips = normalTensor(1, {2, 3, 4, 4, 3});
    const auto given = conditioningFrames(clips, at::tensor({2, 0}, at::kLong));
    ASSERT_EQ(given.sizes(), at::IntArrayRef({2, 3, 4, 4, 4}));
    const auto mask = given.select(-1, 0), values = given.narrow(-1, 1, 3);
    EXPECT_TRUE(at::equal(values[0].narrow(0, 0, 2), clips[0].narrow(0, 0, 2)));
    EXPECT_EQ(mask[0].narrow(0, 0, 2).min().item<float>(), 1);
    EXPECT_EQ(given[0][2].abs().max().item<float>(), 0);
    EXPECT_EQ(given[1].abs().max().item<float>(), 0);
}

TEST(GivenFrames, InPlaceDoNotCountInTheLoss) {
    config::TrainConfig::Diffusion diffusion;
    diffusion.prediction = "velocity";
    const auto objective = makeObjective(diffusion);
    const auto clips = normalTensor(1, {2, 3, 4, 4, 3}), noise = normalTensor(2, clips.sizes()),
               output = normalTensor(3, clips.sizes()), levels = at::tensor({0.3F, 0.7F});
    const auto given = conditioningFrames(clips, at::tensor({1, 0}, at::kLong));
    const auto lossOf = [&](const at::Tensor& put) {
        return lossWithoutGivenFrame(*objective, put, clips, noise, levels, given);
    };
    auto other = output.clone();
    other.narrow(1, 0, 1) += 5;
    const auto loss = lossOf(output), change = (lossOf(other) - loss).abs();
    EXPECT_EQ(change[0].item<float>(), 0) << "the frame is given";
    EXPECT_GT(change[1].item<float>(), 1) << "it is not";
    const auto rest = [](const at::Tensor& x) { return x.narrow(1, 1, 2); };
    EXPECT_TRUE(at::equal(loss[0], objective->loss(rest(output), rest(clips), rest(noise), levels)[0]));
    EXPECT_TRUE(at::equal(loss[1], objective->loss(output, clips, noise, levels)[1]));
}

TEST(GivenFrames, AreDrawnForThePlaceInTheGlobalBatch) {
    config::TrainConfig config;
    EXPECT_FALSE(drawConditioningFrames(config, 1, {0, 1}).defined());
    config.model.conditioning = "frames";
    config.model.given_frames = 3;
    std::vector<std::int64_t> globalIndices(400);
    std::iota(globalIndices.begin(), globalIndices.end(), 0);
    const auto all = drawConditioningFrames(config, 5, globalIndices);
    EXPECT_TRUE(at::equal(drawConditioningFrames(config, 5, {7, 300}), at::stack({all[7], all[300]})));
    EXPECT_FALSE(at::equal(drawConditioningFrames(config, 6, globalIndices), all));
    EXPECT_NEAR((all > 0).to(at::kFloat).mean().item<double>(), config.model.given_share, 0.08);
    EXPECT_EQ(all.max().item<std::int64_t>(), 3);
    for (std::int64_t count = 0; count <= 3; ++count)
        EXPECT_GT((all == count).sum().item<std::int64_t>(), 30);
}

TEST(GivenFrames, ComeBackUnchangedFromEverySamplerOfEveryObjective) {
    const at::NoGradGuard noGradients;
    const auto clips = normalTensor(1, {2, 4, 4, 4, 3}), noise = normalTensor(2, clips.sizes());
    const auto given = conditioningFrames(clips, at::tensor({3, 0}, at::kLong));
    // a network that expects something else everywhere
    const Denoiser wrong = [](const at::Tensor& noised, const PathPoint&) { return at::tanh(noised) * 0.5; };
    for (const auto& named : everyObjective()) {
        const auto objective = named.make();
        const auto grid = objective->grid(5, 64);
        for (const auto* name : {"euler", "heun", "dpmpp_2m", "unipc"}) {
            const auto sampler = makeSampler(name);
            const auto sampled = sampler->sample(noise, withConditioningFrames(given, wrong), grid);
            EXPECT_TRUE(at::allclose(sampled[0].narrow(0, 0, 3), clips[0].narrow(0, 0, 3), 1e-6, 1e-6))
                << named.name << " by " << name;
            const auto free = sampler->sample(noise, wrong, grid);
            EXPECT_TRUE(at::equal(sampled[0][3], free[0][3])) << "a frame that is not given is left alone";
            EXPECT_TRUE(at::equal(sampled[1], free[1]));
        }
    }
}

/// Pictures of one brightness on the scale -1 … 1, as the frames of `videoBytes` are.
class GivenFiles : public testing::Test {
protected:
    GivenFiles() {
        config.model.conditioning = "frames";
        config.model.given_frames = 3;
        config.data.frames = 8;
        config.data.height = config.data.width = 16;
    }

    std::string fileOf(const std::string& name, const std::string& bytes) {
        writeFileAtomically(folder.path() / name, bytes);
        return (folder.path() / name).string();
    }
    std::vector<double> numbers(const std::string& file) {
        std::vector<double> found;
        for (const auto& frame : readConditioningFrames(file, config, nullptr, {}).unbind(0))
            found.push_back(
                frameNumber(static_cast<std::uint8_t>((frame.mean().item<double>() + 1) * 127.5)));
        return found;
    }
    std::string refusal(const std::string& file) {
        try {
            readConditioningFrames(file, config, nullptr, {});
            return "";
        } catch (const InputError& error) {
            return error.what();
        }
    }

    TemporaryFolder folder;
    config::TrainConfig config;
};

TEST_F(GivenFiles, OfAVideoAreItsLastFramesAsFarApartAsInTraining) {
    using testing::DoubleNear;
    using testing::ElementsAre;
    const auto video = fileOf("v.mp4", videoBytes(12, 64, 48));
    EXPECT_THAT(numbers(video), ElementsAre(DoubleNear(9, 0.6), DoubleNear(10, 0.6), DoubleNear(11, 0.6)));
    config.data.frame_stride = 4;
    EXPECT_THAT(numbers(video), ElementsAre(DoubleNear(3, 0.6), DoubleNear(7, 0.6), DoubleNear(11, 0.6)));
    config.data.frame_stride = 8;
    EXPECT_THAT(numbers(video), ElementsAre(DoubleNear(3, 0.6), DoubleNear(11, 0.6)))
        << "as many as there are";
    config.data.target_fps = 4;  // of 8
    EXPECT_THAT(numbers(video), ElementsAre(DoubleNear(7, 0.6), DoubleNear(9, 0.6), DoubleNear(11, 0.6)));
    const auto values = readConditioningFrames(video, config, nullptr, {{0.5}, {2}});
    EXPECT_EQ(values.sizes(), at::IntArrayRef({3, 16, 16, 3})) << "scaled and cropped";
    EXPECT_TRUE(
        at::allclose(values * 2 + 0.5, readConditioningFrames(video, config, nullptr, {}), 1e-5, 1e-5));
}

TEST_F(GivenFiles, APictureIsTheFirstFrame) {
    for (const auto* name : {"p.png", "p.jpg"}) {
        const auto picture = (folder.path() / name).string();
        video::runFfmpeg("-f lavfi -i color=gray:s=40x30 -frames:v 1 " + picture);
        const auto given = readConditioningFrames(picture, config, nullptr, {});
        EXPECT_EQ(given.sizes(), at::IntArrayRef({1, 16, 16, 3})) << name;
        EXPECT_NEAR(given.mean().item<double>(), 128 / 127.5 - 1, 0.03) << name;
    }
}

TEST_F(GivenFiles, ThatCannotBeReadAreNamed) {
    using testing::AllOf;
    using testing::HasSubstr;
    EXPECT_THAT(refusal((folder.path() / "gone.png").string()),
                AllOf(HasSubstr("sampling.given_files"), HasSubstr("gone.png")));
    EXPECT_THAT(refusal(fileOf("words.png", "no picture at all")), HasSubstr("words.png"));
    EXPECT_THAT(refusal(fileOf("empty.mp4", "")), HasSubstr("empty.mp4"));
    const auto whole = videoBytes(12);
    EXPECT_THAT(refusal(fileOf("cut.mp4", whole.substr(0, whole.size() / 3))), HasSubstr("cut.mp4"));
}

}  // namespace
}  // namespace dailies::trainer
