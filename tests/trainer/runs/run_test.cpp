#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "trainer/serialization/safetensors.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cmath>
#include <limits>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;

TEST(Run, WritesItsEventsClipsAndCheckpoints) {
    const TrainingRun run(
        Json{{"sampling.every", 5}, {"sampling.adherence_clips", 3}, {"checkpoint.every", 5}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto events = run.events();
    ASSERT_FALSE(events.empty());
    EXPECT_TRUE(std::holds_alternative<events::Start>(events.front().payload));
    EXPECT_GT(run.all<events::Start>()[0].facts.at("parameters").get<int>(), 0);
    ASSERT_TRUE(std::holds_alternative<events::End>(events.back().payload));
    EXPECT_EQ(std::get<events::End>(events.back().payload).status, "finished");
    EXPECT_EQ(std::get<events::End>(events.back().payload).step, 12);

    EXPECT_EQ(run.metric("loss").size(), 12U);
    for (const auto* name : {"adherence", "adherence_colour", "adherence_shape", "adherence_direction"})
        EXPECT_EQ(run.metric(name).size(), 3U) << name << ": at steps 5, 10 and the last";
    const auto clips = run.all<events::Clip>();
    ASSERT_EQ(clips.size(), 3U * 6);
    for (const auto& clip : clips) {
        const auto info = video::ClipReader(run.path() / clip.path).info();
        EXPECT_EQ(info.frames, 2) << clip.path;
        EXPECT_EQ(info.height, 256) << "small clips are enlarged for people";
        const auto note = Json::parse(readFile((run.path() / clip.path).replace_extension(".json")));
        EXPECT_EQ(note.at("prompt"), clip.prompt);
        EXPECT_TRUE(clip.adherence);
    }
    EXPECT_EQ(clips[0].path, "clips/step-000000005/red-circle-right-1.mp4");
    const auto checkpoints = run.all<events::Checkpoint>();
    ASSERT_EQ(checkpoints.size(), 3U);
    EXPECT_EQ(checkpoints.back().path, "checkpoints/step-000000012");
    EXPECT_TRUE(std::filesystem::exists(run.path() / checkpoints.back().path / "manifest.json"));
}

TEST(Run, SamplesTheSameClipsFromTheSameWeights) {
    TrainingRun first(Json{{"sampling.prompts", {"red circle left", "green square"}}}),
        second = TrainingRun();
    second.configure({{"sampling.prompts", {"red circle left", "green square"}}});
    ASSERT_EQ(first.train(), 0) << first.output();
    ASSERT_EQ(second.train(), 0) << second.output();
    const auto clips = first.all<events::Clip>();
    ASSERT_EQ(clips.size(), 2U);
    for (const auto& clip : clips)
        EXPECT_EQ(readFile(first.path() / clip.path), readFile(second.path() / clip.path));
    EXPECT_TRUE(clips[0].adherence);
    EXPECT_FALSE(clips[1].adherence) << "a prompt without a direction cannot be judged";
}

TEST(Run, WarnsOfWordsThatTheModelWillIgnore) {
    const TrainingRun run(Json{{"sampling.prompts", {"purple circle left"}}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_THAT(run.all<events::Message>().at(0).text, HasSubstr("\"purple\""));
}

TEST(Run, LearnsInEveryVariantOfTheConfig) {
    // noise cannot pass a model narrower than its patches, so predicting velocity takes small ones
    for (const auto& variant : {Json{{"diffusion.prediction", "velocity"},
                                     {"model.activation", "gelu"},
                                     {"model.patch_frames", 1},
                                     {"model.patch_size", 2}},
                                Json{{"optimizer.schedule", "cosine"}, {"optimizer.ema_decay", 0.0}},
                                Json{{"runtime.precision", "bf16"}, {"sampling.guidance", 1.0}},
                                Json{{"runtime.threads", 2}, {"optimizer.grad_clip", 0.0}}}) {
        TrainingRun run(Json{{"steps", 60}, {"data.batch_size", 8}, {"runtime.log_every", 20}});
        run.configure(variant);
        ASSERT_EQ(run.train(), 0) << run.output();
        const auto losses = run.metric("loss");
        EXPECT_LT(losses.at(60), 0.8 * losses.at(20)) << variant;
    }
}

TEST(Run, LearnsWithEveryObjectiveAndSampler) {
    const auto ofSmallPatches = [](Json changes) {
        changes.update(
            {{"model.patch_frames", 1}, {"model.patch_size", 2}, {"diffusion.prediction", "velocity"}});
        return changes;
    };
    const std::vector<Json> variants{
        {{"diffusion.objective", "edm"}, {"sampling.sampler", "heun"}},
        {{"diffusion.objective", "v_prediction"}, {"sampling.sampler", "unipc"}},
        ofSmallPatches({{"diffusion.objective", "edm"}, {"sampling.sampler", "dpmpp_2m"}}),
        ofSmallPatches(
            {{"diffusion.shift", 3.0}, {"diffusion.timesteps", "uniform"}, {"diffusion.stratified", true}})};
    for (const auto& variant : variants) {
        TrainingRun run(Json{{"steps", 60}, {"data.batch_size", 8}, {"runtime.log_every", 20}});
        run.configure(variant);
        ASSERT_EQ(run.train(), 0) << run.output();
        const auto losses = run.metric("loss");
        EXPECT_LT(losses.at(60), 0.9 * losses.at(20)) << variant;
        const auto clip = run.all<events::Clip>().at(0);
        const auto note = Json::parse(readFile((run.path() / clip.path).replace_extension(".json")));
        EXPECT_EQ(note.at("sampler"), variant.value("sampling.sampler", "euler"));
    }
}

TEST(Run, SplitsItsLossByNoise) {
    const TrainingRun run(
        Json{{"data.batch_size", 16}, {"runtime.log_every", 12}, {"diffusion.stratified", true}});
    ASSERT_EQ(run.train(), 0) << run.output();
    double sum = 0;
    for (int decile = 0; decile < 10; ++decile) {
        const auto means = run.metric("loss/decile_" + std::to_string(decile));
        ASSERT_EQ(means.size(), 1U) << decile;
        sum += means.at(12);
    }
    EXPECT_NEAR(sum / 10, run.metric("loss").at(12), 0.05 * sum / 10) << "nearly as many clips in each";
}

TEST(Run, MeasuresHeldOutClipsAtFixedNoise) {
    const Json settings{{"validation.every", 6}, {"validation.clips", 5}, {"validation.levels", 4}};
    TrainingRun run(settings), again(settings);
    ASSERT_EQ(run.train(), 0) << run.output();
    ASSERT_EQ(again.train(), 0) << again.output();
    EXPECT_EQ(run.metric("val/loss").size(), 2U) << "at steps 6 and 12";
    EXPECT_EQ(run.metric("val/loss"), again.metric("val/loss"));
    double sum = 0;
    for (const auto* share : {"0.125", "0.375", "0.625", "0.875"})
        sum += run.metric(std::string("val/loss_") + share).at(12);
    EXPECT_NEAR(run.metric("val/loss").at(12), sum / 4, 1e-5);
    EXPECT_GT(run.metric("val/clip_error").at(12), 0);
    EXPECT_LT(run.metric("val/loss").at(12), run.metric("val/loss").at(6));
}

TEST(Run, TrainsTheSameWhereBatchesAreMadeAheadAndGraphsAreWantedThatACpuLacks) {
    const Json settings{{"model.conditioning", "frames"}, {"optimizer.accumulate", 2}};
    TrainingRun plain(settings), ahead(settings);
    ahead.configure({{"runtime.prepare_ahead", true}, {"runtime.cuda_graphs", true}});
    ASSERT_EQ(plain.train(), 0) << plain.output();
    ASSERT_EQ(ahead.train(), 0) << ahead.output();
    EXPECT_EQ(ahead.metric("loss"), plain.metric("loss"));
    const auto weights = [](const TrainingRun& run) {
        return readFile(run.path() / "checkpoints/step-000000012/weights.safetensors");
    };
    EXPECT_EQ(weights(ahead), weights(plain));
    EXPECT_EQ(ahead.all<events::Start>().at(0).facts.at("cuda_graphs"), "off: the run computes on a CPU");
}

TEST(Run, RefusesABadConfigNamingTheKey) {
    TrainingRun run(Json{{"optimizer.lr", "fast"}});
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("optimizer.lr: found \"fast\""));
    EXPECT_EQ(std::ranges::count(run.output(), '\n'), 1);
    const auto end = run.all<events::End>();
    ASSERT_EQ(end.size(), 1U);
    EXPECT_EQ(end[0].status, "failed");
    EXPECT_THAT(end[0].reason, HasSubstr("optimizer.lr"));

    writeFileAtomically(run.path() / "config.json", "{\"steps\": 5,}");
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.output(), HasSubstr("config.json"));
}

TEST(Run, RefusesWordsThatItDoesNotKnow) {
    const TrainingRun run;
    const auto output = run.path() / "words.txt";
    for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                   {"fly"},
                                                                   {"train"},
                                                                   {"train", "--config"},
                                                                   {"train", "--fast", "1"},
                                                                   {"train", "--config", "/no/such/file"},
                                                                   {"inspect"},
                                                                   {"inspect", "/no/such/checkpoint"}})
        EXPECT_EQ(TrainerProcess(words, output).wait(), 2) << testing::PrintToString(words);
    EXPECT_THAT(readFile(output), Not(HasSubstr("frame #")));
}

