#include "tests/trainer/models/families.h"

#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

/// A transformer of the sizes of NeMo's table: Cosmos's block, latents of 16 channels, T5's embeddings.
ModelShape nemoShape(std::int64_t layers, std::int64_t width) {
    ModelShape shape;
    shape.model.width = width;
    shape.model.depth = layers;
    shape.model.heads = width / 128;
    shape.model.patch_frames = 1;
    shape.model.patch_size = 2;
    shape.model.activation = "gelu";
    shape.model.adaln = "lora";
    shape.model.bias = false;
    shape.model.positions = "none";
    shape.frames = 16;
    shape.height = 64;
    shape.width = 64;
    shape.channels = 16;
    shape.textWidth = 1024;
    return shape;
}

/// Training operations a token, in 10⁹, of clips of `tokens` tokens.
double gigaflopsPerToken(const ModelShape& shape, std::int64_t tokens) {
    const auto model = makeModel(shape, at::kCPU);
    const ClipSize size{tokens / 1024, 64, 64};  // 32 × 32 tokens a frame
    EXPECT_EQ(model->tokensPerClip(size), tokens);
    return static_cast<double>(model->flops(size, 512).standard()) / static_cast<double>(tokens) / 1e9;
}

// NVIDIA's "Training Video Foundation Models with NVIDIA NeMo", table 1: TFLOPS over tokens a second.
TEST(Flops, ReproduceNemosTable) {
    const auto seven = nemoShape(28, 4096), twentyEight = nemoShape(48, 6144);
    EXPECT_NEAR(gigaflopsPerToken(seven, 8192) / 50.95, 1, 0.005);
    EXPECT_NEAR(gigaflopsPerToken(seven, 73728) / 141.15, 1, 0.005);
    EXPECT_NEAR(gigaflopsPerToken(twentyEight, 8192) / 181.86, 1, 0.005);
    EXPECT_NEAR(gigaflopsPerToken(twentyEight, 73728) / 413.48, 1, 0.005);
    const auto h = 4096.0, tokens = 8192.0;
    EXPECT_DOUBLE_EQ(gigaflopsPerToken(seven, 8192), 28 * (84 * h * h + 12 * h * tokens) / 1e9);
}

TEST(Flops, ModelsOfEverySizeAreSizedWithoutMemory) {
    // what diffusers' CosmosTransformer3DModel has at these shapes
    EXPECT_EQ(makeModel(nemoShape(28, 4096), at::kCPU)->weightsOnMeta().elementCount(), 7'234'668'544);
    EXPECT_EQ(makeModel(nemoShape(48, 6144), at::kCPU)->weightsOnMeta().elementCount(), 27'033'630'720);
}

TEST(Flops, AttentionWithinFramesAndOverTimeCostsLess) {
    auto shape = nemoShape(28, 4096);
    const ClipSize size{16, 64, 64};
    const auto full = makeModel(shape, at::kCPU)->flops(size, 512);
    shape.model.family = "st-dit";
    const auto split = makeModel(shape, at::kCPU)->flops(size, 512);
    EXPECT_EQ(split.blocks, full.blocks);
    // half of the blocks see 1024 tokens of a frame, half 16 frames, instead of 16384
    EXPECT_EQ(split.attention * 2 * 16384, full.attention * (1024 + 16));
}

}  // namespace
}  // namespace dailies::trainer
