#include "core/base/process.h"
#include "core/base/text.h"
#include "remote/sandbox/layout.h"
#include "remote/ssh/session_error.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <csignal>
#include <regex>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::remote {
namespace {

using testing::HasSubstr;
using tracking::RunStatus;
namespace fs = std::filesystem;
namespace tag = tracking::tag;

class Launching : public SandboxTest {
protected:
    static std::size_t jobsOf(Cluster& cluster, const std::string& sweepId) {
        const auto result =
            cluster.session().run("squeue -h -t all -o '%F %k' | grep " + sweepId + " | sort -u | wc -l\n");
        return std::stoul(result.out);
    }

    /// Launches in a process of its own that ends at once when the array is about to be submitted.
    void launchAndDie(const LaunchPlan& plan, bool afterSbatch) {
        ASSERT_NO_FATAL_FAILURE(
            dieBeforeSbatch([&](Cluster& cluster, tracking::Store& store, const Progress& progress) {
                launch(cluster, plan, store, [&](const std::string& line) {
                    if (afterSbatch && line == "Submitting the job array")
                        cluster.scheduler().submit(plan.script, plan.sweepId);
                    progress(line);
                });
            }));
        ASSERT_EQ(m_store.sweep(plan.sweepId)->jobId, "");
    }
};

TEST_F(Launching, AClientThatDiesBetweenSbatchAndItsRecordLeavesNoOrphanAndNoDouble) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 2);
    launchAndDie(sent, true);
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{sent.sweepId});
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 1u);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(runOf(sent, i).status, RunStatus::Finished);
        EXPECT_EQ(m_store.history(sent.runIds[i], "loss").size(), 1u);
    }
}

TEST_F(Launching, AClientThatDiesBeforeSbatchIsMadeGoodByTheNext) {
    trainer("finish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launchAndDie(sent, false);
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 0u);
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{sent.sweepId});
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 1u);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
}

TEST_F(Launching, ARefusalBySbatchFailsTheRunsAndNamesThePartitions) {
    Cluster cluster = connect();
    LaunchPlan sent = plan(cluster);
    sent.script.insert(sent.script.find("#SBATCH --nodes"), "#SBATCH --partition=gpuu\n");
    try {
        launch(cluster, sent, m_store);
        FAIL() << "sbatch took a partition that does not exist";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("artition"));
        EXPECT_THAT(error.remedy(), HasSubstr("Choose one of: main."));
    }
    EXPECT_EQ(runOf(sent).status, RunStatus::Failed);
    EXPECT_THAT(runOf(sent).tags[tag::kReason], HasSubstr("Choose one of: main."));
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
}

TEST_F(Launching, AWorkspaceThatCannotBeWrittenIsSaidAtConnection) {
    ClusterProfile profile = s_profile;
    profile.workspace = "/proc/dailies";
    try {
        Cluster cluster(profile, m_prompter);
        FAIL() << "/proc was written";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("/proc/dailies"), HasSubstr("cannot be written")));
        EXPECT_THAT(error.remedy(), HasSubstr("Choose a folder of yours"));
    }
}

/// A second sshd on the sandbox's keys, whose sessions have only these tools on their PATH: none of Slurm's.
class BareHost {
public:
    BareHost(const fs::path& sandboxFolder, const fs::path& folder, int port) {
        fs::create_directories(folder / "bin");
        for (const char* tool : {"sh", "bash", "hostname", "env", "sed", "awk", "sort", "id", "mkdir", "rm"})
            fs::create_symlink(fs::path("/usr/bin") / tool, folder / "bin" / tool);
        std::string config = readFile(sandboxFolder / "sshd_config");
        config = std::regex_replace(config, std::regex("\nPort \\d+"), "\nPort " + std::to_string(port));
        config = std::regex_replace(config, std::regex(" PATH=[^\n]*"), " PATH=" + (folder / "bin").string());
        writeFileAtomically(folder / "sshd_config", config);
        m_server = ::fork();
        if (m_server == 0) {
            ::execl("/usr/sbin/sshd", "/usr/sbin/sshd", "-D", "-f", (folder / "sshd_config").c_str(),
                    nullptr);
            ::_exit(127);
        }
    }
    ~BareHost() {
        ::kill(m_server, SIGTERM);
        ::waitpid(m_server, nullptr, 0);
    }

private:
    pid_t m_server = -1;
};

