#include "core/events/event_log.h"
#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"
#include "tests/trainer/scoring/scorer_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace dailies::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace fs = std::filesystem;

/// Threads that wait for each other on a busy machine would take most of a test's time.
const TrainerProcess::Variables kOneThread = {{"OMP_NUM_THREADS", "1"}};

/// `dailies-train score` on a run directory with clips of plain greys.
class ScoreVerb : public testing::Test {
protected:
    ScoreVerb() { fs::create_directories(run()); }

    /// A clip of `frames` frames, told of in the run's log.
    void clip(std::int64_t step, const std::string& name, std::uint8_t grey, int frames = 4) {
        const auto path = "clips/step-" + std::to_string(step) + "/" + name + ".mp4";
        const std::vector<std::uint8_t> pixels(std::size_t{3} * 64 * 64, grey);
        fs::create_directories((run() / path).parent_path());
        video::writeClip(run() / path,
                         std::vector<video::Frame>(static_cast<std::size_t>(frames), {64, 64, pixels}), {});
        log(events::Clip{step, name, 1, path, frames, 64, 64, 8, {}});
    }
    void log(events::Payload payload) {
        if (!m_log) m_log.emplace(run() / "events.jsonl");
        m_log->append(std::move(payload));
    }
    void beginAttempt() { m_log.reset(); }

    void scorer(const std::vector<std::string>& methods) const { saveModule(module(), methods); }
    int score(std::vector<std::string> words = {}) const {
        words.insert(words.begin(), {"score", "--run-dir", job().string(), "--scorer", module().string(),
                                     "--run", run().string(), "--name", "grey"});
        return TrainerProcess(words, folder.path() / "output.txt", kOneThread).wait();
    }
    std::string output() const { return readFile(folder.path() / "output.txt"); }

    template <class Payload>
    std::vector<Payload> all() const {
        std::vector<Payload> found;
        for (const auto& event : events::parseChunk(readFile(job() / "events.jsonl")).events)
            if (const auto* payload = std::get_if<Payload>(&event.payload)) found.push_back(*payload);
        return found;
    }
    std::map<std::string, double> scores(const std::string& metric = "score/grey") const {
        std::map<std::string, double> found;
        for (const auto& score : all<events::Score>())
            if (score.values.contains(metric))
                found[std::to_string(score.step) + " " + score.path] = score.values.at(metric);
        return found;
    }
    static std::string place(int step, const std::string& name) {
        return std::to_string(step) + " clips/step-" + std::to_string(step) + "/" + name + ".mp4";
    }

    fs::path run() const { return folder.path() / "0123456789abcdef0123456789abcdef"; }
    fs::path job() const { return folder.path() / "job"; }
    fs::path module() const { return folder.path() / "scorer.pt"; }

    TemporaryFolder folder;

private:
    std::optional<events::EventLogWriter> m_log;
};

TEST_F(ScoreVerb, GivesEveryClipOfTheRunItsScore) {
    scorer({kBrightness});
    clip(100, "cat", 50);
    clip(100, "dog", 100);
    clip(200, "cat", 150);
    ASSERT_EQ(score(), 0) << output();
    const auto found = scores();
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_NEAR(found.at(place(100, "cat")), 50, 2);
    EXPECT_NEAR(found.at(place(100, "dog")), 100, 2);
    EXPECT_NEAR(found.at(place(200, "cat")), 150, 2);
    EXPECT_EQ(all<events::Score>()[0].run, run().filename().string());
    EXPECT_EQ(all<events::Score>()[0].scorer, "grey");
    EXPECT_EQ(all<events::End>().back().status, "finished");
    EXPECT_EQ(all<events::Start>().back().facts.at("clips"), 3);
}

TEST_F(ScoreVerb, TellsTheScorerWhatTheClipShouldShow) {
    scorer(
        {"def forward(self, frames, caption: str):\n"
         "    return {'letters': float(len(caption)), 'frames': float(frames.size(0))}\n"});
    clip(100, "a cat", 50, 6);
    ASSERT_EQ(score(), 0) << output();
    EXPECT_EQ(scores("score/grey/letters").at(place(100, "a cat")), 5);
    EXPECT_EQ(scores("score/grey/frames").at(place(100, "a cat")), 6);
}

