#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "tests/support/dailies_program.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <memory>
#include <thread>

// The whole product as its user meets it: the real program, a real Slurm and sshd, the real trainer built on
// that cluster.

namespace {

using namespace dailies;
using testing::HasSubstr;

class MainJob : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_home = std::make_unique<TemporaryFolder>("dailies-e2e");
        s_dailies = std::make_unique<test::DailiesProgram>(s_home->path());
        const auto up = s_dailies->run({"sandbox", "up"});
        ASSERT_EQ(up.status, 0) << up.err;
        s_launch = s_dailies->run({"launch", DAILIES_SOURCE_FOLDER "/resources/presets/shapes-quick.yaml",
                                   "--cluster", "sandbox", "--wait", "--format", "json"});
    }

    static void TearDownTestSuite() {
        s_dailies->run({"sandbox", "down", "--yes"});
        s_dailies.reset();
        s_home.reset();
    }

    static tracking::Store store() {
        return tracking::Store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    }

    /// The runs of the sweep that the suite launched, in the order of its learning rates.
    static std::vector<std::string> runIds() {
        std::vector<std::string> ids;
        for (const auto& run : parseJson(s_launch.out, "launch")) ids.push_back(run.at("run_id"));
        return ids;
    }

    /// Launches one run of `steps` steps and returns its id without waiting.
    static std::string launchOne(const std::string& name, int steps, const std::string& extra = {}) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(
            file, "name: " + name + "\nexperiment: " + name +
                      "\nmethod: grid\nparameters: {optimizer.lr: {values: [0.01]}}\nconfig: {steps: " +
                      std::to_string(steps) +
                      ", sampling.every: 1000000, sampling.adherence_clips: 4, checkpoint.every: 20, "
                      "runtime.log_every: 5}\n" +
                      extra);
        const auto answer =
            s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--format", "json"});
        EXPECT_EQ(answer.status, 0) << answer.err;
        return parseJson(answer.out, "launch").at(0).at("run_id").get<std::string>();
    }

    static tracking::Run settled(const std::string& runId) {
        const auto answer = s_dailies->run({"follow", "--cluster", "sandbox"});
        EXPECT_EQ(answer.status, 0) << answer.err;
        return *store().run(runId);
    }

    /// Waits, following, until the run has reached `step`.
    static void waitForStep(const std::string& runId, std::int64_t step) {
        const auto giveUp = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        while (std::chrono::steady_clock::now() < giveUp) {
            s_dailies->run({"follow", "--cluster", "sandbox", "--once"});
            const auto run = *store().run(runId);
            const auto loss = run.metrics.find("loss");
            if (loss != run.metrics.end() && loss->second.step >= step) return;
            std::this_thread::sleep_for(std::chrono::milliseconds(300));
        }
        FAIL() << "run " << runId << " did not reach step " << step;
    }

    static inline std::unique_ptr<TemporaryFolder> s_home;
    static inline std::unique_ptr<test::DailiesProgram> s_dailies;
    static inline test::DailiesProgram::Answer s_launch;
};

TEST_F(MainJob, ASweepLaunchedFromTheCommandLineFinishes) {
    ASSERT_EQ(s_launch.status, 0) << s_launch.err;
    const Json runs = parseJson(s_launch.out, "launch");
    ASSERT_EQ(runs.size(), 4u);
    for (const auto& run : runs) {
        EXPECT_EQ(run.at("status"), "FINISHED") << run.dump(2);
        EXPECT_TRUE(run.at("metrics").contains("loss"));
        EXPECT_TRUE(run.at("metrics").contains("adherence"));
        EXPECT_EQ(run.at("params").at("steps"), "60");
    }
}

TEST_F(MainJob, EveryRunHasItsWholeCurveInTheStore) {
    for (const auto& id : runIds()) {
        const auto history = store().history(id, "loss");
        ASSERT_GE(history.size(), 6u);
        EXPECT_EQ(history.back().step, 60);
        EXPECT_TRUE(std::is_sorted(history.begin(), history.end(),
                                   [](const auto& a, const auto& b) { return a.step < b.step; }));
        const Json printed = s_dailies->json({"metrics", id, "loss"});
        EXPECT_EQ(printed.at("points").size(), history.size());
    }
}

TEST_F(MainJob, TheSampledClipsAreOnThisMachineAndPlay) {
    const auto clips = store().clips(runIds());
    ASSERT_FALSE(clips.empty());
    for (const auto& clip : clips) {
        ASSERT_FALSE(clip.localPath.empty()) << clip.path << " was not mirrored";
        video::ClipReader reader(clip.localPath);
        EXPECT_EQ(reader.info().frames, 8);
        EXPECT_FALSE(reader.frame(7).empty());
    }
    std::set<std::int64_t> steps;
    for (const auto& clip : clips) steps.insert(clip.step);
    EXPECT_EQ(steps, (std::set<std::int64_t>{30, 60})) << "clips of both sampled steps can be scrubbed";
}

