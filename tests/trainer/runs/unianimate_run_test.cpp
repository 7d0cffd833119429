#include "core/base/files.h"
#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/runs/animated_figures.h"
#include "tests/trainer/runs/image_to_video.h"
#include "tests/trainer/runs/rank_processes.h"
#include "tests/trainer/tokenizers/tiny_wan_vae.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/figures.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

// UniAnimate-DiT, trained, sampled and resumed by the program: a Wan that begins with a reference picture.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kFigure = "red shirt, navy trousers, waves";
constexpr const char* kDancer = "anna waves";

class UniAnimateRun : public ImageToVideoTest {
protected:
    UniAnimateRun() : ImageToVideoTest(32, 32, kDancer) {
        writeWanVae(models.path() / "vae.safetensors", tinyWanVae(/*residual=*/false));
        writeClipVision(models.path() / "image_encoder", tinyClipVision());
    }

    Json animated(const Json& changes = Json::object()) const {
        Json config = {{"model.family", "unianimate"},
                       {"model.conditioning", "image"},
                       {"model.image_encoder", file("image_encoder")},
                       {"model.patch_frames", 1},
                       {"model.patch_size", 1},
                       {"tokenizer.kind", "wan_vae"},
                       {"tokenizer.weights", file("vae.safetensors")},
                       {"tokenizer.space_factor", 8},
                       {"tokenizer.channels", 4},
                       {"data.source", "figures"},
                       {"data.frames", 5},
                       {"data.height", 32},
                       {"data.width", 32},
                       {"data.batch_size", 2},
                       {"diffusion.caption_drop", 0.3},
                       {"sampling.steps", 2},
                       {"sampling.adherence_clips", 2},
                       {"optimizer.schedule", "constant"}};
        config.update(changes);
        return config;
    }
    /// A folder of dancers with their poses, 12 frames of each.
    void writeDancers() const {
        for (int i = 0; i < 2; ++i) {
            const auto figure = figureClip(kFigure, static_cast<std::uint64_t>(7 + i), 12, 32, 32);
            const auto name = "anna-" + std::to_string(i);
            writeVideo(models.path() / "dance" / (name + ".mp4"), figure.clip);
            writeFileAtomically(models.path() / "dance" / (name + ".txt"), kDancer);
            writeVideo(models.path() / "poses" / (name + ".mp4"), figure.guide.poses.at(0));
        }
    }
    Json ofDancers(const Json& changes = Json::object()) const {
        auto config = animated({{"data.source", "folder"},
                                {"data.folder", file("dance")},
                                {"data.poses", file("poses")},
                                {"data.cache", file("cache")},
                                {"sampling.prompts", {kDancer}},
                                {"sampling.adherence_clips", 0}});
        config.update(changes);
        return config;
    }
};

