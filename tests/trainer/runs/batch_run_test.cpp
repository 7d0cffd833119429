#include "core/events/event_log.h"
#include "core/video/clip_file.h"
#include "tests/trainer/runs/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;
namespace fs = std::filesystem;

constexpr int kVideos = 12;

/// `dailies-train batch` on a run that trains on a folder of videos, each of one grey that its caption names.
class BatchVerb : public testing::Test {
protected:
    BatchVerb() : run(configFor(m_folder.path())) {
        for (int i = 0; i < kVideos; ++i) {
            const std::vector<std::uint8_t> pixels(std::size_t{3} * 16 * 16,
                                                   static_cast<std::uint8_t>(greyOf(i)));
            const auto name = "grey " + std::to_string(greyOf(i));
            video::writeClip(m_folder.path() / (name + ".mp4"),
                             std::vector<video::Frame>(4, {16, 16, pixels}), {});
        }
    }
    static int greyOf(int video) { return 10 + 20 * video; }
    static Json configFor(const fs::path& folder) {
        return {{"steps", 6},           {"data.source", "folder"},     {"data.folder", folder.string()},
                {"data.frames", 4},     {"data.height", 16},           {"data.width", 16},
                {"data.batch_size", 4}, {"diffusion.caption_drop", 0}, {"sampling.guidance", 1}};
    }

    int show(std::vector<std::string> words) {
        m_job.emplace("dailies-batch");
        words.insert(words.begin(),
                     {"batch", "--run-dir", m_job->path().string(), "--run", run.path().string()});
        return TrainerProcess(words, m_folder.path() / "output.txt").wait();
    }
    const fs::path& jobPath() const { return m_job->path(); }
    std::string output() const { return readFile(m_folder.path() / "output.txt"); }
    std::vector<events::Clip> clips() const { return all<events::Clip>(); }
    std::vector<std::string> messages() const {
        std::vector<std::string> texts;
        for (const auto& message : all<events::Message>()) texts.push_back(message.text);
        return texts;
    }
    /// The mean of all pixels of a clip of the job.
    double mean(const std::string& path) const {
        video::ClipReader reader(jobPath() / path);
        double sum = 0, count = 0;
        for (int n = 0; n < reader.info().frames; ++n) {
            const auto rgb = reader.frame(n).rgb;
            sum = std::accumulate(rgb.begin(), rgb.end(), sum);
            count += static_cast<double>(rgb.size());
        }
        return sum / count;
    }

    const TemporaryFolder m_folder{"dailies-greys"};
    TrainingRun run;

private:
    template <class Payload>
    std::vector<Payload> all() const {
        std::vector<Payload> found;
        for (const auto& event : events::parseChunk(readFile(m_job->path() / "events.jsonl")).events)
            if (const auto* payload = std::get_if<Payload>(&event.payload)) found.push_back(*payload);
        return found;
    }

    std::optional<TemporaryFolder> m_job;
};

std::multiset<std::string> promptsOf(const std::vector<events::Clip>& clips) {
    std::multiset<std::string> prompts;
    for (const auto& clip : clips) prompts.insert(clip.prompt);
    return prompts;
}

TEST_F(BatchVerb, ShowsTheClipsOfAStepDecodedBackWithCaptionOriginAndNoise) {
    ASSERT_EQ(show({"--steps", "2"}), 0) << output();
    ASSERT_THAT(clips(), SizeIs(4));
    for (const auto& clip : clips()) {
        EXPECT_NEAR(mean(clip.path), std::stod(clip.prompt.substr(5)), 2) << clip.prompt;
        ASSERT_TRUE(clip.inputs.contains("noised"));
        EXPECT_EQ(video::ClipReader(jobPath() / clip.inputs.at("noised")).info().frames, 4);
        EXPECT_THAT(messages(), testing::Contains(AllOf(HasSubstr("place " + std::to_string(clip.seed) +
                                                                  ": " + clip.prompt + ".mp4, frames 0–3; "),
                                                        HasSubstr(" % noise; \"" + clip.prompt + "\""))));
    }
}

TEST_F(BatchVerb, AnEpochHoldsEveryClipOnceAndRanksDivideIt) {
    ASSERT_EQ(show({"--steps", "1,2,3"}), 0) << output();
    const auto epoch = clips();
    ASSERT_THAT(epoch, SizeIs(kVideos));
    const auto prompts = promptsOf(epoch);
    EXPECT_EQ(std::set<std::string>(prompts.begin(), prompts.end()).size(), 12U);
    std::multiset<std::string> ofRanks;
    std::set<std::int64_t> places;
    for (const auto* rank : {"0", "1"}) {
        ASSERT_EQ(show({"--steps", "2", "--rank", rank, "--ranks", "2"}), 0) << output();
        ASSERT_THAT(clips(), SizeIs(2));
        for (const auto& clip : clips()) {
            ofRanks.insert(clip.prompt);
            EXPECT_TRUE(places.insert(clip.seed).second) << "each place is one rank's";
        }
    }
    std::vector<events::Clip> second;
    std::ranges::copy_if(epoch, std::back_inserter(second), [](const auto& clip) { return clip.step == 2; });
    EXPECT_EQ(ofRanks, promptsOf(second));
}

