#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/trainer/runs/animated_figures.h"
#include "tests/trainer/runs/rank_processes.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/figures.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

// MimicMotion, trained, sampled, resumed and exported by the program.

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

Json dancingFigures(const Json& changes = Json::object()) {
    auto config = animatedFigures();
    for (const auto* key :
         {"model.motion", "diffusion.min_snr_gamma", "diffusion.snr_plus_one", "diffusion.noise_offset"})
        config.erase(key);
    config.update({{"model.family", "mimic-motion"},
                   {"diffusion.objective", "edm"},
                   {"diffusion.prediction", "velocity"}});
    config.update(changes);
    return config;
}

TEST(MimicMotionRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    const auto all =
        dancingFigures({{"steps", 12}, {"checkpoint.every", 6}, {"optimizer.schedule", "constant"}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    const auto clips = whole.all<events::Clip>();
    EXPECT_FALSE(clips.empty()) << whole.output();
    for (const auto& clip : clips) {
        EXPECT_TRUE(clip.inputs.contains("reference"));
        EXPECT_EQ(clip.perFrame.at("pose_error").size(), static_cast<std::size_t>(clip.frames));
    }
    EXPECT_FALSE(whole.metric("flicker").empty());
}

TEST(MimicMotionRun, RanksTrainWhatOneProcessDoes) {
    const TrainingRun alone(dancingFigures());
    ASSERT_EQ(alone.train(), 0) << alone.output();
    // shares of time layers are one number, of which a rank may hold nothing
    for (const auto* shard : {"zero2", "zero3"}) {
        const TrainingRun run(dancingFigures({{"layout.shard", shard}}));
        ASSERT_EQ(trainOnRanks(run, 2), 0) << run.output();
        for (const auto& [step, loss] : alone.metric("loss"))
            EXPECT_NEAR(run.metric("loss").at(step), loss, 2e-3 * loss) << shard << ", step " << step;
    }
}

TEST(MimicMotionRun, LearnsPosesFirstOnTopOfAnExportThatMimicMotionReads) {
    const TrainingRun first(dancingFigures());
    ASSERT_EQ(first.train(), 0) << first.output();
    const TemporaryFolder folder("dailies-mimic-motion");
    const auto file = folder.path() / "model.safetensors", output = folder.path() / "output.txt";
    ASSERT_EQ(TrainerProcess({"export", lastCheckpoint(first).string(), file.string()}, output).wait(), 0)
        << readFile(output);
    const auto exported = readSafetensors(file);
    EXPECT_TRUE(
        exported.contains("unet.mid_block.attentions.0.temporal_transformer_blocks.0.ff_in.net.2.bias"));
    EXPECT_TRUE(exported.contains("pose_net.scale"));

    const TrainingRun posed(dancingFigures({{"model.init", file.string()},
                                            {"optimizer.schedule", "constant"},
                                            {"optimizer.freeze", {"*", "!pose_net"}}}));
    ASSERT_EQ(posed.train(), 0) << posed.output();
    const auto state = Checkpoints(posed.path(), {}).load(12);
    for (const auto& name : state.weights.names()) EXPECT_TRUE(name.starts_with("pose_net.")) << name;
}

TEST(MimicMotionRun, ErrorsInTheWhiteOfMasksCountMore) {
    const TemporaryFolder folder("dailies-masks");
    const auto write = [&](const std::string& name, const RgbClip& clip) {
        writeVideo(folder.path() / name, clip);
    };
    const auto figure = figureClip("red shirt, navy trousers, waves", 7, 12, 32, 32);
    write("dance/anna.mp4", figure.clip);
    write("poses/anna.mp4", figure.guide.poses.at(0));
    auto mask = figure.clip;
    for (const auto* kind : {"black", "white"}) {
        std::ranges::fill(mask.rgb, std::string(kind) == "white" ? 255 : 0);
        write(std::string(kind) + "/anna.mp4", mask);
    }
    const auto losses = [&](const Json& changes) {
        auto config = dancingFigures({{"data.source", "folder"},
                                      {"data.folder", (folder.path() / "dance").string()},
                                      {"data.poses", (folder.path() / "poses").string()}});
        config.update(changes);
        const TrainingRun run(config);
        EXPECT_EQ(run.train(), 0) << run.output();
        return run.metric("loss").at(1);
    };
    const auto masks = [&](const char* kind) { return (folder.path() / kind).string(); };
    const double plain = losses(Json::object());
    EXPECT_NEAR(losses({{"data.loss_masks", masks("black")}}), plain, 1e-4 * plain);
    EXPECT_NEAR(losses({{"data.loss_masks", masks("white")}}), 10 * plain, 0.05 * plain)
        << "videos are lossy";
    EXPECT_NEAR(losses({{"data.loss_masks", masks("white")}, {"diffusion.mask_weight", 3}}), 3 * plain,
                0.05 * plain);
    const TrainingRun missing(dancingFigures({{"data.source", "folder"},
                                              {"data.folder", (folder.path() / "dance").string()},
                                              {"data.poses", (folder.path() / "poses").string()},
                                              {"data.loss_masks", folder.path().string()}}));
    EXPECT_EQ(missing.train(), 2);
    EXPECT_THAT(missing.output(), HasSubstr((folder.path() / "anna.mp4").string()));
}

TEST(MimicMotionRun, IsRefusedWhatItCannotDoWithTheRemedy) {
    const std::pair<Json, const char*> refused[] = {
        {{{"diffusion.objective", "rectified_flow"}},
         "diffusion.objective: found rectified_flow with model.family mimic-motion, expected edm"},
        {{{"data.source", "shapes"}},
         "data.source: found shapes with model.family mimic-motion, expected figures"},
        {{{"model.motion", "v1"}}, "model.motion: found v1 with model.family mimic-motion, expected none"},
        {{{"model.guidance_types", {"depth"}}}, "model.guidance_types: found depth"},
        {{{"layout.tp", 2}}, "layout.tp: found 2 with model.family mimic-motion, expected 1: layout.dp"}};
    for (const auto& [changes, message] : refused) {
        const TrainingRun run(dancingFigures(changes));
        EXPECT_EQ(run.train(), 2) << message;
        EXPECT_THAT(run.output(), HasSubstr(message));
    }
}

}  // namespace
}  // namespace dailies::trainer