TEST_F(UniAnimateRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    const auto all = animated({{"steps", 12},
                               {"checkpoint.every", 6},
                               {"sampling.every", 6},
                               {"validation.every", 6},
                               {"validation.clips", 2}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    const auto clips = whole.all<events::Clip>();
    ASSERT_FALSE(clips.empty()) << whole.output();
    for (const auto& clip : clips) {
        EXPECT_TRUE(clip.inputs.contains("reference"));
        EXPECT_EQ(clip.frames, 5);
        EXPECT_EQ(clip.perFrame.at("pose_error").size(), 5U);
    }
}

TEST_F(UniAnimateRun, RanksTrainWhatOneProcessDoes) {
    const auto deep = [&](Json changes) {
        changes["model.depth"] = 2;
        return animated(changes);
    };
    const TrainingRun alone(deep(Json::object()));
    ASSERT_EQ(alone.train(), 0) << alone.output();
    for (const Json& layout : {Json{{"layout.cp", 2}}, Json{{"layout.tp", 2}},
                               Json{{"layout.pp", 2}, {"optimizer.accumulate", 2}}}) {
        const TrainingRun run(deep(layout));
        ASSERT_EQ(trainOnRanks(run, 2), 0) << layout << run.output();
        for (const auto& [step, loss] : alone.metric("loss"))
            EXPECT_NEAR(run.metric("loss").at(step), loss, 2e-3 * loss) << layout << ", step " << step;
    }
}

TEST_F(UniAnimateRun, OfAFolderItReadsTheReferencesPoseAndKeepsWhatItEncoded) {
    writeDancers();
    const TrainingRun run(ofDancers());
    ASSERT_EQ(run.train(), 0) << run.output();
    const TrainingRun again(ofDancers());
    ASSERT_EQ(again.train(), 0) << again.output();
    EXPECT_EQ(run.metric("loss"), again.metric("loss")) << "the reference's latents from the cache";
    // in the white of masks errors count more, also where a latent holds four frames
    auto white = figureClip(kFigure, 7, 12, 32, 32).clip;
    std::ranges::fill(white.rgb, 255);
    for (const auto* name : {"anna-0.mp4", "anna-1.mp4"}) writeVideo(models.path() / "white" / name, white);
    const TrainingRun masked(ofDancers({{"data.loss_masks", file("white")}}));
    ASSERT_EQ(masked.train(), 0) << masked.output();
    EXPECT_NEAR(masked.metric("loss").at(1), 10 * run.metric("loss").at(1), 0.5 * run.metric("loss").at(1));
}

TEST_F(UniAnimateRun, AnimatesWhomItIsShownForAsLongAsThePosesGo) {
    writeDancers();
    TrainingRun run(ofDancers());
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto figure = figureClip(kFigure, 9, 12, 32, 32);
    const auto reference = file("me.mp4"), pose = file("me-posed.mp4"), poses = file("motion.mp4");
    writeVideo(reference, figure.guide.reference);
    writeVideo(pose, figure.guide.referencePose);
    writeVideo(poses, figure.guide.poses.at(0));
    const std::vector<std::string> shown = {"--reference",      reference, "--poses",    poses,
                                            "--reference-pose", pose,      "--guidance", "2"};
    ASSERT_EQ(sample("first", run, shown), 0) << output();
    EXPECT_EQ(video::ClipReader(clipOf("first")).info().frames, 5);
    auto longer = shown;
    longer.insert(longer.end(), {"--frames", "12"});
    for (const auto* blend : {"linear", "progressive", "uniform", "triangle"}) {
        auto words = longer;
        words.insert(words.end(), {"--blend", blend});
        ASSERT_EQ(sample(blend, run, words), 0) << output();
        EXPECT_EQ(video::ClipReader(clipOf(blend)).info().frames, 12)
            << "each chunk begins with the reference";
    }
    auto unposed = shown;
    unposed.erase(unposed.begin() + 4, unposed.begin() + 6);
    EXPECT_EQ(sample("unposed", run, unposed), 2);
    EXPECT_THAT(output(), AllOf(HasSubstr("sampling.reference_pose_files: found none"),
                                HasSubstr("Name a picture in which the reference's pose is drawn")));
    auto given = shown;
    given.insert(given.end(), {"--given", reference});
    EXPECT_EQ(sample("given", run, given), 2);
    EXPECT_THAT(output(), HasSubstr("given_files: found 1, expected none"));
}

TEST_F(UniAnimateRun, AnAdapterIsTrainedWithTheEncodersOfPosesBesideIt) {
    const TrainingRun base(animated());
    ASSERT_EQ(base.train(), 0) << base.output();
    const auto exported = [&](const TrainingRun& run, const char* name,
                              const std::vector<std::string>& words = {}) {
        std::vector<std::string> all = {"export", lastCheckpoint(run).string(), file(name)};
        all.insert(all.end(), words.begin(), words.end());
        EXPECT_EQ(TrainerProcess(all, file("output.txt")).wait(), 0) << output();
        return file(name);
    };
    const Json begun = {{"model.init", exported(base, "base.safetensors")}, {"optimizer.lr", 0.01}};
    const TrainingRun further(animated(begun));
    ASSERT_EQ(further.train(), 0) << further.output();
    auto adapting = begun;
    adapting["lora.rank"] = 2;
    const TrainingRun adapter(animated(adapting));
    ASSERT_EQ(adapter.train(), 0) << adapter.output();
    EXPECT_EQ(adapter.metric("loss").at(1), further.metric("loss").at(1))
        << "it begins as its base, with its encoders";
    ASSERT_FALSE(adapter.all<events::Clip>().empty()) << "which are sampled with, too";

    const auto saved = Checkpoints(adapter.path(), {}).load(12).weights;
    const auto first = readSafetensors(file("base.safetensors"));
    std::int64_t encoders = 0;
    for (const auto& name : saved.names()) {
        const bool isEncoder =
            name.starts_with("dwpose_embedding.") || name.starts_with("randomref_embedding_pose.");
        EXPECT_TRUE(isEncoder || name.find(".lora_") != std::string::npos) << name;
        if (!isEncoder) continue;
        ++encoders;
        EXPECT_FALSE(at::equal(saved[name], first[name])) << name << " is trained";
    }
    EXPECT_EQ(encoders, 26) << "seven convolutions and six, with their biases";
    const auto alone = readSafetensors(exported(adapter, "adapter.safetensors")),
               merged = readSafetensors(exported(adapter, "merged.safetensors", {"--merged"}));
    for (const auto& name : saved.names())
        if (name.find(".lora_") == std::string::npos) {
            EXPECT_TRUE(at::equal(alone[name], saved[name])) << name;
            EXPECT_TRUE(at::equal(merged[name], saved[name])) << name;
        }
    EXPECT_EQ(merged.names().size(), first.names().size());
    for (const char* shard : {"zero3", "none"}) {
        auto changes = adapting;
        changes["layout.shard"] = shard;
        changes["model.recompute"] = "full";
        const TrainingRun ranks(animated(changes));
        ASSERT_EQ(trainOnRanks(ranks, 2), 0) << shard << readFile(ranks.path() / "output-0.txt");
        for (const auto& [step, loss] : adapter.metric("loss"))
            EXPECT_NEAR(ranks.metric("loss").at(step), loss, 2e-3 * loss) << shard << ", step " << step;
    }
}

TEST_F(UniAnimateRun, IsRefusedWhatItCannotDoWithTheRemedy) {
    const std::pair<Json, const char*> refused[] = {
        {{{"model.conditioning", "none"}},
         "model.conditioning: found none with model.family unianimate, expected image"},
        {{{"data.source", "shapes"}}, "data.source: found shapes with model.family unianimate"},
        {{{"model.patch_frames", 2}, {"data.frames", 13}},
         "model.patch_frames: found 2 with model.family unianimate, expected 1"},
        {{{"sampling.given_files", {"/a.png"}}},
         "sampling.given_files: found 1 with model.family unianimate"},
        {{{"model.family", "wan"}, {"sampling.reference_pose_files", {"/a.png"}}, {"data.source", "shapes"}},
         "sampling.reference_pose_files: found 1 with model.family wan, expected none: only unianimate"}};
    for (const auto& [changes, message] : refused) {
        const TrainingRun run(animated(changes));
        EXPECT_EQ(run.train(), 2) << message;
        EXPECT_THAT(run.output(), HasSubstr(message));
    }
}

}  // namespace
}  // namespace dailies::trainer
