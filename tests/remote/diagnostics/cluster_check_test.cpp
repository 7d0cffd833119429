#include "remote/diagnostics/cluster_check.h"

#include "tests/remote/cluster/sandbox_fixture.h"
#include "tests/remote/ssh/changed_sshd.h"

#include <gmock/gmock.h>

// Each thing that a cluster may lack, taken away for real.

namespace dailies::remote {
namespace {

using testing::HasSubstr;

class ClusterCheckTest : public SandboxTest {
protected:
    std::vector<ClusterFinding> check(const ClusterProfile& profile, int timeout = 60, int answer = 30) {
        m_reported.clear();
        return checkCluster(
            profile, m_prompter,
            [this](const ClusterFinding& finding) { m_reported.push_back(finding.what); }, {},
            std::chrono::seconds(timeout), std::chrono::seconds(answer));
    }

    static ClusterFinding find(const std::vector<ClusterFinding>& findings, const std::string& what) {
        for (const auto& finding : findings)
            if (finding.what == what) return finding;
        ADD_FAILURE() << "nothing was said of " << what;
        return {};
    }

    static void expectFinding(const std::vector<ClusterFinding>& findings, const std::string& what,
                              Verdict verdict, const std::string& text) {
        const auto finding = find(findings, what);
        EXPECT_EQ(finding.verdict, verdict) << finding.found;
        EXPECT_THAT(finding.found, HasSubstr(text));
        EXPECT_EQ(finding.remedy.empty(), verdict == Verdict::Good) << finding.remedy;
    }

    /// A folder of programs that the login shell finds before the cluster's own.
    std::unique_ptr<ssh::ChangedSshd> withProgram(const std::string& name, const std::string& script) const {
        writeFileAtomically(m_files.path() / "bin" / name, "#!/bin/bash\n" + script + "\n",
                            std::filesystem::perms::owner_all);
        const auto sandbox = s_folder->path() / "s";
        auto config = ssh::ChangedSshd::configOf(sandbox);
        config.insert(config.find(" PATH=") + 6, (m_files.path() / "bin").string() + ":");
        return std::make_unique<ssh::ChangedSshd>(sandbox, config);
    }

    std::vector<std::string> m_reported;
};

TEST_F(ClusterCheckTest, ACompleteClusterIsGoodLineByLine) {
    const auto findings = check(s_profile);
    for (const auto& finding : findings)
        EXPECT_NE(finding.verdict, Verdict::Bad) << finding.what << ": " << finding.found;
    for (const char* what : {"Login", "Shell", "Clock", "Slurm", "Partition", "Account", "Workspace",
                             "Compute node", "Shared folder", "Node's clock", "Compiler", "CMake"})
        EXPECT_EQ(find(findings, what).verdict, Verdict::Good) << what << ": " << find(findings, what).found;
    EXPECT_THAT(find(findings, "Shell").found,
                testing::MatchesRegex("[a-z0-9_-]+ on [^ ]+, a command takes [0-9]+ ms"));
    expectFinding(findings, "GPUs", Verdict::Warn, "partition main has none");
    std::vector<std::string> said;
    for (const auto& finding : findings) said.push_back(finding.what);
    EXPECT_EQ(m_reported, said);
    EXPECT_FALSE(std::filesystem::exists(s_folder->path() / "s/workspace/checks")) << "something was left";
    EXPECT_LT(worstVerdict(findings), Verdict::Bad);
}

TEST_F(ClusterCheckTest, AHostThatCannotBeReachedEndsTheTest) {
    auto profile = s_profile;
    profile.port = 1;
    const auto findings = check(profile);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].verdict, Verdict::Bad);
    EXPECT_THAT(findings[0].found, HasSubstr("refused"));
    EXPECT_FALSE(findings[0].remedy.empty());
}

TEST_F(ClusterCheckTest, AShellThatRunsNoCommandsIsBadAndEndsTheTest) {
    const auto sandbox = s_folder->path() / "s";
    const ssh::ChangedSshd dead(sandbox, ssh::ChangedSshd::configOf(sandbox) + "ForceCommand /bin/false\n");
    const auto findings = check(s_profile);
    ASSERT_EQ(findings.size(), 2u);
    expectFinding(findings, "Login", Verdict::Good, "logged in after");
    expectFinding(findings, "Shell", Verdict::Bad, "does not run commands");
    EXPECT_EQ(worstVerdict(findings), Verdict::Bad);
}

TEST_F(ClusterCheckTest, AShellThatHangsAfterTheLoginIsNamedInBoundedTime) {
    const auto sandbox = s_folder->path() / "s";
    const ssh::ChangedSshd sick(sandbox, ssh::ChangedSshd::configOf(sandbox) + "ForceCommand sleep 600\n");
    const auto begin = std::chrono::steady_clock::now();
    const auto findings = check(s_profile, 60, 2);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
    ASSERT_EQ(findings.size(), 2u);
    expectFinding(findings, "Shell", Verdict::Bad, "gave no answer in 2");
    EXPECT_THAT(find(findings, "Shell").remedy, HasSubstr("~/.bashrc"));
}

