#include "remote/sandbox/sandbox.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/process.h"
#include "core/base/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace dailies::remote::sandbox {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

/// A sandbox of one test, ended at its end.
class SandboxTest : public testing::Test {
protected:
    ~SandboxTest() override { down(folder); }

    Status start(int gpusPerNode = 0) {
        return up({.folder = folder, .nodes = 2, .gpusPerNode = gpusPerNode});
    }

    /// A command on the cluster, through the system's own ssh.
    ProcessResult onCluster(const std::string& command) const {
        const auto profile = *sandbox::status(folder).profile;
        return runProcess({"ssh", "-F", "none", "-i", profile.identityFile, "-o", "BatchMode=yes", "-o",
                           "UserKnownHostsFile=" + profile.knownHostsFile, "-p", std::to_string(profile.port),
                           profile.user + "@" + profile.host, command});
    }

    /// What `squeue` says of a job, once it is one of `states`.
    std::string stateOf(const std::string& job, const std::vector<std::string>& states) const {
        std::string state;
        for (int tries = 0; tries < 100; ++tries) {
            state = trim(onCluster("squeue -h -t all -o %T -j " + job).out);
            for (const auto& awaited : states)
                if (state == awaited) return state;
            std::this_thread::sleep_for(100ms);
        }
        return state;
    }

    std::string submit(const std::string& options, const std::string& script) const {
        const auto answer =
            onCluster("printf '%s\\n' '#!/bin/bash' " + shellQuote(script) + " | sbatch --parsable -o " +
                      (folder / "workspace/%j.out").string() + " " + options);
        EXPECT_EQ(answer.exitCode, 0) << answer.err;
        return std::string(trim(answer.out));
    }

    Json state() const { return parseJson(readFile(folder / "sandbox.json"), "sandbox.json"); }

    pid_t pidOf(const std::string& daemon) const {
        const auto json = state();
        for (const auto& entry : json.at("daemons"))
            if (entry.at("name") == daemon) return entry.at("pid");
        throw Error("no daemon " + daemon);
    }

    /// Everything on this machine that has this sandbox's folder or mark in its command line or environment.
    static std::vector<std::string> processesOf(const std::string& mark, const fs::path& sandboxFolder) {
        std::vector<std::string> found;
        for (const auto& entry : fs::directory_iterator("/proc")) {
            const auto name = entry.path().filename().string();
            if (name.find_first_not_of("0123456789") != std::string::npos || name == std::to_string(getpid()))
                continue;
            try {
                const auto text = readFile(entry.path() / "cmdline") + readFile(entry.path() / "environ");
                if (text.find(mark) != std::string::npos ||
                    text.find(sandboxFolder.string()) != std::string::npos)
                    found.push_back(text.substr(0, 100));
            } catch (const Error&) {
            }  // ended meanwhile
        }
        return found;
    }

    TemporaryFolder parent{"sandbox-test"};
    fs::path folder = parent.path() / "s";
};

TEST_F(SandboxTest, IsUpInSecondsAndSaysSo) {
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::string> progress;
    const auto up1 =
        up({.folder = folder, .nodes = 2}, [&](const std::string& line) { progress.push_back(line); });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 15s);  // about one second when nothing else runs
    EXPECT_TRUE(up1.running);
    EXPECT_FALSE(progress.empty());
    ASSERT_TRUE(up1.profile);
    EXPECT_EQ(up1.profile->name, "sandbox");
    EXPECT_NE(up1.summary.find("2 nodes"), std::string::npos) << up1.summary;

    const auto mark = state().at("mark");
    const auto again = start();
    EXPECT_EQ(again.sshPort, up1.sshPort);
    EXPECT_EQ(state().at("mark"), mark) << "the second `up` must find the first";
    EXPECT_TRUE(sandbox::status(folder).running);
    EXPECT_EQ(trim(onCluster("sinfo -h -N -o '%N %T' | sort").out), "n1 idle\nn2 idle");
}

