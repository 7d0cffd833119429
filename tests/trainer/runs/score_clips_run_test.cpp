// `dailies-train score-clips` on a curated folder whose films are plain greys.
#include "core/base/files.h"
#include "core/curation/clip_scoring_job.h"
#include "core/curation/curated_folder.h"
#include "core/events/event_log.h"
#include "core/video/clip_file.h"
#include "tests/trainer/runs/trainer_process.h"
#include "tests/trainer/scoring/scorer_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <thread>

namespace dailies::trainer {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
namespace fs = std::filesystem;

constexpr int kSide = 64;

class ScoreClipsVerb : public testing::Test {
protected:
    ScoreClipsVerb() { fs::create_directories(set()); }

    /// A film of `frames` frames that is one clip: its upper half is black, and cropped away.
    std::string film(const std::string& name, std::uint8_t grey, const std::string& caption = {},
                     int frames = 6) {
        std::vector<std::uint8_t> pixels(std::size_t{3} * kSide * kSide, grey);
        std::fill(pixels.begin(), pixels.begin() + static_cast<std::ptrdiff_t>(pixels.size() / 2), 0);
        const auto file = folder.path() / (name + ".mp4");
        video::writeClip(
            file, std::vector<video::Frame>(static_cast<std::size_t>(frames), {kSide, kSide, pixels}), {});
        curation::ClipRecord clip;
        clip.id = name;
        clip.source = file.string();
        clip.lastFrame = frames - 1;
        clip.fps = 8;
        clip.end = frames / clip.fps;
        clip.width = clip.height = kSide;
        clip.crop = {0, kSide / 2, kSide, kSide / 2};
        clip.scores = {.motion = 1, .luma = 100, .contrast = 10, .sharpness = 50};
        clip.caption = caption;
        m_clips.push_back(std::move(clip));
        write();
        return file.string();
    }
    void write() {
        curation::CurationConfig config;
        config.verdict.min_seconds = config.verdict.min_frames = config.verdict.min_side = 0;
        curation::saveCurationConfig(set(), config);
        curation::writeClipList(set(), m_clips, config.verdict, {}, {}, {});
    }
    curation::VerdictRules rules() const { return curation::loadCurationConfig(set()).verdict; }

    void scorer(const std::vector<std::string>& methods) const { saveModule(module(), methods); }
    int score(std::vector<std::string> words = {}) const {
        words.insert(words.begin(),
                     {"score-clips", set().string(), "--scorer", module().string(), "--name", "grey"});
        return start(words).wait();
    }
    TrainerProcess start(const std::vector<std::string>& words) const {
        return {words, folder.path() / "output.txt", {{"OMP_NUM_THREADS", "1"}}};
    }
    std::string output() const { return readFile(folder.path() / "output.txt"); }

    /// By clip; those that have no such number are left out.
    std::map<std::string, double> scores(const std::string& key = "grey") const {
        std::map<std::string, double> found;
        for (const auto& clip : curation::loadCuratedFolder(set()).clips)
            if (const auto value = clip.scorerValues.find(key); value != clip.scorerValues.end())
                found[clip.id] = value->second;
        return found;
    }

    fs::path set() const { return folder.path() / "set"; }
    fs::path module() const { return folder.path() / "grey.pt"; }