TEST_F(ClusterCheckTest, CommandsThatHangAreNamedAndTheRestIsStillLookedAt) {
    {
        const auto sick = withProgram("sinfo", "sleep 600");
        const auto findings = check(s_profile, 60, 2);
        expectFinding(findings, "Slurm", Verdict::Bad, "gave no answer in 2");
        expectFinding(findings, "Workspace", Verdict::Good, "can be written");
    }
    const auto sick = withProgram("mkdir", "sleep 600");
    const auto findings = check(s_profile, 60, 2);
    expectFinding(findings, "Workspace", Verdict::Bad, "The file system of");
    expectFinding(findings, "Workspace", Verdict::Bad, "gave no answer in 2");
}

TEST_F(ClusterCheckTest, AStartUpFileThatPrintsIsAWarning) {
    const auto sandbox = s_folder->path() / "s";
    const ssh::ChangedSshd noisy(sandbox, ssh::ChangedSshd::configOf(sandbox) +
                                              "ForceCommand echo hello; case \"$SSH_ORIGINAL_COMMAND\" in "
                                              "internal-sftp) exec /usr/lib/openssh/sftp-server;; esac; eval "
                                              "\"$SSH_ORIGINAL_COMMAND\"\n");
    const auto findings = check(s_profile);
    expectFinding(findings, "Shell", Verdict::Warn, "print \"hello\"");
    expectFinding(findings, "File transfer", Verdict::Bad, "start-up files print \"hello\"");
}

TEST_F(ClusterCheckTest, SlurmThatDoesNotAnswerIsBadAndTheRestIsStillLookedAt) {
    const auto down = withProgram("scontrol", "echo 'Slurmctld(primary) at localhost is DOWN'");
    const auto findings = check(s_profile);
    expectFinding(findings, "Slurm", Verdict::Bad, "slurmctld");
    expectFinding(findings, "Workspace", Verdict::Good, "can be written");
    expectFinding(findings, "Compute node", Verdict::Warn, "not checked");
}

TEST_F(ClusterCheckTest, AWrongPartitionIsBadWithThoseThatThereAre) {
    auto profile = s_profile;
    profile.partition = "gpuu";
    const auto findings = check(profile);
    expectFinding(findings, "Partition", Verdict::Bad, "gpuu");
    EXPECT_THAT(find(findings, "Partition").remedy, HasSubstr("main"));
}

TEST_F(ClusterCheckTest, AWorkspaceThatCannotBeWrittenIsBad) {
    auto profile = s_profile;
    profile.workspace = "/proc/dailies";
    const auto findings = check(profile);
    expectFinding(findings, "Workspace", Verdict::Bad, "/proc/dailies");
    expectFinding(findings, "Compute node", Verdict::Warn, "not checked");
}

TEST_F(ClusterCheckTest, ANodeThatDoesNotSeeTheWorkspaceIsBad) {
    const auto elsewhere =
        withProgram("sbatch", "sed 's#/checks/#/elsewhere/#' | exec /usr/bin/sbatch \"$@\"");
    expectFinding(check(s_profile), "Shared folder", Verdict::Bad, "does not see");
}

TEST_F(ClusterCheckTest, AClockThatIsWrongIsAWarning) {
    const auto hour = withProgram("date", "exec /usr/bin/date -d '+1 hour' \"$@\"");
    expectFinding(check(s_profile), "Clock", Verdict::Warn, "ahead of this computer's");
}

TEST_F(ClusterCheckTest, ANodesClockThatIsWrongIsAWarning) {
    const auto late = withProgram(
        "date", "[ -z \"$SLURM_JOB_ID\" ] || set -- -d '-10 minutes' \"$@\"; exec /usr/bin/date \"$@\"");
    const auto findings = check(s_profile);
    expectFinding(findings, "Clock", Verdict::Good, "agrees");
    expectFinding(findings, "Node's clock", Verdict::Warn, "behind the login node's");
}

TEST_F(ClusterCheckTest, AShellThatStartsSlowlyIsAWarning) {
    const auto slow = withProgram("id", "sleep 3; exec /usr/bin/id \"$@\"");
    expectFinding(check(s_profile), "Shell", Verdict::Warn, "a command takes 3");
}

TEST_F(ClusterCheckTest, AMissingCompilerAndAMissingTorchAreBad) {
    auto profile = s_profile;
    profile.setup = {"export CXX=/nowhere/c++", "python3() { return 1; }"};
    const auto findings = check(profile);
    expectFinding(findings, "Compiler", Verdict::Bad, "there is no c++");
    expectFinding(findings, "PyTorch", Verdict::Bad, "no torch");
}

TEST_F(ClusterCheckTest, ASetupLineThatEndsTheShellIsNamedAsTheCause) {
    auto profile = s_profile;
    profile.setup = {"exit 3"};
    const auto findings = check(profile);
    expectFinding(findings, "Compute node", Verdict::Bad, "without an answer");
    EXPECT_THAT(find(findings, "Compute node").remedy, HasSubstr("setup lines"));
}

TEST_F(ClusterCheckTest, AFullQueueLeavesTheNodeUnknownAndNoJobBehind) {
    Cluster cluster = connect();
    ASSERT_TRUE(cluster.session().run("scontrol update NodeName=n1,n2 State=DRAIN Reason=test\n").ok());
    expectFinding(check(s_profile, 2), "Compute node", Verdict::Warn, "still queued");
    EXPECT_THAT(cluster.session().run("squeue -h -t PENDING,RUNNING -n dailies-check").out,
                testing::IsEmpty());
    cluster.session().run("scontrol update NodeName=n1,n2 State=RESUME\n");
}

}  // namespace
}  // namespace dailies::remote
