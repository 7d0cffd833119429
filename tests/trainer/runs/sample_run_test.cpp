#include "core/events/event_log.h"
#include "core/video/clip_file.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/rank_processes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <thread>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
namespace fs = std::filesystem;

/// `dailies-train sample` on a run that was trained once for all tests.
class SampleVerb : public testing::Test {
protected:
    static const TrainingRun& trained() {
        static const TrainingRun run({{"data.frames", 4},
                                      {"sampling.prompts", {"red square left", "blue circle up"}},
                                      {"sampling.seed", 7},
                                      {"checkpoint.every", 6}});
        static const int status = run.train();
        EXPECT_EQ(status, 0) << run.output();
        return run;
    }
    static std::string checkpoint(int step) {
        return (trained().path() / ("checkpoints/step-00000000" + std::to_string(step))).string();
    }
    static std::string last() { return (trained().path() / "checkpoints/step-000000012").string(); }

    std::vector<std::string> inFolder(std::vector<std::string> words) const {
        words.insert(words.begin(), {"sample", "--run-dir", folder.path().string()});
        return words;
    }
    int sample(const std::vector<std::string>& words) const {
        return TrainerProcess(inFolder(words), folder.path() / "output.txt").wait();
    }
    std::string output() const { return readFile(folder.path() / "output.txt"); }

    std::vector<events::Event> events() const {
        return events::parseChunk(readFile(folder.path() / "events.jsonl")).events;
    }
    template <class Payload>
    std::vector<Payload> all() const {
        std::vector<Payload> found;
        for (const auto& event : events())
            if (const auto* payload = std::get_if<Payload>(&event.payload)) found.push_back(*payload);
        return found;
    }
    std::vector<std::string> files() const {
        std::vector<std::string> found;
        for (const auto& entry : fs::recursive_directory_iterator(folder.path() / "clips"))
            if (entry.path().extension() == ".mp4")
                found.push_back(entry.path().lexically_relative(folder.path() / "clips").generic_string());
        std::ranges::sort(found);
        return found;
    }

    TemporaryFolder folder;
};

TEST_F(SampleVerb, MakesTheClipsOfTrainingAgainBitForBit) {
    ASSERT_EQ(sample({"--checkpoint", last(), "--prompt", "red square left", "--prompt", "blue circle up",
                      "--seeds", "7"}),
              0)
        << output();
    const auto ofTraining = trained().all<events::Clip>();
    ASSERT_EQ(ofTraining.size(), 2u);
    for (const auto& clip : ofTraining)
        EXPECT_EQ(readFile(folder.path() / clip.path), readFile(trained().path() / clip.path)) << clip.path;
    EXPECT_EQ(all<events::End>().back().status, "finished");
    EXPECT_EQ(all<events::Start>().front().facts.at("clips"), 2);
    EXPECT_EQ(all<events::Metrics>().back().values.count("seconds_per_clip"), 1u);
    EXPECT_EQ(all<events::Metrics>().back().values.count("adherence"), 1u) << "shapes can be read back";
}

TEST_F(SampleVerb, MakesEveryPromptSeedCheckpointGuidanceAndStepCount) {
    writeFileAtomically(folder.path() / "prompts.txt", "# two\nred square left\na, b\na; b\n");
    ASSERT_EQ(sample({"--checkpoint", checkpoint(6), "--checkpoint", last(), "--prompts",
                      (folder.path() / "prompts.txt").string(), "--seeds", "0..1", "--guidance", "1,2.5",
                      "--steps", "1,2"}),
              0)
        << output();
    EXPECT_EQ(files().size(), 2u * 3 * 2 * 2 * 2);
    EXPECT_THAT(files(), testing::Contains("step-000000006/red-square-left-1-g2.5-s2.mp4"));
    EXPECT_THAT(files(), testing::Contains("step-000000012/a_-b-0-g1-s1_.mp4")) << "\"a, b\" is another clip";
    const auto clips = all<events::Clip>();
    EXPECT_EQ(clips.size(), files().size());
    for (const auto& clip : clips) {
        const auto note = Json::parse(readFile((folder.path() / clip.path).replace_extension(".json")));
        EXPECT_EQ(note.at("step"), clip.step);
        EXPECT_EQ(note.at("frames"), 4);
        const bool strong = clip.path.find("-g2.5") != std::string::npos;
        EXPECT_EQ(note.at("guidance"), strong ? 2.5 : 1.0) << clip.path;
    }
    EXPECT_THAT(all<events::Message>().front().text, HasSubstr("has the word")) << "\"a\" is unknown";
    const auto job = Json::parse(readFile(folder.path() / "config.json"));
    EXPECT_EQ(job.at("prompts").size(), 3u) << "the whole job stands in the run's config";
}

