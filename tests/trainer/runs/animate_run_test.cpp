#include "core/base/files.h"
#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/trainer/runs/animated_figures.h"
#include "tests/trainer/runs/rank_processes.h"
#include "trainer/checkpoint/checkpoints.h"
#include "trainer/data/figures.h"
#include "trainer/serialization/safetensors.h"
#include "trainer/tensors/random.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <algorithm>

// Models of characters in their two stages, trained, sampled, resumed and exported by the program.

namespace dailies::trainer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;

/// Stage 1: each frame for itself.
const TrainingRun& stageOne() {
    static const TrainingRun run([] {
        auto config = animatedFigures();
        config["model.motion"] = "none";
        return config;
    }());
    static const int status = run.train();
    EXPECT_EQ(status, 0) << run.output();
    return run;
}

std::vector<video::Frame> framesOf(const TrainingRun& run, const std::string& path) {
    video::ClipReader reader(run.path() / path);
    std::vector<video::Frame> frames;
    for (int i = 0; i < reader.info().frames; ++i) frames.push_back(reader.frame(i));
    return frames;
}

/// Stage 2: motion modules on top of it.
Json stageTwo(const Json& changes = Json::object()) {
    auto config = animatedFigures();
    config["model.init"] = lastCheckpoint(stageOne()).string();
    config["optimizer.freeze"] = {"*", "!motion_modules"};
    config["optimizer.schedule"] = "constant";
    config.update(changes);
    return config;
}

bool isOfMotion(const std::string& name) {
    return name.find(".motion_modules.") != std::string::npos;
}

