#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/trainer/pretrained/tiny_clip.h"
#include "tests/trainer/runs/image_to_video.h"
#include "tests/trainer/tokenizers/tiny_wan_vae.h"
#include "trainer/checkpoint/checkpoints.h"

#include <gmock/gmock.h>

// Image to video: a Wan on latents of its VAE, with what CLIP sees in the image.

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

class ImageRun : public ImageToVideoTest {
protected:
    ImageRun() : ImageToVideoTest(32, 32, "red square left") {
        writeWanVae(models.path() / "vae.safetensors", tinyWanVae(/*residual=*/false));
        writeClipVision(models.path() / "image_encoder", tinyClipVision());
    }

    Json imageToVideo(const Json& changes = Json::object()) const {
        Json config = {{"model.family", "wan"},
                       {"model.conditioning", "image"},
                       {"model.image_encoder", (models.path() / "image_encoder").string()},
                       {"model.patch_frames", 1},
                       {"model.patch_size", 1},
                       {"tokenizer.kind", "wan_vae"},
                       {"tokenizer.weights", (models.path() / "vae.safetensors").string()},
                       {"tokenizer.space_factor", 8},
                       {"tokenizer.channels", 4},
                       {"data.frames", 5},
                       {"data.height", 32},
                       {"data.width", 32},
                       {"diffusion.caption_drop", 0.3},
                       {"optimizer.schedule", "constant"}};
        config.update(changes);
        return config;
    }
    int sample(const char* into, const TrainingRun& run, std::vector<std::string> words) const {
        words.insert(words.end(), {"--guidance", "2"});
        return ImageToVideoTest::sample(into, run, words);
    }
};