TEST_F(SampleVerb, GoesOnWithWhatIsMissing) {
    const std::vector<std::string> words = {"--checkpoint",    last(),    "--prompt",
                                            "red square left", "--seeds", "0..5"};
    ASSERT_EQ(sample(words), 0) << output();
    const auto before = all<events::Clip>();
    const auto kept = fs::last_write_time(folder.path() / before[0].path);
    const auto bytes = readFile(folder.path() / before[3].path);
    fs::remove(folder.path() / before[3].path);
    ASSERT_EQ(sample({"--config", (folder.path() / "config.json").string()}), 0) << output();
    EXPECT_EQ(readFile(folder.path() / before[3].path), bytes);
    EXPECT_EQ(fs::last_write_time(folder.path() / before[0].path), kept) << "what is there is left alone";
    const auto clips = all<events::Clip>();
    ASSERT_EQ(clips.size(), 7u) << "one more";
    EXPECT_EQ(clips.back().path, before[3].path);
    EXPECT_EQ(all<events::Resume>().front().fromStep, 12) << "nothing of the first attempt is void";
    EXPECT_EQ(events().back().attempt, 2);
}

TEST_F(SampleVerb, StopsWhenAskedAndTheNextAttemptFinishes) {
    const std::vector<std::string> words = {"--checkpoint", last(),    "--prompt", "red square left",
                                            "--seeds",      "0..2999", "--steps",  "20"};
    {
        TrainerProcess process(inFolder(words), folder.path() / "output.txt");
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
        while (!fs::exists(folder.path() / "clips") && std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        process.signal(SIGUSR1);
        EXPECT_EQ(process.wait(), 0);
    }
    EXPECT_EQ(all<events::End>().back().status, "stopped");
    const auto made = all<events::Clip>().size();
    EXPECT_GT(made, 0u);
    ASSERT_LT(made, 3000u);
    auto job = Json::parse(readFile(folder.path() / "config.json"));
    job["seeds"] = Json::array();
    for (std::size_t i = 0; i < made + 2; ++i) job["seeds"].push_back(i);
    writeFileAtomically(folder.path() / "config.json", job.dump());
    ASSERT_EQ(sample({"--config", (folder.path() / "config.json").string()}), 0) << output();
    EXPECT_EQ(all<events::Clip>().size(), made + 2);
    EXPECT_EQ(all<events::End>().back().status, "finished");
}

TEST_F(SampleVerb, MakesClipsLongerAndShorterThanTheModelLearned) {
    for (const char* blend : {"linear", "progressive", "uniform", "triangle"}) {
        const TemporaryFolder other;
        const auto words = std::vector<std::string>{"sample",
                                                    "--run-dir",
                                                    other.path().string(),
                                                    "--checkpoint",
                                                    last(),
                                                    "--prompt",
                                                    "red square left",
                                                    "--frames",
                                                    "13",
                                                    "--overlap",
                                                    "2",
                                                    "--blend",
                                                    blend};
        ASSERT_EQ(TrainerProcess(words, folder.path() / "output.txt").wait(), 0) << output();
        video::ClipReader reader(other.path() / "clips/step-000000012/red-square-left-1.mp4");
        EXPECT_EQ(reader.info().frames, 13) << blend;
        const auto note = Json::parse(readFile(other.path() / "clips/step-000000012/red-square-left-1.json"));
        EXPECT_EQ(note.at("blend"), blend);
        EXPECT_EQ(note.at("frames"), 13);
    }
    ASSERT_EQ(sample({"--checkpoint", last(), "--prompt", "red square left", "--frames", "3"}), 0);
    EXPECT_EQ(video::ClipReader(folder.path() / "clips/step-000000012/red-square-left-1.mp4").info().frames,
              3);
}

TEST_F(SampleVerb, BeginsClipsOfAnyLengthWithGivenFrames) {
    const TrainingRun run({{"model.conditioning", "frames"},
                           {"model.positions", "none"},
                           {"model.given_frames", 2},
                           {"data.frames", 4},
                           {"steps", 4}});
    ASSERT_EQ(run.train(), 0) << run.output();
    const auto given = (run.path() / "given.mp4").string();
    writeFileAtomically(given, videoBytes(40, 16, 16));  // its last frames have brightness 172 and 176
    for (const char* frames : {"4", "9"}) {
        const TemporaryFolder other;
        const std::vector<std::string> words = {"sample",
                                                "--run-dir",
                                                other.path().string(),
                                                "--checkpoint",
                                                (run.path() / "checkpoints/step-000000004").string(),
                                                "--prompt",
                                                "red square left",
                                                "--given",
                                                given,
                                                "--frames",
                                                frames};
        ASSERT_EQ(TrainerProcess(words, folder.path() / "output.txt").wait(), 0) << output();
        video::ClipReader reader(other.path() / "clips/step-000000004/red-square-left-1.mp4");
        const auto brightness = [&](int frame) {
            const auto picture = reader.frame(frame);
            return picture.rgb[picture.rgb.size() / 2];
        };
        EXPECT_NEAR(brightness(0), 172, 8);
        EXPECT_NEAR(brightness(1), 176, 8);
        EXPECT_LT(brightness(3), 150) << "four steps learn no more than a dark background";
        const auto note = Json::parse(readFile(other.path() / "clips/step-000000004/red-square-left-1.json"));
        EXPECT_EQ(note.at("given_frames"), 2);
    }
}

TEST_F(SampleVerb, OnSeveralRanksSharesEachClipAndSaysHowWell) {
    const std::vector<std::string> prompts = {"--checkpoint",    last(),     "--prompt",
                                              "red square left", "--prompt", "blue circle up",
                                              "--guidance",      "1,3"};
    for (const auto& length : {std::vector<std::string>{},
                               {"--frames", "9", "--overlap", "2"},
                               {"--frames", "9", "--blend", "progressive"},
                               {"--frames", "9", "--blend", "triangle"}}) {
        auto words = prompts;
        words.insert(words.end(), length.begin(), length.end());
        const TemporaryFolder alone, together;
        const auto into = [&](const TemporaryFolder& where) {
            auto all = words;
            all.insert(all.begin(), {"sample", "--run-dir", where.path().string()});
            return all;
        };
        ASSERT_EQ(TrainerProcess(into(alone), folder.path() / "output.txt").wait(), 0) << output();
        for (const auto& rank : startRanks(into(together), folder.path(), 2))
            ASSERT_EQ(rank->wait(), 0) << readFile(folder.path() / "output-0.txt");
        int clips = 0;
        for (const auto& entry : fs::recursive_directory_iterator(alone.path() / "clips")) {
            if (entry.path().extension() != ".mp4") continue;
            const auto same = together.path() / entry.path().lexically_relative(alone.path());
            ASSERT_TRUE(fs::exists(same)) << same;
            EXPECT_LE(furthestApart(entry.path(), same), 3) << same.filename();
            ++clips;
        }
        EXPECT_EQ(clips, 4);
        const auto events = events::parseChunk(readFile(together.path() / "events.jsonl")).events;
        const auto& start = std::get<events::Start>(events.at(0).payload);
        EXPECT_EQ(start.ranks, 2);
        const auto& said = std::get<events::Message>(events.at(1).payload).text;
        EXPECT_THAT(said, HasSubstr("2 ranks share each clip: a pass takes them "));
        const auto metrics = std::ranges::find_if(events, [](const events::Event& event) {
            return std::holds_alternative<events::Metrics>(event.payload);
        });
        ASSERT_NE(metrics, events.end());
        EXPECT_GT(std::get<events::Metrics>(metrics->payload).values.at("sharing_efficiency"), 0);
    }
}

TEST_F(SampleVerb, OnRanksThatCannotShareAClipSaysHowManyCould) {
    for (const auto& rank :
         startRanks(inFolder({"--checkpoint", last(), "--prompt", "red square left"}), folder.path(), 3))
        EXPECT_EQ(rank->wait(), 2);
    EXPECT_THAT(all<events::End>().at(0).reason, ::testing::AllOf(HasSubstr("3 ranks cannot share"),
                                                                  HasSubstr("divisor"), HasSubstr("2 or 4")));
}

TEST_F(SampleVerb, SaysWhatIsWrongAndMakesNothing) {
    const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
        {{"--checkpoint", last()}, "prompts: found none"},
        {{"--prompt", "x"}, "checkpoints: found none"},
        {{"--prompt", "x", "--fast"}, "unknown option \"--fast\""},
        {{"--prompt"}, "--prompt needs a value"},
        {{"--checkpoint", folder.path().string(), "--prompt", "x"}, "is not a complete checkpoint"},
        {{"--checkpoint", last(), "--prompt", "x", "--seeds", "one"}, "--seeds: found \"one\""},
        {{"--checkpoint", last(), "--prompt", "x", "--frames", "9", "--overlap", "3"},
         "expected from 1 to 2: half of the 4 frames"},
        {{"--checkpoint", last(), "--prompt", "x", "--given", "a.png"}, "never learned to go on from frames"},
        {{"--config", "nowhere.json", "--prompt", "x"}, "--config tells the whole job"},
        {{"--config", "nowhere.json"}, "there is no file nowhere.json"},
    };
    for (const auto& [words, message] : wrong) {
        EXPECT_EQ(sample(words), 2) << message;
        EXPECT_THAT(output(), HasSubstr(message));
        fs::remove(folder.path() / "output.txt");
    }
    EXPECT_FALSE(fs::exists(folder.path() / "clips"));
}

TEST_F(SampleVerb, EndsAsFailedWhenTheDiskTakesNoClip) {
    const auto words = inFolder({"--checkpoint", last(), "--prompt", "red square left"});
    fs::create_directories(folder.path() / "clips");
    writeFileAtomically(folder.path() / "clips/step-000000012", "a file where the folder should be");
    EXPECT_EQ(TrainerProcess(words, folder.path() / "output.txt").wait(), 1);
    EXPECT_EQ(all<events::End>().back().status, "failed");
    EXPECT_THAT(all<events::End>().back().reason, HasSubstr("1 of 1 clips were not written"));
    EXPECT_EQ(all<events::Health>().front().kind, "clip_not_written");
}

}  // namespace
}  // namespace dailies::trainer
