#include "remote/follow/folder_watcher.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tracking/imported_run.h"
#include "core/video/clip_file.h"
#include "tests/core/exchange/tracker_files.h"
#include "tests/core/video/numbered_frames.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace dailies::remote {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class WatchedFolders : public testing::Test {
protected:
    fs::path place(const std::string& name) const { return fs::canonical(m_folder.path()) / "root" / name; }

    void append(const std::string& name, const std::string& text) const {
        fs::create_directories((m_folder.path() / "root" / name).parent_path());
        std::ofstream(m_folder.path() / "root" / name, std::ios::app) << text;
    }

    FolderWatcher watcher(FolderWatcher::Options options = {}) {
        fs::create_directories(m_folder.path() / "root");
        options.findEvery = {};
        return {localFiles(), m_store, {place("").parent_path().string()}, std::move(options)};
    }

    std::vector<std::string> names() const {
        std::vector<std::string> found;
        for (const auto& run : m_store.runs()) found.push_back(run.name);
        return found;
    }

    tracking::Run runNamed(const std::string& name) const {
        for (auto& run : m_store.runs())
            if (run.name == name) return run;
        throw std::runtime_error("no run " + name);
    }

    std::vector<double> losses(const std::string& run) const {
        std::vector<double> values;
        for (const auto& point : m_store.history(runNamed(run).id, "loss")) values.push_back(point.value);
        return values;
    }

    TemporaryFolder m_folder{"dailies-watched"};
    tracking::Store m_store{m_folder.path() / "store" / "dailies.db"};
};

TEST_F(WatchedFolders, HoldRunsThatAreReadWhileTheyGrowAndOthersThatComeLater) {
    append("exp 1/metrics.csv", "step,loss\n1,0.5\n2,0.25\n");
    auto watched = watcher();
    const auto first = watched.poll();
    EXPECT_EQ(first.newRuns.size(), 1u);
    EXPECT_EQ(first.activeRuns, 1);
    EXPECT_THAT(losses("exp 1"), ElementsAre(0.5, 0.25));
    const auto run = runNamed("exp 1");
    EXPECT_EQ(run.experiment, "root");
    EXPECT_EQ(run.status, tracking::RunStatus::Running);
    EXPECT_EQ(run.tags.at(tracking::tag::kImportedFrom), place("exp 1").string());
    append("exp 1/metrics.csv", "3,0.125\n4,0.0");
    append("exp2/train_log.jsonl", "{\"step\": 1, \"loss\": 2}\n");
    const auto second = watched.poll();
    EXPECT_EQ(second.newRuns.size(), 1u);
    EXPECT_THAT(losses("exp 1"), ElementsAre(0.5, 0.25, 0.125)) << "a torn line waits";
    EXPECT_THAT(losses("exp2"), ElementsAre(2));
    EXPECT_TRUE(watched.poll().changedRuns.empty());
}

TEST_F(WatchedFolders, GoOnWhereAnotherWatcherEnded) {
    append("a/metrics.csv", "step,loss\n1,0.5\n");
    watcher().poll();
    append("a/metrics.csv", "2,0.25\n");
    EXPECT_TRUE(watcher().poll().changedRuns.contains(runNamed("a").id));
    EXPECT_THAT(losses("a"), ElementsAre(0.5, 0.25));
    EXPECT_THAT(names(), ElementsAre("a"));
}

TEST_F(WatchedFolders, RunsOfMlflowKeepTheirKeys) {
    const std::string id(32, 'c');
    append("mlruns/0/" + id + "/metrics/loss", "1700000000000 0.5 1\n");
    append("mlruns/0/" + id + "/params/lr", "1e-4");
    auto watched = watcher();
    watched.poll();
    watched.poll();  // a param is whole when its file has the same size twice
    EXPECT_THAT(losses("mlruns/0/" + id), ElementsAre(0.5));
    EXPECT_EQ(runNamed("mlruns/0/" + id).params.at("lr"), "1e-4");
}

TEST_F(WatchedFolders, AFileOfAnInnerRunIsNotTheOuterOnesToo) {
    append("metrics.csv", "step,loss\n1,1\n");
    append("inner/metrics.csv", "step,loss\n1,2\n");
    watcher().poll();
    EXPECT_THAT(losses("root"), ElementsAre(1));
    EXPECT_THAT(losses("inner"), ElementsAre(2));
}

TEST_F(WatchedFolders, VideosArePlayedWhereTheyLie) {
    append("a/metrics.csv", "step,loss\n1,0.5\n");
    fs::create_directories(place("a/samples"));
    video::writeClip(place("a/samples/step_100_a cat.mp4"), video::numberedFrames(5, 32, 16), {.fps = 8});
    auto watched = watcher();
    watched.poll();
    watched.poll();  // a video is whole when it has the same size twice
    const auto clips = m_store.clips({runNamed("a").id});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips[0].step, 100);
    EXPECT_EQ(clips[0].prompt, "a cat");
    EXPECT_EQ(clips[0].frames, 5);
    EXPECT_EQ(clips[0].localPath, place("a/samples/step_100_a cat.mp4").string());
}

