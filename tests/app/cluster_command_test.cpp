#include "core/base/process.h"
#include "tests/support/dailies_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

// `dailies cluster …` on a real Slurm.

namespace {

using namespace dailies;
using testing::HasSubstr;

class ClusterCommand : public testing::Test {
protected:
    void SetUp() override {
        const auto up = m_dailies.run({"sandbox", "up", "--dir", sandbox()});
        ASSERT_EQ(up.status, 0) << up.err;
    }
    void TearDown() override { m_dailies.run({"sandbox", "down", "--yes", "--dir", sandbox()}); }
    std::string sandbox() const { return (m_home.path() / "s").string(); }

    /// Submits as a person at the login node would.
    void submit(const std::string& words, const std::string& script) {
        const auto sent = runProcess(
            {"sh", "-c", "printf '#!/bin/sh\\n%s\\n' \"$1\" | sbatch --output=/dev/null --mem=50M $0", words,
             script},
            {.environment = {{"SLURM_CONF", (m_home.path() / "s/slurm.conf").string()}}});
        ASSERT_TRUE(sent.ok()) << sent.err;
    }

    TemporaryFolder m_home{"dailies-cluster"};
    test::DailiesProgram m_dailies{m_home.path()};
};

TEST_F(ClusterCommand, TellsOfTheQueueTheNodesAndWhatJobsUse) {
    EXPECT_EQ(m_dailies.run({"cluster", "queue", "sandbox"}).out, "None of your jobs waits or runs.\n");
    EXPECT_EQ(m_dailies.json({"cluster", "queue", "sandbox"}), Json::array());
    EXPECT_EQ(m_dailies.run({"cluster", "use"}).out, "None of your jobs runs.\n");

    submit("--job-name=spins", "while :; do :; done");
    submit("--job-name=held --hold --array=0-5%2", "true");
    Json queue;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    do {
        queue = m_dailies.json({"cluster", "queue", "sandbox"});
        ASSERT_LT(std::chrono::steady_clock::now(), end);
    } while (queue.size() != 2 || (queue[0].at("state") != "RUNNING" && queue[1].at("state") != "RUNNING"));
    const Json& held = queue[0].at("name") == "held" ? queue[0] : queue[1];
    EXPECT_EQ(held.at("tasks"), 6);
    EXPECT_EQ(held.at("reason"), "JobHeldUser");
    EXPECT_THAT(held.at("explanation").get<std::string>(), HasSubstr("Held by its user"));
    const auto table = m_dailies.run({"cluster", "queue", "sandbox", "--all"});
    EXPECT_THAT(table.out, HasSubstr("6 wait"));
    EXPECT_THAT(table.out, HasSubstr("spins"));

    const Json nodes = m_dailies.json({"cluster", "nodes", "sandbox"});
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[0].at("node"), "n1");
    EXPECT_THAT(m_dailies.run({"cluster", "nodes", "sandbox"}).out, HasSubstr("idle"));

    const Json use = m_dailies.json({"cluster", "use", "sandbox"});
    ASSERT_EQ(use.size(), 1u);
    EXPECT_GE(use[0].at("processes"), 1);
    EXPECT_THAT(m_dailies.run({"cluster", "use", "sandbox"}).out, HasSubstr("memory GiB"));
}

TEST_F(ClusterCommand, WithoutATerminalItSaysHowToAnswerTheQuestionBeforehand) {
    const Json sandbox = m_dailies.json({"clusters", "list"}).at(0);
    const auto port = std::to_string(sandbox.at("port").get<int>());
    ASSERT_EQ(m_dailies
                  .run({"clusters", "add", "stranger", "--host", "127.0.0.1", "--port", port, "--identity",
                        sandbox.at("identity_file").get<std::string>()})
                  .status,
              0);
    const auto answer = m_dailies.run({"clusters", "test", "stranger", "--format", "json"}, "setsid -w");
    EXPECT_EQ(answer.status, 1);
    const Json findings = parseJson(answer.out, "the findings");
    ASSERT_EQ(findings.size(), 1u) << answer.out;
    EXPECT_EQ(findings[0].at("what"), "Login");
    EXPECT_THAT(findings[0].at("found").get<std::string>(), HasSubstr("no terminal"));
    EXPECT_THAT(findings[0].at("remedy").get<std::string>(), HasSubstr("ssh-keyscan -p " + port));

    const auto queue = m_dailies.run({"cluster", "queue", "stranger"}, "setsid -w");
    EXPECT_EQ(queue.status, 1);
    EXPECT_THAT(queue.err, HasSubstr("ssh-keyscan -p " + port));
    EXPECT_THAT(queue.err, testing::Not(HasSubstr("cancelled")));
}

TEST_F(ClusterCommand, AnUnknownClusterIsNamedWithThoseThatAreKnown) {
    const auto answer = m_dailies.run({"cluster", "queue", "sandbax"});
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.out, "");
    EXPECT_THAT(answer.err, HasSubstr("Did you mean 'sandbox'"));
}

TEST_F(ClusterCommand, WatchesFoldersOfTheClusterThatNobodyLaunchedInto) {
    const auto folder = m_home.path() / "experiments of ada" / "a";
    writeFileAtomically(folder / "metrics.csv", "step,loss\n1,0.5\n2,0.25\n");
    const auto place = "sandbox:" + folder.parent_path().string();
    const auto answer = m_dailies.run({"watch", place, "--once"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.err, HasSubstr("sandbox: 1 run, 1 active"));
    EXPECT_EQ(m_dailies.json({"metrics", "a", "loss"}).at("points").size(), 2u);
    const auto nowhere = m_dailies.run({"watch", "sandbox:/nowhere", "--once"});
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("There is no folder /nowhere on cluster 'sandbox'"));
}

}  // namespace
