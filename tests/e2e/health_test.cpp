#include "core/preflight/report.h"
#include "core/tracking/store.h"
#include "remote/cluster/profile.h"
#include "remote/trainer_install/source_bundle.h"
#include "tests/support/dailies_program.h"
#include "tests/support/folders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>

// Nodes that are bad for real: four of a real Slurm, and on one of them processes that are stopped, or whose
// disk takes nothing.

namespace {

using namespace dailies;
using testing::HasSubstr;

class Health : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_home = std::make_unique<TemporaryFolder>("dailies-health");
        s_dailies = std::make_unique<test::DailiesProgram>(s_home->path());
        const auto up = s_dailies->run({"sandbox", "up", "--nodes", "4", "--cpus-per-node", "2"});
        ASSERT_EQ(up.status, 0) << up.err;
        const auto profile =
            remote::ClusterProfiles(s_home->path() / "config/dailies/clusters.json").get("sandbox");
        const auto trainer =
            std::filesystem::path(profile.workspace) / "trainer" / remote::makeSourceBundle().hash;
        // The nodes of a sandbox share one machine, so what is wrong with one of them is done to its
        // processes.
        writeFileAtomically(
            trainer / "build/bin/dailies-train",
            "#!/bin/bash\nfault=" + shellQuote(s_home->path().string()) +
                "/$SLURMD_NODENAME\n[ -n \"$SLURM_STEP_ID\" ] && [ -r \"$fault\" ] && . \"$fault\"\n"
                "exec " DAILIES_BINARY_FOLDER "/dailies-train \"$@\"\n",
            std::filesystem::perms::owner_all);
        writeFileAtomically(trainer / "ready", "");
    }
    static void TearDownTestSuite() {
        s_dailies->run({"sandbox", "down", "--yes"});
        s_dailies.reset();
        s_home.reset();
    }
    void TearDown() override {
        for (const char* node : {"n1", "n2", "n3", "n4"}) std::filesystem::remove(s_home->path() / node);
    }

    /// Shell lines that a node's processes begin with.
    static void fault(const std::string& node, const std::string& lines) {
        writeFileAtomically(s_home->path() / node, lines + "\n");
    }

    /// A run on two nodes, to its end; its id.
    static std::string train(const std::string& name, const std::string& config,
                             const std::string& resources) {
        const auto file = s_home->path() / (name + ".yaml");
        writeFileAtomically(
            file,
            "name: " + name + "\nexperiment: " + name +
                "\nmethod: grid\nparameters: {optimizer.lr: {values: [0.01]}}\n"
                "config: {model.width: 24, model.heads: 2, model.depth: 1, data.frames: 4, data.height: 16, "
                "data.width: 16, data.batch_size: 4, sampling.every: 1000000, sampling.adherence_clips: 0, "
                "checkpoint.every: 10, runtime.log_every: 5, optimizer.warmup_steps: 2, " +
                config + "}\nresources: {nodes: 2, memory: 800M, time_limit: \"0:20:00\", " + resources +
                "}\n");
        const auto answer =
            s_dailies->run({"launch", file.string(), "--cluster", "sandbox", "--wait", "--format", "json"});
        EXPECT_EQ(answer.status, 0) << answer.err;
        return parseJson(answer.out, "launch").at(0).at("run_id").get<std::string>();
    }

    static tracking::Store store() {
        return tracking::Store(s_dailies->store(), tracking::Store::Mode::ReadOnly);
    }
    static std::string messagesOf(const std::string& runId) {
        std::string all;
        for (const auto& message : store().messages(runId)) all += message.text + "\n";
        return all;
    }

    static inline std::unique_ptr<TemporaryFolder> s_home;
    static inline std::unique_ptr<test::DailiesProgram> s_dailies;
};

TEST_F(Health, APreflightNamesTheNodeWhoseDiskTakesNothing) {
    fault("n3", "ulimit -f 8");
    const auto answer = s_dailies->run({"preflight", "sandbox", "--format", "json"});
    EXPECT_EQ(answer.status, 1) << answer.err;
    const auto report = preflight::reportFromJson(parseJson(answer.out, "preflight"));
    ASSERT_EQ(report.nodes.size(), 4u);
    EXPECT_EQ(report.nodes[2].verdict, preflight::NodeVerdict::bad);
    EXPECT_THAT(report.nodes[2].reasons, testing::Contains(HasSubstr("File too large")));
    EXPECT_GT(report.links[0][3], 0) << "every pair was measured";

    std::filesystem::remove(s_home->path() / "n3");
    const auto table = s_dailies->run({"preflight", "sandbox", "--nodes", "2"});
    EXPECT_THAT(table.out, HasSubstr("Matrix products GFLOP/s")) << table.err;
    const auto history = s_home->path() / "data/dailies/preflight/sandbox";
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(history), {}), 2) << "both are kept";
    EXPECT_EQ(s_dailies->run({"preflight", "sandbox", "--nodes", "9"}).status, 2);
}

TEST_F(Health, ARunLeavesOutTheNodeThatItsPreflightFoundBadAndFinishesOnOthers) {
    fault("n2", "[ \"$1\" != preflight ] || kill -STOP $$");
    const auto run = train("preflight", "steps: 30", "parallel_runs: 1");
    EXPECT_EQ(store().run(run)->status, tracking::RunStatus::Finished);
    EXPECT_EQ(store().attempts(run).size(), 2u);
    EXPECT_THAT(messagesOf(run), HasSubstr("Before training: Node n2 is bad."));
    EXPECT_THAT(messagesOf(run), HasSubstr("goes on without n2"));
}

TEST_F(Health, ARunThatHangsNamesTheRankAndGoesOnFromItsCheckpoint) {
    for (const char* node : {"n1", "n2", "n3", "n4"})
        fault(node,
              "if [ \"$1\" = train ] && [ -z \"$SLURM_RESTART_COUNT\" ] && [ \"$SLURM_PROCID\" = 1 ]; then\n"
              "    (p=$$; until grep -qs '\"step\":20,' \"$(dirname \"$3\")/events.jsonl\"; do sleep 0.1; "
              "done\n"
              "        kill -STOP $p) &\n"
              "fi");
    const auto run = train("hang", "steps: 400, watchdog.step_floor: 5, watchdog.step_factor: 100",
                           "parallel_runs: 1, preflight: false");
    EXPECT_EQ(store().run(run)->status, tracking::RunStatus::Finished);
    EXPECT_EQ(store().attempts(run).size(), 2u);
    EXPECT_THAT(messagesOf(run), HasSubstr("The run hung. Rank 1 on n"));
    EXPECT_THAT(messagesOf(run), HasSubstr("(all-reduce)"));
    const auto losses = store().history(run, "loss");
    ASSERT_EQ(losses.size(), 80u) << "one curve, nothing twice and nothing missing";
    EXPECT_EQ(losses.back().step, 400);
}

}  // namespace
