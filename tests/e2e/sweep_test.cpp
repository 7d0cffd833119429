#include "core/tracking/store.h"
#include "remote/cluster/profile.h"
#include "remote/trainer_install/source_bundle.h"
#include "tests/support/dailies_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <set>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

// Sweeps that decide while they run, through the real program, a real Slurm and sshd. Where the trainer would
// be stands a script that logs in seconds what training logs in minutes: what is tried here is who decides
// what, when.

namespace {

using namespace dailies;
using testing::HasSubstr;
namespace tag = tracking::tag;

constexpr const char* kTrainer = R"sh(#!/bin/bash
run=$(dirname "$3")
events=$run/events.jsonl
touch "$events"
emit() {
    printf '{"seq":%d,"attempt":1,"time":%s,%s}\n' $(($(wc -l <"$events") + 1)) "$(date +%s.%N)" "$1" >>"$events"
}
metric() { emit "\"type\":\"metrics\",\"step\":$1,\"values\":{\"loss\":$2}"; }
lr=$(sed -nE 's/^ *"lr": ([0-9.e-]+).*/\1/p' "$3" | head -n 1)
loss=$(awk -v lr="$lr" 'BEGIN { d = log(lr) / log(10) + 3; print 0.1 + d * d }')
trap 'emit "\"type\":\"end\",\"status\":\"stopped\",\"step\":10,\"reason\":\"Asked to stop.\""; kill $!; exit 0' USR1
emit "\"type\":\"start\",\"trainer\":\"1\",\"host\":\"h\",\"ranks\":1,\"job\":\"\",\"restarts\":0,\"facts\":{}"
metric 10 "$loss"
pause=1
awk -v l="$loss" 'BEGIN { exit !(l > 1.2) }' && grep -q '"steps": 100,' "$3" && pause=600
# Slurm's USR1 comes to every process of the step: one that ended sleep first would end the run
(trap '' USR1; exec sleep $pause) & wait $!
metric 100 "$loss"
emit '"type":"end","status":"finished","step":100,"reason":""'
)sh";

class Sweeps : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_home = std::make_unique<TemporaryFolder>("dailies-sweeps");
        s_dailies = std::make_unique<test::DailiesProgram>(s_home->path());
        const auto up = s_dailies->run({"sandbox", "up"});
        ASSERT_EQ(up.status, 0) << up.err;
        const auto profile =
            remote::ClusterProfiles(s_home->path() / "config/dailies/clusters.json").get("sandbox");
        const std::filesystem::path folder =
            std::filesystem::path(profile.workspace) / "trainer" / remote::makeSourceBundle().hash;
        std::filesystem::create_directories(folder / "build/bin");
        writeFileAtomically(folder / "build/bin/dailies-train", kTrainer, std::filesystem::perms::owner_all);
        writeFileAtomically(folder / "ready", "");
    }

    static void TearDownTestSuite() {
        s_dailies->run({"sandbox", "down", "--yes"});
        s_dailies.reset();
        s_home.reset();
    }

    static std::string file(const std::string& name, const std::string& text, int atOnce = 2) {
        const auto path = s_home->path() / (name + ".yaml");
        writeFileAtomically(path, "name: " + name + "\nexperiment: " + name +
                                      "\nmetric: {name: loss, goal: minimize}\nresources: {parallel_runs: " +
                                      std::to_string(atOnce) +
                                      ", "
                                      "memory: 300M, time_limit: \"0:20:00\"}\n" +
                                      text);
        return path.string();
    }

    static std::vector<tracking::Run> runs(const std::string& experiment) {
        return tracking::Store(s_dailies->store(), tracking::Store::Mode::ReadOnly).runs(experiment);
    }

    static std::size_t points(const std::string& runId) {
        return tracking::Store(s_dailies->store(), tracking::Store::Mode::ReadOnly)
            .history(runId, "loss")
            .size();
    }

    static void waitUntilFinished(const std::string& experiment, std::size_t count) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(120);
        const auto finished = [&] {
            return static_cast<std::size_t>(
                std::ranges::count(runs(experiment), tracking::RunStatus::Finished, &tracking::Run::status));
        };
        while (finished() < count) {
            ASSERT_LT(std::chrono::steady_clock::now(), end) << finished() << " of " << count << " finished";
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
    }

    static inline std::unique_ptr<TemporaryFolder> s_home;
    static inline std::unique_ptr<test::DailiesProgram> s_dailies;
};