TEST_F(WatchedFolders, ARunThatWasQuietForLongCountsAsEndedUntilItGoesOn) {
    append("a/metrics.csv", "step,loss\n1,0.5\n");
    const auto old = fs::file_time_type::clock::now() - std::chrono::hours(1);
    fs::last_write_time(place("a/metrics.csv"), old);
    auto watched = watcher();
    EXPECT_EQ(watched.poll().activeRuns, 0);
    const auto run = runNamed("a");
    EXPECT_EQ(run.status, tracking::RunStatus::Finished);
    ASSERT_TRUE(run.endMs);
    append("a/metrics.csv", "2,0.25\n");
    EXPECT_EQ(watched.poll().activeRuns, 1);
    EXPECT_EQ(runNamed("a").status, tracking::RunStatus::Running);
}

TEST_F(WatchedFolders, HostileNamesAndBinaryNoiseHarmNothing) {
    append("a/metrics.csv", "step,loss\n1,0.5\n");
    append("a/\x1b[2J.log", "step: 1 loss: 9\n");
    append("$(touch pwned)/metrics.csv", "step,loss\n1,3\n");
    append("* ?/metrics.csv", "step,loss\n1,4\n");
    append("noise/metrics.csv", std::string("\0\xff\xfe garbage\n\n\n", 15));
    watcher().poll();
    EXPECT_THAT(losses("a"), ElementsAre(0.5));
    EXPECT_THAT(losses("$(touch pwned)"), ElementsAre(3));
    EXPECT_THAT(losses("* ?"), ElementsAre(4));
    EXPECT_FALSE(fs::exists("pwned"));
}

TEST_F(WatchedFolders, AnEmptyFolderIsWatchedUntilSomethingIsThere) {
    auto watched = watcher();
    EXPECT_EQ(watched.poll().runs, 0);
    append("a/metrics.csv", "step,loss\n1,0.5\n");
    EXPECT_EQ(watched.poll().runs, 1);
}

TEST_F(WatchedFolders, AreReadByTheRulesOfTheUser) {
    append("a/train.log", "@1 loss=0.5\n");
    append("a/train_log.jsonl", "{\"step\": 1, \"lr\": 2}\n");
    append("a/vid/100.7.fox.mp4", "video");
    auto watched =
        watcher({.rules = {R"(@(?P<step>\d+) loss=(?P<loss>\S+))", {"vid/{step}.{seed}.{prompt}.mp4"}}});
    watched.poll();
    append("a/train.log", "@2 loss=0.25\nstep: 3 loss: 7\n");
    watched.poll();
    EXPECT_THAT(losses("a"), ElementsAre(0.5, 0.25)) << "beside a tracker";
    const auto run = runNamed("a");
    EXPECT_EQ(m_store.history(run.id, "lr").size(), 1u);
    const auto clips = m_store.clips({run.id});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips.front().step, 100);
    EXPECT_EQ(clips.front().seed, 7);
    EXPECT_EQ(clips.front().prompt, "fox");
    // another program that follows the run knows the rules from its record
    auto other = watcher();
    append("a/train.log", "@4 loss=0.125\n");
    other.poll();
    EXPECT_THAT(losses("a"), ElementsAre(0.5, 0.25, 0.125));
}

TEST_F(WatchedFolders, VideosInsideEventFilesBecomeClips) {
    const fs::path mirror = m_folder.path() / "mirror";
    append("a/events.out.tfevents.1.host", exchange::scalarEvent(1, "loss", 0.5F) +
                                               exchange::videoEvent(100, "val/fox", exchange::movingGif()));
    watcher({.mirror = mirror}).poll();
    const auto run = runNamed("a");
    auto clips = m_store.clips({run.id});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips[0].path, "tensorboard_videos/val~fox/step-000000100.gif");
    EXPECT_EQ(clips[0].prompt, "val/fox");
    EXPECT_EQ(clips[0].step, 100);
    EXPECT_EQ(clips[0].frames, 2);
    EXPECT_EQ(readFile(clips[0].localPath), exchange::movingGif());
    // killed between the two, it is shown by who comes next
    m_store.setClipLocalPath(run.id, clips[0].path, "");
    watcher({.mirror = mirror}).poll();
    EXPECT_EQ(m_store.clips({run.id})[0].localPath, clips[0].localPath);
    // without a place for them they are left out
    append("b/events.out.tfevents.1.host", exchange::videoEvent(1, "v", exchange::movingGif()));
    watcher().poll();
    EXPECT_TRUE(m_store.clips({runNamed("b").id}).empty());
}