TEST_F(SandboxTest, RunsJobsOnBothNodesAtOnceAndCancelsThem) {
    start();
    const auto first = submit("", "echo on $SLURMD_NODENAME; sleep 60");
    const auto second = submit("", "echo on $SLURMD_NODENAME; sleep 60");
    EXPECT_EQ(stateOf(first, {"RUNNING"}), "RUNNING");
    EXPECT_EQ(stateOf(second, {"RUNNING"}), "RUNNING");
    const auto words = onCluster("sleep 0.3; cat " + (folder / "workspace").string() + "/*.out | sort").out;
    EXPECT_EQ(words, "on n1\non n2\n");
    const auto both = submit("-N2", "srun bash -c 'echo $SLURM_PROCID' | sort");
    EXPECT_EQ(stateOf(both, {"PENDING"}), "PENDING") << "two nodes, two jobs: no room for a third";
    EXPECT_EQ(onCluster("scancel " + first + " " + second).exitCode, 0);
    EXPECT_EQ(stateOf(first, {"CANCELLED"}), "CANCELLED");
    EXPECT_EQ(stateOf(both, {"COMPLETED", "FAILED"}), "COMPLETED");
    EXPECT_EQ(readFile(folder / "workspace" / (both + ".out")), "0\n1\n");
}

TEST_F(SandboxTest, GivesSimulatedGpusToJobs) {
    start(2);
    const auto job = submit("--gres=gpu:2", "echo gpus $CUDA_VISIBLE_DEVICES");
    EXPECT_EQ(stateOf(job, {"COMPLETED", "FAILED"}), "COMPLETED");
    EXPECT_EQ(readFile(folder / "workspace" / (job + ".out")), "gpus 0,1\n");
}

TEST_F(SandboxTest, LetsTheGroupReadWhatItsJobsMakeHoweverPrivateTheCallerIs) {
    const auto before = ::umask(0077);
    start();
    ::umask(before);
    EXPECT_EQ(trim(onCluster("umask").out), "0022");
    const auto job = submit("", "umask");
    EXPECT_EQ(stateOf(job, {"COMPLETED", "FAILED"}), "COMPLETED");
    EXPECT_EQ(readFile(folder / "workspace" / (job + ".out")), "0022\n");
    EXPECT_EQ(fs::status(folder).permissions() & fs::perms(0077), fs::perms::none) << "its keys are here";
}

TEST_F(SandboxTest, KillsAJobThatOutgrowsItsMemory) {
    start();
    const auto job =
        submit("--mem=50M", "python3 -c 'import time; x = b\"a\" * (200 << 20); time.sleep(60)'");
    EXPECT_EQ(stateOf(job, {"FAILED", "OUT_OF_MEMORY", "COMPLETED"}), "FAILED");
    EXPECT_NE(readFile(folder / "workspace" / (job + ".out")).find("memory limit"), std::string::npos);
}

TEST_F(SandboxTest, LeavesNoProcessAndNoFolderBehindEvenOfRunningJobs) {
    start();
    const auto mark = state().at("mark").get<std::string>();
    const fs::path run = state().at("run_folder").get<std::string>();
    const auto job = submit("", "(trap '' TERM HUP; setsid sleep 300 & sleep 300)");
    EXPECT_EQ(stateOf(job, {"RUNNING"}), "RUNNING");
    EXPECT_FALSE(processesOf(mark, folder).empty());
    down(folder);
    EXPECT_FALSE(fs::exists(folder));
    EXPECT_FALSE(fs::exists(run));
    EXPECT_THAT(processesOf(mark, folder), testing::IsEmpty());
    EXPECT_FALSE(sandbox::status(folder).running);
    down(folder);  // nothing there is nothing to do
}

TEST_F(SandboxTest, StartsAgainWhenADaemonHasDied) {
    const auto before = start();
    writeFileAtomically(folder / "workspace/kept.txt", "a run's data");
    ASSERT_EQ(kill(pidOf("slurmctld"), SIGKILL), 0);
    for (int tries = 0; tries < 200 && sandbox::status(folder).running; ++tries)
        std::this_thread::sleep_for(10ms);
    EXPECT_FALSE(sandbox::status(folder).running);
    const auto after = start();
    EXPECT_TRUE(after.running);
    EXPECT_EQ(after.sshPort, before.sshPort);
    EXPECT_EQ(readFile(folder / "workspace/kept.txt"), "a run's data");
    EXPECT_EQ(onCluster("sinfo -h -o %T").out, "idle\n");
}