TEST(Run, PrintsItsSchemaAndWhatACheckpointHolds) {
    const TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    ASSERT_EQ(TrainerProcess({"schema"}, run.path() / "schema.json").wait(), 0);
    EXPECT_FALSE(Json::parse(readFile(run.path() / "schema.json")).at("fields").empty());
    const auto checkpoint = (run.path() / "checkpoints/step-000000012").string();
    const auto output = run.path() / "inspected.json";
    ASSERT_EQ(TrainerProcess({"inspect", checkpoint, "--json"}, output).wait(), 0);
    const auto found = Json::parse(readFile(output));
    EXPECT_EQ(found.at("checkpoint").at("step"), 12);
    EXPECT_EQ(found.at("parts").front().at("family"), "dit");
    EXPECT_TRUE(found.at("parts").front().at("checked").get<bool>());
    ASSERT_EQ(TrainerProcess({"inspect", checkpoint}, output).wait(), 0);
    EXPECT_THAT(readFile(output), HasSubstr("missing      none"));
}

TEST(Run, ThatDivergesSkipsStepsAndThenFailsWithAdvice) {
    // a decay of 1 - lr·decay = -99 a step blows the weights up until they overflow
    const TrainingRun run(Json{{"steps", 200},
                               {"optimizer.lr", 10.0},
                               {"optimizer.weight_decay", 10.0},
                               {"optimizer.warmup_steps", 0}});
    EXPECT_EQ(run.train(), 1);
    const auto health = run.all<events::Health>();
    ASSERT_GE(health.size(), 10U);
    EXPECT_EQ(health.back().kind, "non_finite");
    EXPECT_THAT(health.back().text, HasSubstr("was skipped"));
    const auto end = run.all<events::End>();
    ASSERT_EQ(end.size(), 1U);
    EXPECT_EQ(end[0].status, "failed");
    EXPECT_THAT(end[0].reason,
                AllOf(HasSubstr("diverged at step"), HasSubstr("Lower optimizer.lr (now 10)")));
}