TEST_F(Launching, AHostWithoutSbatchIsNamedUnlessItsLoginShellOrTheSetupLinesFindIt) {
    ClusterProfile profile = s_profile;
    profile.port = s_profile.port + 1;
    const fs::path folder = m_files.path() / "bare";
    const std::string keys = readFile(profile.knownHostsFile);
    profile.knownHostsFile = (m_files.path() / "known_hosts").string();
    writeFileAtomically(profile.knownHostsFile, std::regex_replace(keys, std::regex("\\]:\\d+"),
                                                                   "]:" + std::to_string(profile.port)));
    const BareHost host(s_folder->path() / "s", folder, profile.port);
    std::this_thread::sleep_for(std::chrono::seconds(1));

    profile.setup = {"export PATH=" + (folder / "bin").string()};
    try {
        Cluster cluster(profile, m_prompter);
        FAIL() << "sbatch was found where there is none";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("sbatch was not found on "));
        EXPECT_THAT(error.remedy(), HasSubstr("module load slurm"));
    }
    profile.setup = {"export PATH=/usr/local/bin:/usr/bin:/bin"};
    EXPECT_EQ(Cluster(profile, m_prompter).facts().clusterName, "sandbox");
}

TEST_F(Launching, TheWorkspaceMayHoldHomeAndOddCharacters) {
    ClusterProfile profile = s_profile;
    profile.workspace += "/it's \"odd\" $(id) & $USER/";
    Cluster cluster(profile, m_prompter);
    EXPECT_THAT(cluster.workspace(), testing::AllOf(HasSubstr("/it's \"odd\" $(id) & "),
                                                    testing::Not(testing::EndsWith("$USER"))));
    trainer("finish");
    const LaunchPlan sent = planLaunch(plan(cluster).sweep, profile, cluster.workspace(),
                                       {"t", (m_files.path() / "trainer").string()});
    launch(cluster, sent, m_store);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished) << runOf(sent).tags[tag::kReason];
}

TEST_F(Launching, ASweepThatWasNeverSubmittedCanBeCancelled) {
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launchAndDie(sent, false);
    cancelSweep(cluster, m_store, sent.sweepId);
    EXPECT_EQ(runOf(sent).status, RunStatus::Killed);
    EXPECT_TRUE(resumeLaunches(cluster, m_store).empty());
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 0u);
}

TEST_F(Launching, SlurmIsDescribedAndUnknownJobsAreAbsent) {
    Cluster cluster = connect();
    EXPECT_FALSE(cluster.facts().version.empty());
    EXPECT_EQ(cluster.facts().clusterName, "sandbox");
    EXPECT_FALSE(cluster.facts().accounting);
    ASSERT_EQ(cluster.facts().partitions.size(), 1u);
    EXPECT_EQ(cluster.facts().partitions[0].nodes, 2);
    EXPECT_TRUE(cluster.scheduler().poll({"999999"}).empty());
    EXPECT_TRUE(cluster.scheduler().poll({"999998_1", "999999"}).empty());
    EXPECT_FALSE(cluster.scheduler().findSubmission("no-such-sweep"));
    EXPECT_NO_THROW(cluster.scheduler().cancel({"999999"}));
}

TEST_F(Launching, WhatASilentControllerDidNotHearIsSubmittedOnceWhenItIsBack) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    ASSERT_NO_FATAL_FAILURE(stopController(cluster));
    try {
        launch(cluster, sent, m_store);
        FAIL() << "nobody was there to take it";
    } catch (const Error& error) {
        EXPECT_THAT(error.remedy(), HasSubstr("submitted with the next connection"));
    }
    EXPECT_EQ(runOf(sent).status, RunStatus::Scheduled) << "it has not failed";
    ASSERT_NO_FATAL_FAILURE(startController(cluster));
    EXPECT_EQ(resumeLaunches(cluster, m_store), std::vector{sent.sweepId});
    EXPECT_EQ(jobsOf(cluster, sent.sweepId), 1U);
    Follower follower(cluster, m_store, mirror());
    followToTheEnd(follower);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
}

}  // namespace
}  // namespace dailies::remote