TEST_F(ImageRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    const auto all = imageToVideo({{"steps", 12},
                                   {"checkpoint.every", 6},
                                   {"sampling.every", 6},
                                   {"sampling.adherence_clips", 4},
                                   {"validation.every", 6},
                                   {"validation.clips", 2}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.metric("adherence").empty()) << "clips of captions that the data know are judged";
    const auto clips = whole.all<events::Clip>();
    ASSERT_EQ(clips.size(), 12U) << "six clips of the data lend their images, twice: " << whole.output();
    EXPECT_EQ(video::ClipReader(whole.path() / clips.back().path).info().frames, 5);

    const auto checkpoint = whole.path() / whole.all<events::Checkpoint>().back().path;
    const auto shape = inspectCheckpoint(checkpoint).at("model");
    EXPECT_EQ(shape.at("conditioning"), "image");
    EXPECT_EQ(shape.at("image_width"), 32);
    const auto exported = file("exported.safetensors");
    ASSERT_EQ(TrainerProcess({"export", checkpoint.string(), exported}, file("output.txt")).wait(), 0)
        << output();
    const TrainingRun next(imageToVideo({{"model.init", exported}}));
    EXPECT_EQ(next.train(), 0) << next.output();
}

TEST_F(ImageRun, MakesOtherClipsOfOtherImages) {
    TrainingRun run(imageToVideo());
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto light = picture("light.mp4", 230), dark = picture("dark.mp4", 20);
    for (const auto* into : {"first", "again"})
        ASSERT_EQ(sample(into, run, {"--given", light}), 0) << output();
    ASSERT_EQ(sample("other", run, {"--given", dark}), 0) << output();
    EXPECT_EQ(furthestApart(clipOf("first"), clipOf("again")), 0);
    EXPECT_GT(furthestApart(clipOf("first"), clipOf("other")), 0);
    const auto note = parseJson(readFile(clipOf("first").replace_extension(".json")), "note");
    EXPECT_EQ(note.at("given_file"), light);

    EXPECT_EQ(sample("none", run, {}), 2);
    EXPECT_THAT(output(), AllOf(HasSubstr("given_files: found none for \"red square left\""),
                                HasSubstr("Name a picture")));
    EXPECT_EQ(sample("long", run, {"--given", light, "--frames", "9"}), 2);
    EXPECT_THAT(output(), AllOf(HasSubstr("frames: found 9, expected at most 5"),
                                HasSubstr("it begins with the last frame")));
}

TEST_F(ImageRun, EndsWithTheImageThatItIsGivenWhereItLearnedTo) {
    // of which the learned positions know how many places they have
    writeClipVision(file("published_places"), {.tower = tinyClipVision().tower, .patch = 2, .side = 32});
    const auto ended = imageToVideo({{"model.conditioning", "first_last"},
                                     {"model.image_encoder", file("published_places")},
                                     {"data.frames", 9}});
    const auto all = [&](Json changes) {
        auto config = ended;
        config.update(changes);
        return config;
    };
    const auto config = all({{"steps", 12},
                             {"checkpoint.every", 6},
                             {"sampling.every", 6},
                             {"validation.every", 6},
                             {"validation.clips", 2}});
    const TrainingRun run(config);
    expectResumesAsIfItHadNotStopped(run, config);
    ASSERT_FALSE(run.all<events::Clip>().empty()) << "from the ends of clips of the data: " << run.output();
    const auto light = picture("light.mp4", 230), dark = picture("dark.mp4", 20);
    for (const auto* into : {"first", "again"})
        ASSERT_EQ(sample(into, run, {"--given", light, "--last", light}), 0) << output();
    ASSERT_EQ(sample("other", run, {"--given", light, "--last", dark}), 0) << output();
    EXPECT_EQ(furthestApart(clipOf("first"), clipOf("again")), 0);
    EXPECT_GT(furthestApart(clipOf("first"), clipOf("other")), 0);
    const auto note = parseJson(readFile(clipOf("other").replace_extension(".json")), "note");
    EXPECT_EQ(note.at("last_file"), dark);

    EXPECT_EQ(sample("none", run, {"--given", light}), 2);
    EXPECT_THAT(output(), HasSubstr("last_files: found none for \"red square left\", expected the image that "
                                    "its clip ends with"));
    const TrainingRun begins(imageToVideo());
    ASSERT_EQ(begins.train(), 0) << begins.output();
    EXPECT_EQ(sample("unasked", begins, {"--given", light, "--last", dark}), 2);
    EXPECT_THAT(output(), HasSubstr("last_files: found 1, expected none"));

    const std::pair<Json, const char*> refused[] = {
        {{{"data.frames", 5}}, "model.conditioning: found first_last with clips of two frames of latents"},
        {{{"sampling.last_files", {dark}}, {"sampling.prompts", {"a"}}},
         "sampling.last_files: found 1 with 0 of sampling.given_files, expected both or neither"},
        {{{"model.image_encoder", file("image_encoder")}},
         "model.image_encoder: found 10 places of a picture, expected 257 with model.conditioning "
         "first_last"},
        {{{"model.conditioning", "image"}, {"sampling.last_files", {dark}}},
         "sampling.last_files: found 1 with model.conditioning image, expected none"}};
    for (const auto& [changes, message] : refused) {
        const TrainingRun wrong(all(changes));
        EXPECT_EQ(wrong.train(), 2) << message;
        EXPECT_THAT(wrong.output(), HasSubstr(message));
    }
}

TEST_F(ImageRun, SamplesItsPromptsFromTheImagesThatItIsGiven) {
    const auto light = picture("light.mp4", 230), dark = picture("dark.mp4", 20);
    const Json prompts = {{"sampling.every", 6}, {"sampling.prompts", {"red square left", "blue square up"}}};
    TrainingRun run(imageToVideo(prompts));
    run.configure({{"sampling.given_files", {light, dark}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 4U);
    const auto note = parseJson(
        readFile(run.path() / std::filesystem::path(clips[1].path).replace_extension(".json")), "note");
    EXPECT_EQ(note.at("given_file"), dark);
    // a job goes on with the run's own images where it names none
    ASSERT_EQ(sample("own", run, {}), 0) << output();

    run.configure({{"sampling.given_files", {"/no/such/image.png"}}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("/no/such/image.png"));
}

TEST_F(ImageRun, OfClipsInAFolderEncodesThemOnceAndBeginsAPromptWithOneOfThem) {
    const auto folder = models.path() / "videos";
    std::filesystem::create_directories(folder);
    for (int i = 0; i < 3; ++i) {
        std::vector<video::Frame> frames;
        for (int frame = 0; frame < 5; ++frame)
            frames.push_back(
                {32, 32,
                 std::vector<std::uint8_t>(32 * 32 * 3, static_cast<std::uint8_t>(40 * i + 20 * frame))});
        const auto name = "clip-" + std::to_string(i);
        video::writeClip(folder / (name + ".mp4"), frames, {.fps = 8});
        writeFileAtomically(folder / (name + ".txt"), "a clip of shade " + std::to_string(i));
    }
    const auto config = imageToVideo({{"data.source", "folder"},
                                      {"data.folder", folder.string()},
                                      {"data.cache", file("cache")},
                                      {"data.batch_size", 2},
                                      {"sampling.every", 12},
                                      {"sampling.prompts", {"a clip of shade 2"}}});
    TrainingRun run(config);
    const auto cached = [&] {
        EXPECT_EQ(
            TrainerProcess({"cache", "--config", (run.path() / "config.json").string()}, file("cached.txt"))
                .wait(),
            0)
            << readFile(file("cached.txt"));
        return readFile(file("cached.txt"));
    };
    EXPECT_THAT(cached(), HasSubstr("3 encoded, 0 were there"));
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(cached(), HasSubstr("0 encoded, 3 were there"));
    EXPECT_EQ(run.all<events::Clip>().size(), 1U) << run.output();
}

TEST_F(ImageRun, RefusesToGoOnWithAnotherImageEncoderOrWithoutIt) {
    TrainingRun run(imageToVideo());
    ASSERT_EQ(run.train(), 0) << run.output();
    writeClipVision(models.path() / "image_encoder", tinyClipVision(), 2);
    run.configure({{"steps", 20}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("learned what another image encoder sees"));
    run.configure({{"model.image_encoder", ""}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("image_width 32 there, 0 in the config"));
}

TEST_F(ImageRun, KnowsTheLatentsAloneWithoutAnImageEncoder) {
    const TrainingRun run(imageToVideo({{"model.image_encoder", ""}}));
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.metric("loss").size(), 12U);
    const auto checkpoint = run.path() / run.all<events::Checkpoint>().back().path;
    EXPECT_FALSE(inspectCheckpoint(checkpoint).at("model").contains("image_width"));
}

}  // namespace
}  // namespace dailies::trainer