TEST_F(WatchedFolders, WhatTheTrainerOfHuggingFaceLeavesIsReadWhereNothingElseIs) {
    const std::string first = R"({"log_history": [{"loss": 1, "step": 10}])",
                      more = R"(, {"loss": 2, "step": 20}]})";
    append("a/checkpoint-10/trainer_state.json", first + "}");
    append("a/checkpoint-20/trainer_state.json", R"({"log_history": [{"loss": 1, "step": 10})" + more);
    append("b/checkpoint-10/trainer_state.json", first + "}");
    append("b/runs/x/events.out.tfevents.1.host", exchange::scalarEvent(10, "train/loss", 1));
    append("c/checkpoint-10/trainer_state.json", first + "}");
    append("c/train.log", "step: 10 loss: 1\nstep: 11 loss: 3\n");
    auto watched = watcher();
    watched.poll();
    EXPECT_THAT(names(), UnorderedElementsAre("a", "b", "c"));
    EXPECT_THAT(losses("a"), ElementsAre(1, 2));
    EXPECT_THAT(losses("b"), ElementsAre()) << "its tracker has them";
    EXPECT_THAT(losses("c"), ElementsAre(1, 3)) << "the output says more";
    append("c/checkpoint-20/trainer_state.json", R"({"log_history": [{"loss": 1, "step": 10})" + more);
    watched.poll();
    EXPECT_THAT(losses("c"), ElementsAre(1, 3, 2));
}

TEST_F(WatchedFolders, VideosOfTrackioHaveTheirCaptions) {
    append("a/train.log", "begins\n");  // an inbox alone may be that of many runs
    append("a/trackio/media/p/r/7/0a.mp4", "video");
    append(
        "a/trackio/inbox/w/00000000.jsonl",
        R"({"v":1,"kind":"metric","metrics":{"loss":1,"v":{"_type":"trackio.video","file_path":"p/r/7/0a.mp4",)"
        R"("caption":"a fox"}},"step":7,"config":{"lr":0.5},"log_id":"a"})"
        "\n");
    auto watched = watcher();
    watched.poll();
    watched.poll();
    ASSERT_EQ(m_store.runs().size(), 1u);
    const auto run = m_store.runs().front();
    EXPECT_EQ(run.params.at("lr"), "0.5");
    const auto clips = m_store.clips({run.id});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips[0].prompt, "a fox");
    EXPECT_EQ(clips[0].step, 7);
    EXPECT_TRUE(clips[0].path.ends_with("media/p/r/7/0a.mp4")) << clips[0].path;
}

/// As MLflow makes it, of what is read.
class MlflowDatabaseFile {
public:
    explicit MlflowDatabaseFile(const fs::path& file)
        : m_db((fs::create_directories(file.parent_path()), file),
               SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE) {
        m_db.exec(
            "CREATE TABLE runs (run_uuid TEXT, lifecycle_stage TEXT);"
            "CREATE TABLE params (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE tags (key TEXT, value TEXT, run_uuid TEXT);"
            "CREATE TABLE metrics (key TEXT, value DOUBLE NOT NULL, timestamp BIGINT NOT NULL, run_uuid TEXT,"
            " step BIGINT NOT NULL DEFAULT 0, is_nan BOOLEAN NOT NULL DEFAULT 0,"
            " PRIMARY KEY (key, timestamp, step, run_uuid, value, is_nan));"
            "INSERT INTO runs VALUES ('a', 'active'); INSERT INTO params VALUES ('lr', '0.1', 'a')");
    }

    void log(int step, double value, bool isNan = false) {
        m_db.exec("INSERT INTO metrics VALUES ('loss', " + std::to_string(value) + ", " +
                  std::to_string(1'700'000'000'000 + step) + ", 'a', " + std::to_string(step) + ", " +
                  (isNan ? "1" : "0") + ")");
    }
    SQLite::Database& db() { return m_db; }

private:
    SQLite::Database m_db;
};

TEST_F(WatchedFolders, MlflowsDatabaseIsReadWhileItIsWritten) {
    MlflowDatabaseFile file(m_folder.path() / "root" / "it's one" / "mlflow.db");
    auto watched = watcher();
    watched.poll();
    file.log(1, 0.5);
    file.log(2, 0, true);
    watched.poll();
    EXPECT_THAT(losses("it's one"), ElementsAre(0.5, testing::NanSensitiveDoubleEq(NAN)));
    EXPECT_EQ(runNamed("it's one").params.at("lr"), "0.1");
    {
        SQLite::Transaction writing(file.db(), SQLite::TransactionBehavior::EXCLUSIVE);
        file.log(3, 0.25);
        EXPECT_NO_THROW(watched.poll()) << "it is locked";
        EXPECT_EQ(losses("it's one").size(), 2u);
        writing.commit();
    }
    file.log(4, 0.125);
    watched.poll();
    EXPECT_EQ(losses("it's one").size(), 4u);
    watcher().poll();  // another one goes on from there
    EXPECT_EQ(losses("it's one").size(), 4u);
    append("torn/mlflow.db", "SQLite format 3");
    append("torn/train.log", "step: 1 loss: 2\n");
    watched.poll();
    EXPECT_THAT(losses("torn"), ElementsAre(2));
    // more than one call brings
    file.db().exec(
        "WITH RECURSIVE n(i) AS (SELECT 5 UNION ALL SELECT i + 1 FROM n WHERE i < 60000) "
        "INSERT INTO metrics SELECT 'loss', i, 1700000000000 + i, 'a', i, 0 FROM n");
    watched.poll();
    watched.poll();
    EXPECT_EQ(losses("it's one").size(), 60'000u);
}

}  // namespace
}  // namespace dailies::remote