TEST(Run, ThatMeetsNonFiniteNumbersLeavesItsWeightsAlone) {
    TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto file = run.path() / "checkpoints/step-000000012/weights.safetensors";
    const auto weights = readSafetensors(file);
    weights["patch.bias"].fill_(std::numeric_limits<float>::quiet_NaN());
    writeSafetensors(file, weights, {{"format", "pt"}});  // as long as it was
    run.configure({{"steps", 15}});
    ASSERT_EQ(run.train(), 0) << run.output();
    ASSERT_EQ(run.all<events::Health>().size(), 3U);
    EXPECT_THAT(run.all<events::Health>()[0].text, HasSubstr("The weight patch.bias itself is not finite"));
    EXPECT_TRUE(std::isnan(run.metric("loss").at(15))) << "a skipped step has no loss to report";
    const auto after = readSafetensors(run.path() / "checkpoints/step-000000015/weights.safetensors");
    EXPECT_TRUE(at::equal(after["final.weight"], weights["final.weight"]));
}

TEST(Run, GoesOnWhenACheckpointDoesNotFitOnTheDisk) {
    TrainingRun run;
    ASSERT_EQ(run.train(), 0) << run.output();
    run.configure({{"steps", 30}, {"checkpoint.every", 5}});
    EXPECT_EQ(run.train({}, /*fileLimit=*/60'000), 0) << run.output();
    const auto health = run.all<events::Health>();
    ASSERT_FALSE(health.empty());
    EXPECT_EQ(health[0].kind, "checkpoint_not_written");
    EXPECT_THAT(health[0].text, HasSubstr("File too large"));
    EXPECT_EQ(run.all<events::End>().back().step, 30) << "training went on";

    EXPECT_FALSE(std::filesystem::exists(run.path() / "checkpoints/step-000000015"));
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Resume>().back().fromStep, 12) << "the earlier checkpoint is intact";
}

TEST(Run, GoesOnWhenClipsOrEventsCannotBeWritten) {
    const TrainingRun run;
    writeFileAtomically(run.path() / "clips", "a file where the folder should be");
    EXPECT_EQ(run.train(), 0) << run.output();
    ASSERT_EQ(run.all<events::Health>().size(), 6U);
    EXPECT_EQ(run.all<events::Health>()[0].kind, "clip_not_written");

    const TrainingRun mute(Json{{"steps", 40}});
    EXPECT_EQ(mute.train({}, /*fileLimit=*/1'000), 0) << "events.jsonl may not grow beyond a kilobyte";
    EXPECT_THAT(mute.output(), HasSubstr("Training goes on"));
}

TEST(Run, NamesTheVideosThatItLeavesOut) {
    TrainingRun run(Json{{"data.source", "folder"}, {"sampling.adherence_clips", 48}});
    std::filesystem::create_directories(run.path() / "videos");
    run.configure({{"data.folder", (run.path() / "videos").string()}});
    writeFileAtomically(run.path() / "videos/broken.mp4", "no video");
    EXPECT_EQ(run.train(), 2);
    EXPECT_THAT(run.all<events::End>().at(0).reason,
                AllOf(HasSubstr("data.folder"), HasSubstr("broken.mp4")));

    std::vector<video::Frame> frames;
    for (int t = 0; t < 12; ++t)
        frames.push_back({32, 32, std::vector<std::uint8_t>(32 * 32 * 3, static_cast<std::uint8_t>(10 * t))});
    video::writeClip(run.path() / "videos/a_grey_fade.mp4", frames, {});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto health = run.all<events::Health>();
    ASSERT_EQ(health.size(), 1U);
    EXPECT_EQ(health[0].kind, "bad_input");
    EXPECT_THAT(health[0].text, HasSubstr("broken.mp4"));
    EXPECT_EQ(run.all<events::Start>().back().facts.at("dataset_clips"), 6);
    ASSERT_EQ(run.all<events::Clip>().size(), 1U);
    EXPECT_EQ(run.all<events::Clip>()[0].prompt, "a grey fade");
    EXPECT_FALSE(run.all<events::Clip>()[0].adherence) << "footage cannot be read back";
}

}  // namespace
}  // namespace dailies::trainer