TEST(AnimateRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    auto all = animatedFigures();
    all.update({{"steps", 12}, {"checkpoint.every", 6}, {"optimizer.schedule", "constant"}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    const auto clips = whole.all<events::Clip>();
    EXPECT_FALSE(clips.empty()) << whole.output();
    for (const auto& clip : clips) {
        // shown beside the clip on the Review page, with its error under the play head
        EXPECT_EQ(framesOf(whole, clip.inputs.at("reference")).size(), 1U);
        EXPECT_EQ(framesOf(whole, clip.inputs.at("dwpose")).size(), static_cast<std::size_t>(clip.frames));
        EXPECT_EQ(clip.perFrame.at("pose_error").size(), static_cast<std::size_t>(clip.frames));
    }
}

TEST(AnimateRun, RanksTrainWhatOneProcessDoes) {
    const TrainingRun alone(animatedFigures());
    ASSERT_EQ(alone.train(), 0) << alone.output();
    for (const auto* shard : {"none", "zero2", "zero3"}) {
        auto config = animatedFigures();
        config["layout.shard"] = shard;
        const TrainingRun run(config);
        ASSERT_EQ(trainOnRanks(run, 2), 0) << run.output();
        for (const auto& [step, loss] : alone.metric("loss"))
            EXPECT_NEAR(run.metric("loss").at(step), loss, 2e-3 * loss) << shard << ", step " << step;
    }
}

TEST(StageTwo, BeginsWithTheLossOfStageOneAndTrainsMotionModulesAlone) {
    const TrainingRun two(stageTwo()),
        same(stageTwo({{"model.motion", "none"}, {"optimizer.freeze", {"guider"}}}));
    ASSERT_EQ(two.train(), 0) << two.output();
    ASSERT_EQ(same.train(), 0) << same.output();
    EXPECT_NEAR(two.metric("loss").at(1), same.metric("loss").at(1), 1e-5) << "they begin by adding nothing";
    EXPECT_NE(two.metric("loss").at(12), same.metric("loss").at(12));
    const auto state = Checkpoints(two.path(), {}).load(12);
    ASSERT_FALSE(state.weights.names().empty());
    for (const auto& name : state.weights.names()) EXPECT_TRUE(isOfMotion(name)) << name;
    for (const auto& name : state.optimizer.names()) EXPECT_TRUE(isOfMotion(name)) << name;
    const auto said = two.all<events::Message>();
    EXPECT_TRUE(std::ranges::any_of(said, [](const events::Message& message) {
        return message.text.find("optimizer.freeze leaves") != std::string::npos;
    }));
}

TEST(StageTwo, ExportsAllWeightsOfWhichTheFrozenAreThoseOfStageOne) {
    const TrainingRun two(stageTwo());
    ASSERT_EQ(two.train(), 0) << two.output();
    const TemporaryFolder folder("dailies-stage-two");
    const auto exported = [&](const std::filesystem::path& checkpoint, const char* name) {
        const auto file = folder.path() / name, output = folder.path() / "output.txt";
        EXPECT_EQ(TrainerProcess({"export", checkpoint.string(), file.string()}, output).wait(), 0)
            << readFile(output);
        return readSafetensors(file);
    };
    const auto before = exported(lastCheckpoint(stageOne()), "one.safetensors"),
               after = exported(lastCheckpoint(two), "two.safetensors");
    std::size_t moved = 0;
    for (const auto& name : after.names()) {
        if (!isOfMotion(name)) {
            EXPECT_TRUE(at::equal(after[name], before[name])) << name;
        } else {
            EXPECT_FALSE(before.contains(name));
            // drawn at zero, so that any other number was learned
            moved += name.ends_with("proj_out.weight") && after[name].abs().max().item<float>() > 0;
        }
    }
    EXPECT_EQ(moved, 12U) << "behind each block of four levels, one on the way down and two on the way up";
    EXPECT_EQ(after.names().size() - before.names().size(), 12 * 26U);
}

TEST(StageTwo, ResumesAndIsSampledWithTheWeightsThatItWasTrainedOn) {
    const auto all = stageTwo({{"steps", 12}, {"checkpoint.every", 6}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);

    const TemporaryFolder folder("dailies-stage-two-sampled");
    const auto prompts = folder.path() / "prompts.txt", output = folder.path() / "output.txt";
    writeFileAtomically(prompts, "red shirt, navy trousers, waves\n");
    const auto sample = [&](const std::string& guidance) {
        return TrainerProcess({"sample", "--run-dir", folder.path().string(), "--checkpoint",
                               lastCheckpoint(whole).string(), "--prompts", prompts.string(), "--guidance",
                               guidance, "--steps", "2", "--frames", "6"},
                              output)
            .wait();
    };
    ASSERT_EQ(sample("1.5"), 0) << readFile(output);
    const auto clip = folder.path() / "clips/step-000000012/red-shirt_-navy-trousers_-waves-1.mp4";
    EXPECT_EQ(video::ClipReader(clip).info().frames, 6) << "longer than the model's own";
}

TEST(StageTwo, ThatWouldFreezeAllOrNothingIsRefused) {
    const std::pair<Json, const char*> refused[] = {
        {{{"optimizer.freeze", {"*"}}}, "leaves no weight to train"},
        {{{"optimizer.freeze", {"blcoks"}}}, "which no weight matches"},
        {{{"model.init", ""}}, "optimizer.freeze: found *, !motion_modules with no model.init"}};
    for (const auto& [changes, message] : refused) {
        const TrainingRun run(stageTwo(changes));
        EXPECT_EQ(run.train(), 2) << message;
        EXPECT_THAT(run.output(), HasSubstr(message));
    }
}

TEST(AnimateRun, SamplesTheFiguresOfItsPromptsAndMeasuresThem) {
    const TrainingRun run(animatedFigures());
    ASSERT_EQ(run.train(), 0) << run.output();
    for (const auto* name :
         {"pose_error", "background_error", "flicker", "adherence_shirt", "adherence_trousers"})
        EXPECT_FALSE(run.metric(name).empty()) << name;
    for (const auto& [step, error] : run.metric("pose_error")) EXPECT_LE(error, 0.25);
    const auto clips = run.all<events::Clip>();
    ASSERT_FALSE(clips.empty());
    EXPECT_THAT(clips.front().prompt, HasSubstr("shirt"));
}

TEST(AnimateRun, IsRefusedWhatItCannotDoWithTheRemedy) {
    const std::pair<Json, const char*> refused[] = {
        {{{"data.source", "shapes"}},
         "data.source: found shapes with model.family animate, expected figures"},
        {{{"data.source", "folder"}, {"data.folder", "/nowhere"}, {"data.poses", "/nowhere"}},
         "data.poses: /nowhere is no folder."},
        {{{"data.frames", 25}}, "data.frames: found 25 with model.motion v1, expected at most 24"},
        {{{"layout.cp", 2}}, "layout.cp: found 2 with model.family animate, expected 1: layout.dp"},
        {{{"model.patch_size", 16}}, "model.patch_size: found 16 with model.family animate"},
        {{{"sampling.prompts", {"a dog"}}}, "\"a dog\" names no figure."},
        {{{"sampling.pose_files", {"/nowhere.mp4"}}}, "sampling.pose_files: "}};
    for (const auto& [changes, message] : refused) {
        auto config = animatedFigures();
        config.update(changes);
        const TrainingRun run(config);
        EXPECT_EQ(run.train(), 2) << message;
        EXPECT_THAT(run.output(), HasSubstr(message));
    }
}

TEST(AnimateRun, PosesOfAnotherBuildAreAlignedToTheReferences) {
    const TemporaryFolder folder("dailies-aligned");
    const auto file = [&](const std::string& name) { return (folder.path() / name).string(); };
    // key points of somebody who stands, at a place and in a size
    const auto write = [&](const std::string& name, std::size_t frames, double left, double size) {
        constexpr double kBody[18][2] = {{.5, .1},  {.5, .25}, {.4, .25},  {.35, .4},  {.3, .55}, {.6, .25},
                                         {.65, .4}, {.7, .55}, {.45, .5},  {.45, .7},  {.45, .9}, {.55, .5},
                                         {.55, .7}, {.55, .9}, {.48, .08}, {.52, .08}, {.46, .1}, {.54, .1}};
        Json points = Json::array();
        for (const auto& [x, y] : kBody)
            for (const double number : {left + size * x, size * y, 1.0}) points.push_back(number);
        const Json person{{"pose_keypoints_2d", points}};
        const Json frame{{"people", Json::array({person})}, {"canvas_width", 320}, {"canvas_height", 320}};
        writeFileAtomically(file(name), Json(std::vector<Json>(frames, frame)).dump());
    };
    write("reference.json", 1, 0, 1);
    write("child.json", 4, 0.4, 0.5);
    write("same.json", 4, 0, 1);
    writeVideo(file("anna.mp4"), figureClip("red shirt, navy trousers, waves", 3, 1, 32, 32).guide.reference);
    const auto output = folder.path() / "output.txt";
    const auto poses = [&](const std::string& into, const std::string& moving,
                           std::vector<std::string> more) {
        std::vector<std::string> words = {
            "sample",         "--run-dir", file(into),  "--checkpoint", lastCheckpoint(stageOne()),
            "--steps",        "2",         "--prompt",  "anna",         "--reference",
            file("anna.mp4"), "--poses",   file(moving)};
        words.insert(words.end(), more.begin(), more.end());
        std::filesystem::create_directories(file(into));
        EXPECT_EQ(TrainerProcess(words, output).wait(), 0) << readFile(output);
        return folder.path() / into / "clips/step-000000012/anna-1.mp4";
    };
    const std::vector<std::string> aligned = {"--reference-pose", file("reference.json"), "--align-poses",
                                              "true"};
    const auto expected = poses("same", "same.json", {});
    EXPECT_GT(furthestApart(expected, poses("child", "child.json", {})), 0);
    EXPECT_EQ(furthestApart(expected, poses("aligned", "child.json", aligned)), 0);

    const auto refused = [&](const std::vector<std::string>& more) {
        std::vector<std::string> words = {
            "sample",   "--run-dir", file("refused"), "--checkpoint",  lastCheckpoint(stageOne()),
            "--prompt", "anna",      "--reference",   file("anna.mp4")};
        words.insert(words.end(), more.begin(), more.end());
        std::filesystem::create_directories(file("refused"));
        EXPECT_EQ(TrainerProcess(words, output).wait(), 2);
        return readFile(output);
    };
    EXPECT_THAT(refused({"--poses", file("child.json"), "--reference-pose", file("reference.json")}),
                HasSubstr("does not read the reference picture's pose (align_poses would)"));
    EXPECT_THAT(refused({"--poses", file("child.json"), "--align-poses", "true"}),
                HasSubstr("without sampling.reference_pose_files"));
    EXPECT_THAT(refused({"--poses", file("child.json"), "--reference-pose", file("anna.mp4"), "--align-poses",
                         "true"}),
                HasSubstr("anna.mp4 holds no key points (json), and drawn poses cannot be aligned"));
}

TEST(AnimateRun, IsSampledAgainWithOtherPicturesAndPoses) {
    const TemporaryFolder folder("dailies-animated-again");
    const auto file = [&](const char* name) { return (folder.path() / name).string(); };
    const auto write = [&](const char* name, std::size_t frames, std::uint8_t value) {
        const video::Frame frame{32, 32, std::vector<std::uint8_t>(32 * 32 * 3, value)};
        video::writeClip(file(name), std::vector<video::Frame>(frames, frame), {.fps = 8});
    };
    write("anna.mp4", 1, 200);
    write("still.mp4", 4, 0);
    write("bright.mp4", 4, 250);
    const auto output = folder.path() / "output.txt";
    const auto sample = [&](const std::string& into, const std::filesystem::path& checkpoint,
                            const std::vector<std::string>& words) {
        std::filesystem::create_directories(file(into.c_str()));
        std::vector<std::string> all = {
            "sample", "--run-dir", file(into.c_str()), "--checkpoint", checkpoint, "--steps", "2"};
        all.insert(all.end(), words.begin(), words.end());
        return TrainerProcess(all, output).wait();
    };
    const auto anna = [&](const std::string& into, const char* reference, const char* poses) {
        EXPECT_EQ(sample(into, lastCheckpoint(stageOne()),
                         {"--prompt", "anna", "--reference", file(reference), "--poses", file(poses)}),
                  0)
            << readFile(output);
        return folder.path() / into / "clips/step-000000012/anna-1.mp4";
    };
    const auto first = anna("first", "anna.mp4", "still.mp4");
    EXPECT_EQ(furthestApart(first, anna("again", "anna.mp4", "still.mp4")), 0);
    EXPECT_GT(furthestApart(first, anna("posed", "anna.mp4", "bright.mp4")), 0);
    EXPECT_GT(furthestApart(first, anna("other", "bright.mp4", "still.mp4")), 0);
    EXPECT_EQ(sample("bob", lastCheckpoint(stageOne()), {"--prompt", "bob", "--reference", file("anna.mp4")}),
              2);
    EXPECT_THAT(readFile(output), HasSubstr("\"bob\" names no figure"));
    const TrainingRun shapes;
    ASSERT_EQ(shapes.train(), 0) << shapes.output();
    EXPECT_EQ(
        sample("red", lastCheckpoint(shapes), {"--prompt", "red circle left", "--poses", file("still.mp4")}),
        2);
    EXPECT_THAT(readFile(output), HasSubstr("is no model of characters"));
}

TEST(AnimateRun, LearnsAndSamplesClipsWithPosesOfOnesOwn) {
    const TemporaryFolder folder("dailies-own-poses");
    const auto write = [&](const std::string& name, const RgbClip& clip) {
        writeVideo(folder.path() / name, clip);
    };
    const std::pair<std::string, std::string> people[] = {{"anna", "red shirt, navy trousers, waves"},
                                                          {"bob", "blue shirt, brown trousers, walks"}};
    for (const auto& [name, caption] : people) {
        const auto figure = figureClip(caption, hashText(name), 12, 32, 32);
        write("dance/" + name + ".mp4", figure.clip);
        write("dance_dwpose/" + name + ".mp4", figure.guide.poses.at(0));
    }
    auto config = animatedFigures();
    config.update({{"data.source", "folder"},
                   {"data.folder", (folder.path() / "dance").string()},
                   {"data.poses", (folder.path() / "dance_dwpose").string()}});
    const TrainingRun run(config);
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Start>()[0].facts.at("dataset_clips"), 6);
    std::vector<std::string> prompts;
    for (const auto& clip : run.all<events::Clip>()) prompts.push_back(clip.prompt);
    EXPECT_THAT(prompts, testing::UnorderedElementsAre("anna", "bob"));
    for (const auto& message : run.all<events::Message>())
        EXPECT_THAT(message.text, testing::Not(HasSubstr("ignores it"))) << "no caption is read";

    const auto output = folder.path() / "output.txt";
    const auto sample = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = {"sample",
                                        "--run-dir",
                                        (folder.path() / "again").string(),
                                        "--prompt",
                                        "anna",
                                        "--checkpoint",
                                        lastCheckpoint(run),
                                        "--steps",
                                        "2"};
        all.insert(all.end(), more.begin(), more.end());
        return TrainerProcess(all, output).wait();
    };
    std::filesystem::create_directories(folder.path() / "again");
    EXPECT_EQ(sample({}), 2) << "a checkpoint does not hold the data";
    EXPECT_THAT(readFile(output), HasSubstr("found none for \"anna\""));
    EXPECT_EQ(sample({"--reference", (folder.path() / "dance/bob.mp4").string(), "--poses",
                      (folder.path() / "dance_dwpose/anna.mp4").string()}),
              0)
        << readFile(output);
}

Json champ() {
    auto config = animatedFigures();
    config.update({{"model.guidance_types", {"depth", "normal", "semantic_map", "dwpose"}}});
    return config;
}

TEST(ChampRun, TrainsSamplesAndResumesAsIfItHadNotStopped) {
    auto all = champ();
    all.update({{"steps", 12}, {"checkpoint.every", 6}, {"optimizer.schedule", "constant"}});
    const TrainingRun whole(all);
    expectResumesAsIfItHadNotStopped(whole, all);
    EXPECT_FALSE(whole.metric("pose_error").empty());
    EXPECT_EQ(inspectCheckpoint(lastCheckpoint(whole)).at("model").at("guidance_types").size(), 4U);
}

TEST(ChampRun, LearnsAndSamplesFoldersOfDrawings) {
    const TemporaryFolder folder("dailies-champ");
    const std::vector<std::string> types = {"depth", "normal", "semantic_map", "dwpose"};
    const auto figure = figureClip("red shirt, navy trousers, waves", 7, 12, 32, 32, types);
    const auto write = [&](const std::string& kind, const RgbClip& clip) {
        const auto pictures = folder.path() / "films/anna" / kind;
        std::filesystem::create_directories(pictures);
        video::makeWithFfmpeg(pictures / "%04d.png", videoFrames(clip), "");
    };
    write("images", figure.clip);
    for (std::size_t i = 0; i < types.size(); ++i) write(types[i], figure.guide.poses[i]);
    auto config = champ();
    config.update({{"data.source", "folder"}, {"data.folder", (folder.path() / "films").string()}});
    const TrainingRun run(config);
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Start>()[0].facts.at("dataset_clips"), 3);

    const auto output = folder.path() / "output.txt";
    const auto sample = [&](const char* into, const std::string& poses) {
        std::filesystem::create_directories(folder.path() / into);
        return TrainerProcess({"sample", "--run-dir", (folder.path() / into).string(), "--checkpoint",
                               lastCheckpoint(run), "--prompt", "anna", "--steps", "2", "--reference",
                               (folder.path() / "films/anna/images").string(), "--poses", poses},
                              output)
            .wait();
    };
    EXPECT_EQ(sample("again", (folder.path() / "films/anna").string()), 0) << readFile(output);
    EXPECT_EQ(sample("refused", (folder.path() / "films").string()), 2);
    EXPECT_THAT(readFile(output), HasSubstr("films/depth"));
}

