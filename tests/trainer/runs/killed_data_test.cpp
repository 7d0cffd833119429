#include "core/video/clip_file.h"
#include "tests/trainer/data/shards.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>

#include <csignal>
#include <thread>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

std::vector<fs::path> filesBelow(const fs::path& folder, const std::string& ending) {
    std::vector<fs::path> files;
    std::error_code missing;
    for (const auto& entry : fs::recursive_directory_iterator(folder, missing))
        if (entry.path().extension() == ending) files.push_back(entry.path());
    return files;
}

/// Waits until there are as many files; false when the process was done first, or it took too long.
bool waitForFiles(const fs::path& folder, const std::string& ending, std::size_t count) {
    const auto until = std::chrono::steady_clock::now() + 60s;
    while (filesBelow(folder, ending).size() < count) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

TrainerProcess startVerb(const TrainingRun& run, const std::string& verb, const fs::path& output) {
    return TrainerProcess({verb, "--config", (run.path() / "config.json").string()}, output);
}

/// Many small shards of videos, which take a second or two to index.
class KilledWhileIndexing : public testing::Test {
protected:
    static constexpr int kShards = 12, kVideos = 40;

    KilledWhileIndexing() {
        const auto video = videoBytes(8, 48, 48);
        for (int s = 0; s < kShards; ++s) {
            Members members;
            for (int v = 0; v < kVideos; ++v) {
                const auto key = std::to_string(s) + "-" + std::to_string(v);
                members.emplace_back(key + ".mp4", video);
                members.emplace_back(key + ".txt", "clip " + key);
            }
            writeFileAtomically(shards.path() / (std::to_string(s) + ".tar"), tarOf(members));
        }
    }
    Json settings() const {
        return {{"data.source", "webdataset"},
                {"data.shards", {shards.path().string()}},
                {"data.frames", 4},
                {"steps", 3}};
    }

    TemporaryFolder shards;
};

TEST_F(KilledWhileIndexing, ARunGoesOnWithTheShardsThatAreIndexedAndMissesNone) {
    const TrainingRun whole(settings());
    ASSERT_EQ(whole.train(), 0) << whole.output();
    const TrainingRun killed(settings());
    const auto index = killed.path() / "cache" / "shards";
    std::map<fs::path, fs::file_time_type> kept;
    for (const std::size_t shardsIndexed : {1U, 5U, 9U}) {
        const auto process = startVerb(killed, "data", killed.path() / "output.txt");
        ASSERT_TRUE(waitForFiles(index, ".json", shardsIndexed));
        process.signal(SIGKILL);
    }
    for (const auto& file : filesBelow(index, ".json")) kept[file] = fs::last_write_time(file);
    EXPECT_GE(kept.size(), 9U);
    EXPECT_LT(kept.size(), std::size_t{kShards}) << "the last kill came before the end";
    ASSERT_EQ(killed.train(), 0) << killed.output();
    for (const auto& [file, time] : kept)
        EXPECT_EQ(fs::last_write_time(file), time) << file << " was indexed again";
    EXPECT_EQ(filesBelow(index, ".json").size(), std::size_t{kShards});
    EXPECT_EQ(killed.metric("loss"), whole.metric("loss"));
    EXPECT_EQ(killed.all<events::Start>()[0].facts.at("dataset"),
              whole.all<events::Start>()[0].facts.at("dataset"));
}

/// A VAE that knows nothing yet, which encodes as long as any, and footage for several seconds of it.
class KilledWhileCaching : public testing::Test {
protected:
    static constexpr int kClips = 96;

    KilledWhileCaching() : vae(settings({{"steps", 2}, {"data.source", "shapes"}})) {
        std::vector<video::Frame> frames;
        for (int t = 0; t < 5 * kClips; ++t)
            frames.push_back({32, 32,
                              std::vector<std::uint8_t>(std::size_t{32} * 32 * 3,
                                                        static_cast<std::uint8_t>(20 + t % 200))});
        video::writeClip(videos.path() / "long.mp4", frames, {.fps = 8});
    }

    Json settings(const Json& changes) const {
        Json all = {{"tokenizer.kind", "vae"},
                    {"tokenizer.space_factor", 4},
                    {"tokenizer.channels", 4},
                    {"tokenizer.width", 16},
                    {"tokenizer.blocks", 2},
                    {"data.frames", 5},
                    {"data.height", 32},
                    {"data.width", 32},
                    {"data.batch_size", 2},
                    {"model.patch_frames", 1},
                    {"model.patch_size", 2},
                    {"data.source", "folder"},
                    {"data.folder", videos.path().string()}};
        all.update(changes);
        return all;
    }

    TemporaryFolder videos;
    TrainingRun vae;
};

TEST_F(KilledWhileCaching, LatentsThatAreWrittenStayAndTheRestFollows) {
    ASSERT_EQ(startVerb(vae, "train-vae", vae.path() / "output.txt").wait(), 0) << vae.output();
    const Json checkpoint = {
        {"tokenizer.checkpoint", (vae.path() / vae.all<events::Checkpoint>().back().path).string()}};
    const TrainingRun whole(settings(checkpoint)), killed(settings(checkpoint));
    ASSERT_EQ(startVerb(whole, "cache", whole.path() / "output.txt").wait(), 0) << whole.output();
    const auto latents = killed.path() / "cache" / "latents";
    for (const std::size_t files : {1U, 2U}) {
        const auto process = startVerb(killed, "cache", killed.path() / "output.txt");
        ASSERT_TRUE(waitForFiles(latents, ".safetensors", files));
        process.signal(SIGKILL);
    }
    const auto before = filesBelow(latents, ".safetensors").size();
    ASSERT_EQ(startVerb(killed, "cache", killed.path() / "output.txt").wait(), 0) << killed.output();
    EXPECT_GT(filesBelow(latents, ".safetensors").size(), before) << "the last kill came before the end";
    EXPECT_THAT(killed.output(), testing::HasSubstr("96 of 96 clips"));
    EXPECT_THAT(killed.output(), testing::Not(testing::HasSubstr(": 96 encoded")))
        << "none was encoded twice";

    const auto again = killed.path() / "again.txt";
    ASSERT_EQ(startVerb(killed, "cache", again).wait(), 0);
    EXPECT_THAT(readFile(again), testing::HasSubstr("96 of 96 clips: 0 encoded, 96 were there"));
    ASSERT_EQ(whole.train(), 0) << whole.output();
    ASSERT_EQ(killed.train(), 0) << killed.output();
    EXPECT_EQ(killed.metric("loss"), whole.metric("loss")) << "the latents are those of an undisturbed run";
}

}  // namespace
}  // namespace dailies::trainer