TEST_F(ScoreVerb, SaysOfEachClipWhyItHasNoScoreAndGoesOn) {
    scorer(
        {"def forward(self, frames):\n"
         "    assert frames.size(0) >= 4, 'wants 4 frames'\n"
         "    return frames.float().mean()\n"});
    clip(100, "short", 50, 2);
    clip(100, "whole", 100);
    clip(200, "gone", 100);
    clip(200, "torn", 100);
    fs::remove(run() / "clips/step-200/gone.mp4");
    writeFileAtomically(run() / "clips/step-200/torn.mp4", "no video");
    ASSERT_EQ(score(), 0) << output();
    EXPECT_THAT(scores(), SizeIs(1));
    std::map<std::string, std::string> problems;
    for (const auto& score : all<events::Score>()) problems[score.path] = score.problem;
    EXPECT_THAT(problems.at("clips/step-100/short.mp4"), HasSubstr("wants 4 frames"));
    EXPECT_THAT(problems.at("clips/step-100/whole.mp4"), IsEmpty());
    EXPECT_THAT(problems.at("clips/step-200/gone.mp4"), HasSubstr("gone.mp4"));
    EXPECT_THAT(problems.at("clips/step-200/torn.mp4"), HasSubstr("torn.mp4"));
    EXPECT_THAT(all<events::Message>().back().text, HasSubstr("3 of 4 clips could not be scored."));
}

TEST_F(ScoreVerb, FailsWhereNoClipCanBeScored) {
    scorer({"def forward(self, frames):\n    return frames.float().mean() * float('nan')\n"});
    clip(100, "cat", 50);
    EXPECT_EQ(score(), 1);
    EXPECT_EQ(all<events::End>().back().status, "failed");
    EXPECT_THAT(all<events::End>().back().reason, HasSubstr("The scorer gave NaN."));
}

TEST_F(ScoreVerb, AsksTheScorerOnceOfEachContent) {
    scorer({kBrightness});
    clip(100, "cat", 50);
    clip(100, "dog", 100);
    const auto cache = (folder.path() / "answers").string();
    ASSERT_EQ(score({"--cache", cache}), 0) << output();
    EXPECT_THAT(output(), HasSubstr("asked 2 times"));
    clip(200, "cat", 150);
    const auto before = scores();
    fs::remove_all(job());
    ASSERT_EQ(score({"--cache", cache}), 0) << output();
    EXPECT_THAT(output(), HasSubstr("asked 1 times"));
    EXPECT_EQ(scores().at(place(100, "dog")), before.at(place(100, "dog")));
    EXPECT_THAT(scores(), SizeIs(3)) << "what was known is told again";
    scorer({"def forward(self, frames):\n    return 255 - frames.float().mean()\n"});
    fs::remove_all(job());
    ASSERT_EQ(score({"--cache", cache}), 0) << output();
    EXPECT_NEAR(scores().at(place(100, "cat")), 205, 2) << "another scorer of the same name is asked";
}

TEST_F(ScoreVerb, ScoresTheStepsThatAreAskedForAndNoClipThatAResumptionRetracted) {
    scorer({kBrightness});
    clip(100, "cat", 50);
    clip(200, "cat", 100);
    clip(300, "cat", 150);
    ASSERT_EQ(score({"--steps", "100,300"}), 0) << output();
    EXPECT_THAT(scores(), SizeIs(2));
    beginAttempt();
    log(events::Resume{100});
    clip(200, "dog", 150);
    fs::remove_all(job());
    ASSERT_EQ(score(), 0) << output();
    const auto found = scores();
    EXPECT_THAT(found, SizeIs(2));
    EXPECT_TRUE(found.contains(place(200, "dog"))) << "the later attempt made this one";
}

