#include "trainer/diffusion/chunks.h"

#include "core/base/error.h"
#include "trainer/diffusion/frame_windows.h"
#include "trainer/tensors/random_tensor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

std::vector<float> valuesOfFrames(const at::Tensor& clip) {
    const auto flat = clip.flatten().contiguous();
    return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

TEST(ClipChunks, CoverALongClipWithAsFewAsDo) {
    const auto chunks = Chunks::covering(120, 24, 8);
    EXPECT_EQ(chunks.count, 7);
    EXPECT_EQ(chunks.frames(), 120);
    EXPECT_EQ(Chunks::covering(121, 24, 8).count, 8) << "the last one reaches beyond the end";
    EXPECT_EQ(Chunks::covering(24, 24, 8).count, 1);
    EXPECT_EQ(Chunks::covering(7, 24, 99).count, 1) << "a short clip needs no overlap";
}

TEST(ClipChunks, RefuseAnOverlapThatWouldShareAFrameAmongThree) {
    for (const std::int64_t overlap : {0, -1, 13, 24}) {
        try {
            Chunks::covering(120, 24, overlap);
            FAIL() << overlap;
        } catch (const InputError& error) {
            EXPECT_THAT(error.what(), testing::HasSubstr("expected from 1 to 12"));
        }
    }
}

TEST(ClipChunks, AreJoinedByTurningFromOneToTheNext) {
    const auto chunks = Chunks::covering(8, 4, 1);  // 0 1 2 3 | 3 4 5 6 | 6 7 8 9
    ASSERT_EQ(chunks.count, 3);
    LinearBlend one(chunks);
    EXPECT_THAT(valuesOfFrames(one.add(at::full({1, 4, 1}, 0.0))), testing::ElementsAre(0, 0, 0));
    EXPECT_THAT(valuesOfFrames(one.add(at::full({1, 4, 1}, 1.0))), testing::ElementsAre(0.5, 1, 1));
    EXPECT_THAT(valuesOfFrames(one.add(at::full({1, 4, 1}, 3.0))), testing::ElementsAre(2, 3, 3, 3));

    LinearBlend three(Chunks::covering(13, 8, 3));
    three.add(at::full({1, 8, 1}, 0.0));
    EXPECT_THAT(valuesOfFrames(three.add(at::full({1, 8, 1}, 4.0))),
                testing::ElementsAre(1, 2, 3, 4, 4, 4, 4, 4));
}

TEST(ClipChunks, OfOneClipGiveItBackWhole) {
    const auto clip = normalTensor(1, {2, 120, 3, 3, 2});
    const auto chunks = Chunks::covering(120, 24, 8);
    LinearBlend blend(chunks);
    std::vector<at::Tensor> joined;
    for (std::int64_t i = 0; i < chunks.count; ++i)
        joined.push_back(blend.add(clip.narrow(1, chunks.first(i), chunks.length)));
    EXPECT_TRUE(at::allclose(at::cat(joined, 1), clip, 1e-6, 1e-6));
}

/// A denoiser that sees a chunk's own frames only and pulls them to their mean, as a model pulls a clip to
/// what its frames have in common.
at::Tensor pulledTogether(const at::Tensor& noised, const PathPoint&) {
    return noised.mean(1, true).expand_as(noised) * 0.8;
}

std::vector<Denoiser> everyChunkPulledTogether(const Chunks& chunks) {
    return std::vector<Denoiser>(static_cast<std::size_t>(chunks.count), pulledTogether);
}

double worstJump(const at::Tensor& clip) {
    return clip.diff(1, 1).abs().max().item<double>();
}

TEST(ClipChunks, FusedAtEveryStepLeaveSmallerJumpsThanChunksJoinedAtTheEnd) {
    const auto chunks = Chunks::covering(60, 12, 4);
    const auto noise = normalTensor(3, {1, chunks.frames(), 4, 4, 1});
    std::vector<PathPoint> grid;
    for (int i = 10; i >= 0; --i) grid.push_back({i / 10.0, 1 - i / 10.0, i / 10.0});
    const auto sampler = makeSampler("euler");

    LinearBlend blend(chunks);
    std::vector<at::Tensor> joined;
    for (std::int64_t i = 0; i < chunks.count; ++i)
        joined.push_back(blend.add(
            sampler->sample(noise.narrow(1, chunks.first(i), chunks.length), pulledTogether, grid)));
    const auto progressive = sampler->sample(
        noise, fusedDenoiser(FrameWindows::progressive(chunks), everyChunkPulledTogether(chunks)), grid);
    ASSERT_EQ(progressive.sizes(), noise.sizes());
    EXPECT_LT(worstJump(progressive), worstJump(at::cat(joined, 1)));
}

TEST(ClipChunks, FusedCleanClipsAreTheSameAsFusedLatentsForASamplerOfFirstOrder) {
    const auto chunks = Chunks::covering(20, 8, 4);
    const auto noise = normalTensor(5, {1, chunks.frames(), 2, 2, 1});
    std::vector<PathPoint> grid;
    for (int i = 4; i >= 0; --i) grid.push_back({i / 4.0, 1 - i / 4.0, i / 4.0});
    // algorithm 1 to the letter: each chunk takes the step, then the latents are joined
    auto latents = noise * grid.front().sigma;
    for (std::size_t s = 0; s + 1 < grid.size(); ++s) {
        LinearBlend blend(chunks);
        std::vector<at::Tensor> joined;
        for (std::int64_t i = 0; i < chunks.count; ++i) {
            const auto noised = latents.narrow(1, chunks.first(i), chunks.length);
            joined.push_back(
                blend.add(stepTowards(pulledTogether(noised, grid[s]), noised, grid[s], grid[s + 1])));
        }
        latents = at::cat(joined, 1);
    }
    const auto ours = makeSampler("euler")->sample(
        noise, fusedDenoiser(FrameWindows::progressive(chunks), everyChunkPulledTogether(chunks)), grid);
    EXPECT_TRUE(at::allclose(ours, latents, 1e-5, 1e-6));
}

std::vector<std::int64_t> firstFrames(const FrameWindows& windows) {
    std::vector<std::int64_t> first;
    for (const auto& window : windows.windows) first.push_back(window.front());
    return first;
}

TEST(FrameWindows, OfAnimateAnyonesProgramGoRoundTheClip) {
    // its context_frames 24 and context_overlap 4
    EXPECT_THAT(firstFrames(FrameWindows::uniform(24, 24, 4)), testing::ElementsAre(0));
    EXPECT_THAT(firstFrames(FrameWindows::uniform(25, 24, 4)), testing::ElementsAre(0, 20));
    EXPECT_THAT(firstFrames(FrameWindows::uniform(40, 24, 4)), testing::ElementsAre(0, 20));
    EXPECT_THAT(firstFrames(FrameWindows::uniform(100, 24, 4)), testing::ElementsAre(0, 20, 40, 60, 80));
    const auto last = FrameWindows::uniform(100, 24, 4).windows.back();
    EXPECT_EQ(last[19], 99);
    EXPECT_EQ(last[20], 0) << "the end is mixed with the beginning";
    EXPECT_EQ(last.size(), 24u);
}

TEST(FrameWindows, OfMimicMotionsProgramBeginWithTheClipsFirstFrame) {
    // its tile_size 16 and tile_overlap 6
    const auto windows = FrameWindows::triangle(40, 16, 6);
    ASSERT_EQ(windows.windows.size(), 4u);
    std::vector<std::int64_t> second;
    for (const auto& window : windows.windows) {
        EXPECT_EQ(window.front(), 0);
        second.push_back(window[1]);
    }
    EXPECT_THAT(second, testing::ElementsAre(1, 11, 21, 25)) << "the last one ends with the clip";
    EXPECT_EQ(windows.windows.back().back(), 39);
    EXPECT_THAT(FrameWindows::triangle(9, 4, 1).weights, testing::ElementsAre(0.25, 0.75, 0.75, 0.25));
}

TEST(FrameWindows, OfOneClipGiveItBackWhole) {
    const auto clip = normalTensor(1, {2, 50, 3, 3, 2});
    for (const auto& windows : {FrameWindows::progressive(Chunks::covering(50, 14, 5)),
                                FrameWindows::uniform(50, 14, 5), FrameWindows::triangle(50, 14, 5)}) {
        ASSERT_EQ(windows.frames, 50);
        const auto itself = [](const at::Tensor& noised, const PathPoint&) { return noised; };
        const auto fused = fusedDenoiser(windows, std::vector<Denoiser>(windows.windows.size(), itself));
        EXPECT_TRUE(at::allclose(fused(clip, {}), clip, 1e-6, 1e-6));
    }
}

TEST(FrameWindows, ShareFramesByTheirWeights) {
    const auto windows = FrameWindows::triangle(5, 4, 2);  // 0 1 2 3 | 0 2 3 4
    ASSERT_EQ(windows.windows.size(), 2u);
    const auto filled = [](double value) {
        return [value](const at::Tensor& noised, const PathPoint&) { return at::full_like(noised, value); };
    };
    const auto clip = fusedDenoiser(windows, {filled(0), filled(1)})(at::zeros({1, 5, 1}), {});
    EXPECT_THAT(valuesOfFrames(clip), testing::ElementsAre(0.5, 0, 0.5, 0.75, 1));
}

}  // namespace
}  // namespace dailies::trainer