TEST_F(BatchVerb, GoesByThePositionOfTheRunsCheckpoint) {
    run.configure({{"steps", 2}});
    ASSERT_EQ(run.train(), 0) << run.output();  // eight of twelve clips
    run.configure({{"steps", 6}, {"data.batch_size", 2}});
    ASSERT_EQ(show({"--steps", "1,2"}), 0) << output();
    const auto before = promptsOf(clips());
    EXPECT_EQ(before.size(), 8U) << "as they were trained";
    ASSERT_EQ(show({"--steps", "3,4"}), 0) << output();
    auto epoch = promptsOf(clips());
    EXPECT_EQ(epoch.size(), 4U) << "the batch is smaller from here on";
    epoch.insert(before.begin(), before.end());
    EXPECT_EQ(std::set<std::string>(epoch.begin(), epoch.end()).size(), 12U) << "none twice";
}

TEST_F(BatchVerb, ShowsAtMostSoManyAndSaysSo) {
    ASSERT_EQ(show({"--steps", "1", "--clips", "3"}), 0) << output();
    EXPECT_THAT(clips(), SizeIs(3));
    EXPECT_THAT(messages().front(), HasSubstr("takes 4 of 4 clips; the first 3 are shown"));
}

TEST_F(BatchVerb, ShowsPriorClipsAmongThoseOfTheRun) {
    const TemporaryFolder prior("dailies-prior");
    for (const int grey : {5, 250}) {
        const std::vector<std::uint8_t> pixels(std::size_t{3} * 16 * 16, static_cast<std::uint8_t>(grey));
        video::writeClip(prior.path() / ("prior " + std::to_string(grey) + ".mp4"),
                         std::vector<video::Frame>(4, {16, 16, pixels}), {});
    }
    writeFileAtomically(prior.path() / "broken.mp4", "no video");
    run.configure({{"data.prior_folder", prior.path().string()}});
    ASSERT_EQ(run.train(), 0) << run.output();
    EXPECT_EQ(run.all<events::Start>().back().facts.at("dataset").at("clips_per_epoch"), 2 * kVideos);
    EXPECT_THAT(run.all<events::Health>().at(0).text, HasSubstr("broken.mp4"));

    ASSERT_EQ(show({"--steps", "1,2,3,4,5,6"}), 0) << output();
    std::map<std::string, int> shown;
    for (const auto& prompt : promptsOf(clips())) ++shown[prompt];
    EXPECT_EQ(shown["prior 5"], kVideos / 2);
    EXPECT_EQ(shown["prior 250"], kVideos / 2);
    for (int i = 0; i < kVideos; ++i) EXPECT_EQ(shown["grey " + std::to_string(greyOf(i))], 1) << i;

    TrainingRun wrong(configFor(m_folder.path()));
    wrong.configure({{"data.prior_folder", (prior.path() / "none").string()}});
    EXPECT_EQ(wrong.train(), 2);
    EXPECT_THAT(wrong.output(), HasSubstr("data.prior_folder: cannot read"));
}

TEST_F(BatchVerb, RefusesWhatTheRunDoesNotHave) {
    EXPECT_EQ(show({"--steps", "7"}), 2);
    EXPECT_THAT(output(), HasSubstr("steps: found 7, expected at most the 6 of the run"));
    EXPECT_EQ(show({"--steps", "1", "--rank", "2", "--ranks", "2"}), 2);
    EXPECT_THAT(output(), HasSubstr("rank: found 2, expected 0 to 1"));
    EXPECT_EQ(show({"--steps", "1", "--ranks", "3"}), 2);
    EXPECT_THAT(output(), HasSubstr("data.batch_size: found 4 for 3 ranks"));
    EXPECT_EQ(show({}), 2);
    EXPECT_THAT(output(), HasSubstr("steps: found none"));
    fs::remove(run.path() / "config.json");
    EXPECT_EQ(show({"--steps", "1"}), 2);
    EXPECT_THAT(output(), HasSubstr("found no config.json"));
}

TEST(BatchVerbOfCharacters, ShowsReferenceAndPosesBesideTheClip) {
    const TrainingRun run({{"model.family", "animate"},
                           {"model.width", 16},
                           {"model.heads", 2},
                           {"model.depth", 1},
                           {"model.patch_frames", 1},
                           {"model.patch_size", 4},
                           {"data.source", "figures"},
                           {"data.frames", 4},
                           {"data.height", 32},
                           {"data.width", 32},
                           {"data.batch_size", 2},
                           {"diffusion.objective", "v_prediction"}});
    const TemporaryFolder job("dailies-batch");
    const auto output = job.path() / "output.txt";
    ASSERT_EQ(
        TrainerProcess(
            {"batch", "--run-dir", job.path().string(), "--run", run.path().string(), "--steps", "1"}, output)
            .wait(),
        0)
        << readFile(output);
    int clips = 0;
    for (const auto& event : events::parseChunk(readFile(job.path() / "events.jsonl")).events)
        if (const auto* clip = std::get_if<events::Clip>(&event.payload)) {
            ++clips;
            for (const auto* input : {"noised", "reference", "poses"})
                EXPECT_TRUE(clip->inputs.contains(input) && fs::exists(job.path() / clip->inputs.at(input)))
                    << input;
        }
    EXPECT_EQ(clips, 2);
}

}  // namespace
}  // namespace dailies::trainer