TEST_F(ScoreVerb, MeasuresTheDistanceOfEachStepToTheReference) {
    scorer({kBrightness, kColours});
    const auto reference = folder.path() / "reference";
    fs::create_directories(reference);
    for (int i = 0; i < 3; ++i) {
        clip(100, "near " + std::to_string(i), static_cast<std::uint8_t>(100 + 10 * i));
        clip(200, "far " + std::to_string(i), static_cast<std::uint8_t>(130 + 10 * i));
        fs::copy(run() / ("clips/step-100/near " + std::to_string(i) + ".mp4"), reference);
    }
    writeFileAtomically(reference / "torn.mp4", "no video");
    clip(300, "alone", 100);
    ASSERT_EQ(score({"--reference", reference.string()}), 0) << output();
    const auto distances = scores("score/grey/frechet");
    ASSERT_THAT(distances, SizeIs(2));
    EXPECT_NEAR(distances.at("100 "), 0, 1e-6);
    EXPECT_NEAR(distances.at("200 "), 3 * 30 * 30, 200) << "30 brighter in each of three colours";
    EXPECT_THAT(all<events::Score>().back().problem, HasSubstr("at least two")) << "one clip has no spread";
    EXPECT_THAT(all<events::Message>().front().text, HasSubstr("torn.mp4 was left out"));
    EXPECT_THAT(scores(), SizeIs(7)) << "brightness beside it";
}

TEST_F(ScoreVerb, StopsWhenAskedAndTheNextAttemptGoesOn) {
    scorer(
        {"def forward(self, frames):\n"
         "    x = frames.float()\n"
         "    for i in range(1000):\n"
         "        x = x * 1.0001\n"
         "    return x.mean()\n"});
    for (int i = 0; i < 30; ++i)
        clip(100, "clip " + std::to_string(i), static_cast<std::uint8_t>(50 + 3 * i));
    const std::vector<std::string> words = {"score",        "--run-dir",       job().string(),
                                            "--scorer",     module().string(), "--run",
                                            run().string(), "--name",          "grey"};
    {
        TrainerProcess process(words, folder.path() / "output.txt", kOneThread);
        const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while ((!fs::exists(job() / "events.jsonl") || all<events::Score>().empty()) &&
               std::chrono::steady_clock::now() < until)
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        process.signal(SIGUSR1);
        EXPECT_EQ(process.wait(), 0) << output();
    }
    EXPECT_EQ(all<events::End>().back().status, "stopped");
    const auto first = all<events::Score>().size();
    ASSERT_LT(first, 30u);
    ASSERT_EQ(TrainerProcess({"score", "--config", (job() / "config.json").string()},
                             folder.path() / "output.txt", kOneThread)
                  .wait(),
              0)
        << output();
    EXPECT_THAT(output(), HasSubstr("asked " + std::to_string(30 - first) + " times"))
        << "what the first attempt asked is known";
    EXPECT_THAT(scores(), SizeIs(30));
}

TEST_F(ScoreVerb, SaysWhatIsWrongAndScoresNothing) {
    scorer({kBrightness});
    EXPECT_EQ(score(), 2);
    EXPECT_THAT(output(), HasSubstr("it has no events.jsonl"));
    log(events::Message{"info", "nothing yet"});
    EXPECT_EQ(score(), 2);
    EXPECT_THAT(output(), HasSubstr("found no clip in"));
    clip(100, "cat", 50);
    EXPECT_EQ(score({"--steps", "7"}), 2);
    EXPECT_THAT(output(), HasSubstr("steps: found none"));
    EXPECT_EQ(score({"--reference", folder.path().string()}), 2);
    EXPECT_THAT(output(), HasSubstr("the scorer has no method features"));
    scorer({kColours});
    EXPECT_EQ(score(), 2);
    EXPECT_THAT(output(), HasSubstr("the scorer gives features only"));
    EXPECT_EQ(score({"--reference", "/nowhere"}), 2);
    EXPECT_THAT(output(), HasSubstr("expected a folder of videos"));
    writeFileAtomically(module(), "weights");
    EXPECT_EQ(score(), 2);
    EXPECT_THAT(output(), HasSubstr("is no TorchScript module"));
    EXPECT_EQ(score({"--fast", "1"}), 2);
    EXPECT_THAT(output(), HasSubstr("unknown option \"--fast\""));
    EXPECT_EQ(all<events::End>().back().status, "failed") << "a job's log says why";
}

}  // namespace
}  // namespace dailies::trainer