TEST_F(Sweeps, AnAshaSweepReallyEndsTheTasksOfItsWeakRuns) {
    const auto sweep = file("asha",
                            "method: grid\nearly_terminate: {type: asha, min_iter: 10, eta: 2}\n"
                            "parameters: {optimizer.lr: {values: [0.001, 0.1, 0.2, 0.000003]}}\n"
                            "config: {steps: 100}\n",
                            1);
    const auto dry = s_dailies->json({"launch", sweep, "--cluster", "sandbox", "--dry-run"});
    EXPECT_EQ(dry.at("run_count"), 4);
    EXPECT_FALSE(dry.at("estimate").at("known").get<bool>());

    const auto answer =
        s_dailies->run({"launch", sweep, "--cluster", "sandbox", "--wait", "--format", "json"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("3 stopped early"));
    int stopped = 0;
    for (const auto& run : parseJson(answer.out, "launch")) {
        const double lr = std::stod(run.at("params").at("optimizer.lr").get<std::string>());
        const bool weak = lr > 0.01 || lr < 0.0001;
        EXPECT_EQ(run.at("status"), weak ? "KILLED" : "FINISHED") << run.at("name");
        if (!weak) continue;
        ++stopped;
        EXPECT_EQ(points(run.at("run_id")), 1u) << "it did not sleep to its end";
        EXPECT_THAT(run.at("tags").at("dailies.reason").get<std::string>(),
                    HasSubstr("Stopped early at step 10"));
    }
    EXPECT_EQ(stopped, 3);

    const auto again =
        s_dailies->json({"launch", sweep, "--cluster", "sandbox", "--dry-run", "--skip-repeats"});
    EXPECT_EQ(again.at("runs").size(), 3u) << "what finished is not launched again";
    EXPECT_TRUE(again.at("estimate").at("known").get<bool>());
}

TEST_F(Sweeps, AnAdaptiveSweepIsTakenUpByTheNextProgramWhenItsOwnIsKilled) {
    const auto sweep =
        file("tpe",
             "method: bayes\nrun_cap: 13\n"
             "parameters: {optimizer.lr: {distribution: log_uniform_values, min: 1e-5, max: 0.1}}\n"
             "config: {steps: 99}\n");
    const auto launched = s_dailies->run({"launch", sweep, "--cluster", "sandbox", "--format", "json"});
    ASSERT_EQ(launched.status, 0) << launched.err;
    EXPECT_EQ(parseJson(launched.out, "launch").size(), 10u);
    for (const std::size_t finished : {2, 6, 11}) {
        const pid_t follower = s_dailies->start({"follow", "--cluster", "sandbox"});
        waitUntilFinished("tpe", finished);
        ::kill(follower, SIGKILL);
        ::waitpid(follower, nullptr, 0);
    }
    const auto followed = s_dailies->run({"follow", "--cluster", "sandbox"});
    ASSERT_EQ(followed.status, 0) << followed.err;
    const auto all = runs("tpe");
    ASSERT_EQ(all.size(), 13u);
    std::set<std::string> tasks, drawn;
    for (const auto& run : all) {
        EXPECT_EQ(run.status, tracking::RunStatus::Finished) << run.name;
        tasks.insert(run.tags.at(tag::kTask));
        drawn.insert(run.tags.at(tag::kDrawn));
        const tracking::Store db(s_dailies->store(), tracking::Store::Mode::ReadOnly);
        EXPECT_EQ(db.attempts(run.id).size(), 1u) << run.name << " ran once";
        EXPECT_EQ(points(run.id), 2u) << run.name;
    }
    EXPECT_EQ(tasks.size(), 13u);
    EXPECT_EQ(drawn.size(), 13u);
}

}  // namespace
