#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "tests/trainer/tokenizers/tiny_ltx_vae.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>

// LTX-Video from a published file to an adapter: its VAE, its transformer, a LoRA on top.

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class LtxRun : public testing::Test {
protected:
    const TemporaryFolder m_vae;
    const TrainingRun m_base{config()};

    Json config() const {
        writeSafetensors(m_vae.path() / "vae.safetensors", livelyLtxVae(tinyLtxVae(true)));
        return {{"tokenizer.kind", "ltx_vae"},
                {"tokenizer.weights", m_vae.path().string()},
                {"tokenizer.frames_factor", 8},
                {"tokenizer.space_factor", 32},
                {"tokenizer.channels", 4},
                {"data.frames", 17},
                {"data.height", 64},
                {"data.width", 32},
                {"model.family", "ltx"},
                {"model.activation", "gelu-tanh"},
                {"model.causal_positions", true},
                {"model.patch_frames", 1},
                {"model.patch_size", 1},
                {"model.conditioning", "in_place"},
                {"text.encoder", "bytes"},
                {"text.width", 16},
                {"model.mlp_ratio", 4},
                {"diffusion.prediction", "velocity"},
                {"diffusion.shift", 2.586},
                {"diffusion.shift_tokens", 1024},
                {"diffusion.shift_growth", 0.358},
                {"diffusion.shift_terminal", 0.1}};
    }
};

TEST_F(LtxRun, LearnsLatentsByTheirPublishedScaleAndTrainsAnAdapterOfWhatItExports) {
    ASSERT_EQ(m_base.train(), 0) << m_base.output();
    EXPECT_EQ(m_base.all<events::Start>()[0].facts.at("tokens_per_clip"), 3 * 2 * 1);
    const auto clips = m_base.all<events::Clip>();
    ASSERT_FALSE(clips.empty());
    EXPECT_EQ(video::ClipReader(m_base.path() / clips.back().path).info().frames, 17);
    const auto checkpoint = m_base.path() / m_base.all<events::Checkpoint>().back().path;
    const auto manifest = inspectCheckpoint(checkpoint);
    EXPECT_EQ(manifest.at("data").at("pixel_deviation"), (Json{0.5, 1.0, 1.5, 2.0}));
    EXPECT_EQ(manifest.at("model").at("frames_per_latent"), 8);

    const auto output = m_base.path() / "export.txt";
    const auto exported = m_base.path() / "exported";
    ASSERT_EQ(
        TrainerProcess({"export", checkpoint.string(), exported.string(), "--format", "diffusers"}, output)
            .wait(),
        0)
        << readFile(output);
    EXPECT_THAT(readFile(exported / "config.json"), HasSubstr("LTXVideoTransformer3DModel"));

    auto tuned = config();
    tuned.update({{"model.init", exported.string()}, {"lora.rank", 2}, {"optimizer.ema_decay", 0}});
    const TrainingRun adapter(tuned);
    ASSERT_EQ(adapter.train(), 0) << adapter.output();
    const auto trained = adapter.path() / adapter.all<events::Checkpoint>().back().path;
    const auto file = adapter.path() / "adapter.safetensors";
    ASSERT_EQ(TrainerProcess({"export", trained.string(), file.string()}, output).wait(), 0)
        << readFile(output);
    EXPECT_TRUE(
        readSafetensors(file).contains("diffusion_model.transformer_blocks.0.attn1.to_q.lora_A.weight"));
    ASSERT_EQ(TrainerProcess({"inspect", file.string()}, output).wait(), 0) << readFile(output);
    EXPECT_THAT(readFile(output), HasSubstr("ltx"));
}

}  // namespace
}  // namespace dailies::trainer