TEST_F(MainJob, AtMostTwoRunsTrainedAtOnce) {
    std::vector<std::pair<std::int64_t, int>> changes;
    const auto db = store();
    for (const auto& id : runIds()) {
        const auto run = *db.run(id);
        changes.emplace_back(run.startMs, 1);
        changes.emplace_back(run.endMs.value(), -1);
    }
    ASSERT_EQ(changes.size(), 8u);
    std::sort(changes.begin(), changes.end());
    int running = 0, most = 0;
    for (const auto& [time, change] : changes) most = std::max(most, running += change);
    EXPECT_LE(most, 2) << s_launch.out;
}

TEST_F(MainJob, LogsAndFilesComeOverTheSameLink) {
    const auto id = runIds().front();
    const auto logs = s_dailies->run({"logs", id});
    EXPECT_EQ(logs.status, 0) << logs.err;
    const auto pulled = s_dailies->run({"pull", id, "all"});
    ASSERT_EQ(pulled.status, 0) << pulled.err;
    const std::filesystem::path folder(std::string(trim(pulled.out)));
    EXPECT_TRUE(std::filesystem::exists(folder / "checkpoints/step-000000060/manifest.json")) << folder;
}

TEST_F(MainJob, ALaunchIsRefusedBeforeAnythingIsSubmittedWhenAKeyIsUnknown) {
    const auto file = s_home->path() / "typo.yaml";
    writeFileAtomically(
        file, "name: typo\nexperiment: typo\nmethod: grid\nparameters: {optimizer.lrr: {values: [0.01]}}\n");
    const auto answer = s_dailies->run({"launch", file.string(), "--cluster", "sandbox"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("optimizer.lrr"));
    EXPECT_THAT(answer.err, HasSubstr("optimizer.lr"));
    EXPECT_TRUE(store().runs("typo").empty());
}

TEST_F(MainJob, AskingWhetherASweepCouldBeLaunchedAgainLaunchesNothing) {
    const auto before = store().sweeps().size();
    const auto answer = s_dailies->run({"launch", "--again", runIds().front(), "--check"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_FALSE(answer.out.empty());
    EXPECT_EQ(store().sweeps().size(), before);
}

TEST_F(MainJob, ALaunchIsRefusedBeforeAnythingIsSubmittedWhenTheClusterLacksItsPartition) {
    const auto file = s_home->path() / "partition.yaml";
    writeFileAtomically(file,
                        "name: p\nexperiment: p\nmethod: grid\nparameters: {optimizer.lr: {values: [0.01]}}\n"
                        "resources: {partition: nowhere}\n");
    const auto answer = s_dailies->run({"launch", file.string(), "--cluster", "sandbox"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("nowhere"));
    EXPECT_THAT(answer.err, HasSubstr("main")) << "what would be accepted";
    EXPECT_TRUE(store().runs("p").empty());
}

TEST_F(MainJob, ALaunchIsRefusedBeforeAnythingIsRecordedWhenSlurmItselfWouldRefuseIt) {
    const auto file = s_home->path() / "reservation.yaml";
    writeFileAtomically(file,
                        "name: r\nexperiment: r\nmethod: grid\nparameters: {optimizer.lr: {values: [0.01]}}\n"
                        "resources: {reservation: nowhere}\n");
    const auto answer = s_dailies->run({"launch", file.string(), "--cluster", "sandbox"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_THAT(answer.err, HasSubstr("Requested reservation is invalid")) << "in Slurm's own words";
    EXPECT_TRUE(store().runs("r").empty());
}

TEST_F(MainJob, ATrainerKilledAtAnyStepGoesOnAndEndsWithTheSameLoss) {
    const auto undisturbed = launchOne("undisturbed", 240);
    const auto disturbed = launchOne("disturbed", 240);
    waitForStep(disturbed, 30);
    const auto pkill =
        "pkill -9 -f '^/[^ ]*/dailies-train train .*" + disturbed + "'";  // not srun, which names it too
    ASSERT_EQ(std::system(pkill.c_str()), 0) << "the trainer was not running";
    const auto a = settled(undisturbed), b = settled(disturbed);
    ASSERT_EQ(a.status, tracking::RunStatus::Finished);
    ASSERT_EQ(b.status, tracking::RunStatus::Finished) << "a killed trainer must be started again";
    EXPECT_GE(store().attempts(disturbed).size(), 2u);
    const auto whole = store().history(undisturbed, "loss"), stitched = store().history(disturbed, "loss");
    ASSERT_EQ(whole.back().step, 240);
    EXPECT_EQ(whole.back().value, stitched.back().value) << "bit-equal on a CPU";
    EXPECT_EQ(whole.size(), stitched.size()) << "one stitched curve: nothing twice, nothing missing";
}

TEST_F(MainJob, ARunThatMeetsItsTimeLimitGoesOnInARequeuedJob) {
    const auto id = launchOne("short-of-time", 1'000'000, "resources: {time_limit: \"0:01:00\"}\n");
    const auto giveUp = std::chrono::steady_clock::now() + std::chrono::minutes(5);
    // Well into the second attempt: the first's last points come late.
    constexpr std::int64_t kFurther = 100;
    std::int64_t stoppedAt = -1, step = -1;
    for (std::size_t attempts = 0;
         (attempts < 2 || step <= stoppedAt + kFurther) && std::chrono::steady_clock::now() < giveUp;) {
        std::this_thread::sleep_for(std::chrono::seconds(1));
        ASSERT_EQ(s_dailies->run({"follow", "--cluster", "sandbox", "--once"}).status, 0);
        attempts = store().attempts(id).size();
        const auto loss = store().run(id)->metrics;
        step = loss.contains("loss") ? loss.at("loss").step : -1;
        if (attempts < 2) stoppedAt = step;
    }
    EXPECT_GT(step, stoppedAt + kFurther) << "the second attempt goes on where the first had to stop";
    const auto history = store().history(id, "loss");
    for (std::size_t i = 1; i < history.size(); ++i)
        ASSERT_EQ(history[i].step, history[i - 1].step + 5) << "one curve, nothing twice and nothing missing";
    EXPECT_EQ(s_dailies->run({"cancel", id}).status, 0);
    settled(id);
}

TEST_F(MainJob, RealFootageIsCutIntoClipsTrainedOnAndSampled) {
    const std::string footage = DAILIES_SOURCE_FOLDER "/build/interop/footage";
    ASSERT_TRUE(std::filesystem::exists(footage)) << "make it with: bash tests/interop/setup.sh";
    const auto file = s_home->path() / "footage.yaml";
    writeFileAtomically(
        file,
        "name: footage\nexperiment: footage\nmethod: grid\nmetric: {name: loss, goal: minimize}\n"
        "parameters: {optimizer.lr: {values: [0.001, 0.01]}}\n"
        "config:\n  steps: 40\n  data: {source: folder, folder: \"" +
            footage +
            "\", frame_stride: 2}\n  optimizer: {warmup_steps: 5}\n"
            "  sampling: {every: 20}\n  runtime: {log_every: 5}\n");
    const auto answer =
        s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
    ASSERT_EQ(answer.status, 0) << answer.err;
    for (const auto& run : parseJson(answer.out, "launch")) {
        const std::string id = run.at("run_id");
        EXPECT_GE(std::stoi(run.at("tags").at("dailies.fact.dataset_clips").get<std::string>()), 4);
        const auto loss = store().history(id, "loss");
        ASSERT_FALSE(loss.empty());
        EXPECT_LT(loss.back().value, loss.front().value) << "it learns from the films";
        const auto clips = store().clips({id});
        ASSERT_FALSE(clips.empty());
        EXPECT_EQ(video::ClipReader(clips.back().localPath).info().frames, 8);
    }
}

TEST_F(MainJob, ACancelledRunIsKilledAndSaysSo) {
    const auto id = launchOne("cancelled", 100000);
    waitForStep(id, 5);
    ASSERT_EQ(s_dailies->run({"cancel", id}).status, 0);
    const auto run = settled(id);
    EXPECT_EQ(run.status, tracking::RunStatus::Killed);
    EXPECT_FALSE(run.tags.at(tracking::tag::kReason).empty());
}

#ifdef DAILIES_WITH_UI
TEST_F(MainJob, TheContactSheetAndTheScreenshotsShowIt) {
    const auto sheet = s_home->path() / "sheet.png";
    std::vector<std::string> words{"contact-sheet", sheet.string()};
    for (const auto& id : runIds()) words.push_back(id);
    const auto answer = s_dailies->run(words);
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_GT(std::filesystem::file_size(sheet), 10'000u);
    for (const char* page : {"runs", "review", "launch", "cluster"}) {
        const auto picture = s_home->path() / (std::string(page) + ".png");
        const auto shot = s_dailies->run({"screenshot", page, picture.string(), "--theme", "dark"});
        EXPECT_EQ(shot.status, 0) << shot.err;
        EXPECT_GT(std::filesystem::file_size(picture), 10'000u) << page;
    }
}
#endif

}  // namespace