    TemporaryFolder folder;

private:
    std::vector<curation::ClipRecord> m_clips;
};

TEST_F(ScoreClipsVerb, GivesEachKeptClipWithoutItsBarsToTheScorer) {
    scorer({kBrightness});
    film("dark", 50);
    film("bright", 200);
    film("dropped", 100);
    curation::saveChanges(set(),
                          {.rules = rules(), .corrections = {{"dropped", curation::Correction::Drop}}});
    ASSERT_EQ(score(), 0) << output();
    const auto found = scores();
    ASSERT_EQ(found.size(), 2u);
    EXPECT_NEAR(found.at("dark"), 50, 2);
    EXPECT_NEAR(found.at("bright"), 200, 2);
    EXPECT_THAT(output(),
                AllOf(HasSubstr("2 of 2 clips have a score; 2 scored now"), HasSubstr("  grey: median ")));

    // a rule drops by it, and what it drops is still scored
    auto strict = rules();
    strict.scores["grey"].min = 100;
    EXPECT_EQ(curation::saveChanges(set(), {.rules = strict}).summary.kept, 1);
    film("darker", 20);
    curation::saveChanges(set(), {.rules = strict});
    ASSERT_EQ(score(), 0) << output();
    EXPECT_NEAR(scores().at("darker"), 20, 2);
    EXPECT_EQ(rules().scores.at("grey").min, 100);
}

TEST_F(ScoreClipsVerb, AsksOnlyForWhatItDoesNotKnow) {
    scorer(
        {"def forward(self, frames, caption: str):\n"
         "    return {'letters': float(len(caption)), 'frames': float(frames.size(0))}\n"});
    film("a", 50, "a cat");
    film("b", 60, "two cats", 12);
    ASSERT_EQ(score({"--frames", "8"}), 0) << output();
    EXPECT_EQ(scores("grey/letters").at("b"), 8);
    EXPECT_EQ(scores("grey/frames").at("a"), 6);
    EXPECT_EQ(scores("grey/frames").at("b"), 8);
    ASSERT_EQ(score({"--frames", "8"}), 0);
    EXPECT_THAT(output(), HasSubstr("2 of 2 clips have a score; 0 scored now"));
    // another caption, another number of frames, another module
    curation::saveChanges(set(), {.rules = rules(), .captions = {{"a", "a tomcat"}}});
    ASSERT_EQ(score({"--frames", "8"}), 0);
    EXPECT_THAT(output(), HasSubstr("; 1 scored now"));
    EXPECT_EQ(scores("grey/letters").at("a"), 8);
    ASSERT_EQ(score({"--frames", "4"}), 0);
    EXPECT_THAT(output(), HasSubstr("; 2 scored now"));
    scorer({kBrightness});
    ASSERT_EQ(score({"--frames", "4"}), 0);
    EXPECT_THAT(output(), HasSubstr("; 2 scored now"));
    EXPECT_THAT(scores("grey/letters"), IsEmpty()) << "of the module that had the name before";
    EXPECT_NEAR(scores().at("a"), 50, 2);
}

TEST_F(ScoreClipsVerb, AClipThatCannotBeScoredFailsAloneAndIsTriedAgain) {
    scorer(
        {"def forward(self, frames):\n"
         "    assert frames.size(0) >= 4, 'wants 4 frames'\n"
         "    return frames.float().mean()\n"});
    film("good", 50);
    film("short", 60, {}, 2);
    const auto gone = film("gone", 70);
    fs::rename(gone, gone + ".away");
    ASSERT_EQ(score(), 0) << output();
    EXPECT_EQ(scores().size(), 1u);
    EXPECT_THAT(output(),
                AllOf(HasSubstr("short: The scorer failed: RuntimeError: AssertionError: wants 4 frames"),
                      HasSubstr("gone.mp4"), HasSubstr("1 of 3 clips have a score; 3 scored now"),
                      HasSubstr("failed: 2, the first: ")));
    fs::rename(gone + ".away", gone);
    ASSERT_EQ(score(), 0) << output();
    EXPECT_THAT(output(), HasSubstr("2 of 3 clips have a score; 2 scored now"));
    EXPECT_NEAR(scores().at("gone"), 70, 2);
}

TEST_F(ScoreClipsVerb, WhereTheFirstTwentyFailTheWorkFails) {
    scorer({"def forward(self, frames):\n    return frames.float().mean() * float('nan')\n"});
    for (int i = 0; i < 25; ++i) film("clip-" + std::to_string(i), 50, {}, 1);
    EXPECT_EQ(score({"--threads", "1"}), 1);
    EXPECT_THAT(output(),
                HasSubstr("The first 20 clips all failed, the last because of this: The scorer gave"));
}

TEST_F(ScoreClipsVerb, KilledAtAnyMomentItGoesOn) {
    scorer(
        {"def forward(self, frames):\n"
         "    x = torch.ones([400, 400])\n"
         "    for i in range(20):\n"
         "        x = torch.mm(x, x) / 400\n"
         "    return frames.float().mean() * x.mean()\n"});
    constexpr int kClips = 30;
    for (int i = 0; i < kClips; ++i) film("clip-" + std::to_string(i), 50, {}, 1);
    const auto answered = [&] { return static_cast<int>(curation::loadScorerAnswers(set()).size()); };
    {
        auto process =
            start({"score-clips", set().string(), "--scorer", module().string(), "--name", "grey"});
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (answered() < 3 && std::chrono::steady_clock::now() < end)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        process.signal(SIGKILL);
        EXPECT_EQ(process.wait(), 128 + SIGKILL);
    }
    const int before = answered();
    ASSERT_GE(before, 3);
    ASSERT_LT(before, kClips);
    EXPECT_THAT(scores(), IsEmpty()) << "the list is written at the end";
    ASSERT_EQ(score(), 0) << output();
    EXPECT_THAT(output(),
                HasSubstr("30 of 30 clips have a score; " + std::to_string(kClips - before) + " scored now"));
    EXPECT_EQ(scores().size(), static_cast<std::size_t>(kClips));
}

TEST_F(ScoreClipsVerb, TasksOfAJobShareTheClips) {
    scorer({kBrightness});
    constexpr int kClips = 40;
    for (int i = 0; i < kClips; ++i) film("clip-" + std::to_string(i), 50, {}, 1);
    std::vector<fs::path> runs;
    for (const char* name : {"one", "two"}) {
        runs.push_back(folder.path() / name);
        const curation::ClipScoringJob job{
            .folder = set().string(), .scorer = module().string(), .name = "grey", .sharedBy = "job7"};
        writeFileAtomically(runs.back() / "config.json", curation::toJson(job).dump());
    }
    {
        auto one = start({"score-clips", "--job", (runs[0] / "config.json").string()});
        TrainerProcess two({"score-clips", "--job", (runs[1] / "config.json").string()},
                           folder.path() / "second.txt", {{"OMP_NUM_THREADS", "1"}});
        EXPECT_EQ(one.wait(), 0) << output();
        EXPECT_EQ(two.wait(), 0) << readFile(folder.path() / "second.txt");
    }
    EXPECT_EQ(scores().size(), static_cast<std::size_t>(kClips));
    int lines = 0;
    for (const char c : readFile(set() / curation::kScoresFile)) lines += c == '\n';
    EXPECT_EQ(lines, kClips);
    for (const auto& entry : fs::directory_iterator(set() / curation::kScoreFolder))
        EXPECT_NE(entry.path().extension(), ".jsonl") << "all of it is in the one file";
    for (const auto& run : runs) {
        const auto events = events::parseChunk(readFile(run / "events.jsonl")).events;
        const auto& end = std::get<events::End>(events.back().payload);
        EXPECT_EQ(end.status, "finished");
        EXPECT_THAT(std::get<events::Message>(events[events.size() - 2].payload).text,
                    HasSubstr("40 of 40 clips have a score"));
    }
}

TEST_F(ScoreClipsVerb, FeaturesSayHowMuchAClipIsLikeABetterOne) {
    // a direction that turns with the brightness: 0 to 255 are a quarter of a turn
    scorer(
        {"def features(self, frames):\n"
         "    angle = frames.float().mean() / 255 * 1.5707963\n"
         "    return torch.stack([torch.cos(angle), torch.sin(angle)])\n"});
    film("dark", 20);
    film("longer", 30, {}, 12);  // of more pixels: what is like it is to go
    film("bright", 220);
    ASSERT_EQ(score(), 0) << output();
    const auto nearest = [&] { return scores("grey/nearest"); };
    const auto turn = [](double from, double to) { return std::cos((to - from) / 255 * 1.5707963); };
    EXPECT_FALSE(nearest().contains("longer")) << "there is none better";
    EXPECT_NEAR(nearest().at("dark"), turn(20, 30), 0.002);
    EXPECT_NEAR(nearest().at("bright"), turn(30, 220), 0.02);
    for (const auto& clip : curation::loadCuratedFolder(set()).clips)
        EXPECT_EQ(clip.nearestTo.contains("grey") ? clip.nearestTo.at("grey") : "none",
                  clip.id == "longer" ? "none" : "longer");
    auto rules = this->rules();
    rules.scores["grey/nearest"].max = 0.99;
    EXPECT_EQ(curation::saveChanges(set(), {.rules = rules}).summary.kept, 2);

    // known ones are not asked for again, and what comes later is compared with all
    film("twin", 221);
    curation::saveChanges(set(), {.rules = rules});
    ASSERT_EQ(score(), 0) << output();
    EXPECT_THAT(output(), HasSubstr("4 of 4 clips have a score; 1 scored now"));
    EXPECT_NEAR(nearest().at("twin"), 1, 0.001);
    EXPECT_NEAR(nearest().at("dark"), turn(20, 30), 0.002);

    // what was like a clip that is dropped now is like another one, and the best of the rest like none
    curation::saveChanges(set(), {.rules = rules, .corrections = {{"longer", curation::Correction::Drop}}});
    ASSERT_EQ(score(), 0) << output();
    EXPECT_FALSE(nearest().contains("bright")) << "the first of those with as many pixels";
    EXPECT_NEAR(nearest().at("dark"), turn(20, 220), 0.02);
    curation::saveChanges(set(), {.rules = rules, .corrections = {{"longer", curation::Correction::None}}});

    // features that are gone are made again
    fs::remove_all(set() / "features");
    ASSERT_EQ(score(), 0) << output();
    EXPECT_THAT(output(), HasSubstr("4 of 4 clips have a score; 4 scored now"));
}

TEST_F(ScoreClipsVerb, TasksThatShareCompareAllFeatures) {
    scorer({kBrightness, kColours});
    constexpr int kClips = 24;
    for (int i = 0; i < kClips; ++i)
        film("clip-" + std::to_string(i), static_cast<std::uint8_t>(10 * i), {}, 1);
    for (const char* name : {"one", "two"})
        writeFileAtomically(
            folder.path() / name / "config.json",
            curation::toJson(
                {.folder = set().string(), .scorer = module().string(), .name = "grey", .sharedBy = "job8"})
                .dump());
    {
        auto one = start({"score-clips", "--job", (folder.path() / "one/config.json").string()});
        TrainerProcess two({"score-clips", "--job", (folder.path() / "two/config.json").string()},
                           folder.path() / "second.txt", {{"OMP_NUM_THREADS", "1"}});
        EXPECT_EQ(one.wait(), 0) << output();
        EXPECT_EQ(two.wait(), 0) << readFile(folder.path() / "second.txt");
    }
    EXPECT_EQ(scores().size(), std::size_t{kClips});
    EXPECT_EQ(scores("grey/nearest").size(), std::size_t{kClips - 1});
}

TEST_F(ScoreClipsVerb, SaysWhatIsWrongWithWhatItIsGiven) {
    film("a", 50);
    EXPECT_EQ(score(), 2);
    EXPECT_THAT(output(), HasSubstr("grey.pt"));
    scorer({kBrightness});
    EXPECT_EQ(score({"--frames", "0"}), 2);
    EXPECT_THAT(output(), HasSubstr("frames: found 0, expected 1 to 4096."));
    EXPECT_EQ(score({"--name", "two words"}), 2);
    EXPECT_THAT(output(), HasSubstr("two words"));
    EXPECT_EQ(
        start({"score-clips", (folder.path() / "nowhere").string(), "--scorer", module().string()}).wait(),
        2);
    EXPECT_THAT(output(), AllOf(HasSubstr("There is no folder"), Not(HasSubstr("terminate"))));
}

}  // namespace
}  // namespace dailies::trainer