TEST(AnimateRun, AnimatesThePictureAndTheVideoThatAreNamed) {
    TemporaryFolder folder("dailies-character");
    const auto poses = folder.path() / "poses.mp4", picture = folder.path() / "reference.mp4";
    const auto write = [](const std::filesystem::path& file, std::size_t frames, std::uint8_t value) {
        const video::Frame frame{32, 32, std::vector<std::uint8_t>(32 * 32 * 3, value)};
        video::writeClip(file, std::vector<video::Frame>(frames, frame), {.fps = 8});
    };
    write(poses, 4, 0);
    write(picture, 1, 200);
    auto config = animatedFigures();
    config["sampling.reference_files"] = {picture.string()};
    config["sampling.pose_files"] = {poses.string()};
    const TrainingRun run(config);
    ASSERT_EQ(run.train(), 0) << run.output();
    for (const auto& clip : run.all<events::Clip>()) {
        ASSERT_THAT(clip.inputs, ElementsAre(Key("dwpose"), Key("reference")));
        EXPECT_EQ(framesOf(run, clip.inputs.at("dwpose")).size(), 4U);
        const auto shown = framesOf(run, clip.inputs.at("reference"));
        ASSERT_EQ(shown.size(), 1U);
        EXPECT_NEAR(shown[0].rgb[0], 200, 3) << "the picture that was named";
        EXPECT_THAT(clip.perFrame, IsEmpty()) << "nobody knows the true clip of other people's poses";
    }
    write(poses, 3, 0);
    const TrainingRun tooShort(config);
    EXPECT_EQ(tooShort.train(), 2);
    EXPECT_THAT(tooShort.output(), HasSubstr("poses.mp4 has 3 frames, and the clip 4."));
}

}  // namespace
}  // namespace dailies::trainer