TEST_F(SandboxTest, NeverTouchesAProcessThatInheritedAStalePid) {
    start();
    auto stale = state();
    const auto bystander = fork();
    if (bystander == 0) {
        pause();
        _exit(0);
    }
    // As after a reboot: the written pid now belongs to someone else, who started at another time.
    const auto sshd = pidOf("sshd");
    for (auto& daemon : stale.at("daemons"))
        if (daemon.at("name") == "sshd") daemon["pid"] = bystander;
    writeFileAtomically(folder / "sandbox.json", stale.dump());
    kill(sshd, SIGKILL);
    EXPECT_FALSE(sandbox::status(folder).running);
    EXPECT_TRUE(start().running);
    down(folder);
    EXPECT_EQ(kill(bystander, 0), 0);
    kill(bystander, SIGKILL);
}

TEST_F(SandboxTest, LivesInAFolderWhoseNameIsTooLongForSockets) {
    folder = parent.path() / std::string(120, 'd') / "s";
    start();
    const auto job = submit("", "echo well");
    EXPECT_EQ(stateOf(job, {"COMPLETED", "FAILED"}), "COMPLETED");
}

TEST_F(SandboxTest, RefusesAFolderThatHoldsOtherThings) {
    writeFileAtomically(folder / "thesis.tex", "years of work");
    EXPECT_THROW(start(), InputError);
    EXPECT_THROW(down(folder), InputError);
    EXPECT_EQ(readFile(folder / "thesis.tex"), "years of work");
    fs::remove(folder / "thesis.tex");
    EXPECT_THROW(up({.folder = parent.path() / "with space"}), InputError);
}

TEST_F(SandboxTest, QuotesTheDaemonThatCouldNotStart) {
    start();
    ASSERT_EQ(kill(pidOf("munged"), SIGKILL), 0);
    // munged refuses a key that is too short
    writeFileAtomically(folder / "keys/munge.key", "short", fs::perms::owner_read | fs::perms::owner_write);
    for (int tries = 0; tries < 200 && sandbox::status(folder).running; ++tries)
        std::this_thread::sleep_for(10ms);
    try {
        start();
        FAIL() << "munged started with a key of five bytes";
    } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("munged"), std::string::npos) << e.full();
        EXPECT_NE(std::string(e.what()).find("Keyfile"), std::string::npos) << e.full();
    }
    EXPECT_FALSE(sandbox::status(folder).running);
}

/// A user of this machine for one test.
class ThrowAwayUser {
public:
    ThrowAwayUser() : m_name("dailies" + std::to_string(getpid())) {
        const auto made =
            runProcess({"useradd", "--no-create-home", "--home-dir", m_home.path().string(), m_name});
        if (!made.ok()) throw Error("useradd: " + made.err);
        runProcess({"chown", m_name, m_home.path().string()});
    }
    ~ThrowAwayUser() { runProcess({"userdel", m_name}); }
    ThrowAwayUser(const ThrowAwayUser&) = delete;
    ThrowAwayUser& operator=(const ThrowAwayUser&) = delete;

    ProcessResult run(const std::vector<std::string>& command) const {
        std::vector<std::string> words{"setpriv", "--reuid=" + m_name, "--regid=" + m_name, "--init-groups"};
        words.insert(words.end(), command.begin(), command.end());
        return runProcess(words, {.environment = {{"HOME", m_home.path().string()}, {"USER", m_name}},
                                  .folder = m_home.path(),
                                  .timeout = 90s});
    }
    const fs::path& home() const { return m_home.path(); }

private:
    std::string m_name;
    TemporaryFolder m_home{"dailies-home"};
};

TEST(OrdinaryUserTest, HasTheSameSandboxAsRoot) {
    if (geteuid() != 0) return;  // then every test above has shown it
    const ThrowAwayUser user;
    const auto program = user.home() / "tests";
    fs::copy_file("/proc/self/exe", program);
    fs::permissions(program, fs::perms::owner_all | fs::perms::others_read | fs::perms::others_exec);
    const auto result = user.run(
        {program.string(), "--gtest_filter=SandboxTest.IsUp*:SandboxTest.RunsJobs*:SandboxTest.Leaves*"});
    EXPECT_EQ(result.exitCode, 0) << result.out << result.err;
    EXPECT_NE(result.out.find("PASSED  ] 3 tests"), std::string::npos) << result.out;
}

}  // namespace
}  // namespace dailies::remote::sandbox
