#include "remote/diagnostics/cluster_check.h"

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/size_text.h"
#include "core/base/text.h"
#include "remote/cluster/cluster.h"
#include "remote/cluster/environment_script.h"
#include "remote/cluster/stop_timeout.h"
#include "remote/diagnostics/finding_reporter.h"
#include "remote/diagnostics/node_check.h"
#include "remote/ssh/host_config.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

namespace dailies::remote {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kSlowShellMs = 2000;
constexpr double kClockSlack = 5;
constexpr std::int64_t kLittleSpaceKb = 10 << 20;
constexpr std::chrono::seconds kJobTimeout{90};  ///< for a job of seconds, once it no longer waits

std::string milliseconds(Clock::duration time) {
    return std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
}

class ClusterCheck : FindingReporter {
public:
    ClusterCheck(const ClusterProfile& profile, const FindingCallback& report, std::stop_token stop,
                 std::chrono::seconds queueTimeout, std::chrono::seconds responseTimeout)
        : FindingReporter([this, report](const ClusterFinding& finding) {
              m_findings.push_back(finding);
              if (report) report(finding);
          }),
          m_profile(profile),
          m_outerStop(std::move(stop)),
          m_queueTimeout(queueTimeout),
          m_responseTimeout(responseTimeout) {}

    std::vector<ClusterFinding> run(ssh::Prompter& prompter) {
        // Not bounded: a person may be asked, and what answers slowly there is bounded by the session itself.
        try {
            login(prompter);
        } catch (const Error& e) {
            bad("Login", e.what(), e.remedy());
        }
        if (!m_session) return std::move(m_findings);
        look("Shell", "A command that does nothing",
             "The shell's start-up files (~/.bashrc) or the home folder hang, as where its file server is "
             "down. " +
                 trialCommand() + " shows the same; ask the cluster's administrators.",
             [this] { shell(); });
        if (!m_shellWorks) return std::move(m_findings);
        look("Clock", "`date`", {}, [this] { clock(); });
        look("File transfer", "SFTP", {}, [this] { files(); });
        look("Slurm", "Slurm's `sinfo` or `scontrol`",
             "Ask the cluster's administrators whether slurmctld, or the file system that Slurm's programs "
             "lie "
             "on, hangs.",
             [this] { slurm(); });
        if (m_facts) {
            look("Partition", "Slurm's `sinfo`", {}, [this] { partition(); });
            look("Account", "Slurm's `sacctmgr`", "Ask whether slurmdbd hangs.", [this] { account(); });
        }
        look("Workspace", "The file system of " + m_profile.workspace,
             "It hangs: its file server may be down. Choose a workspace on another file system, or ask the "
             "cluster's administrators.",
             [this] { workspace(); });
        if (m_facts && m_partitionUsable && !m_workspace.empty())
            look(
                "Compute node", "The job on a compute node, or the workspace where it answers,",
                "See `squeue --me` on the cluster.",
                [this] {
                    checkNode(*m_session, *m_scheduler, m_profile, m_workspace, m_hasGpus ? 1 : 0,
                              m_queueTimeout, m_report, m_stop);
                },
                m_queueTimeout + kJobTimeout);
        else
            warn("Compute node", "not checked", "Fix the problems above first.");
        return std::move(m_findings);
    }

private:
    std::string trialCommand() const { return "`" + ssh::sshCommand(endpointOf(m_profile), "true") + "`"; }

    /// What fails is a finding, too, and so is what gives no answer. `who` would be silent.
    template <typename Step>
    void look(const std::string& what, const std::string& who, const std::string& remedy, const Step& step,
              std::optional<std::chrono::seconds> timeout = {}) {
        if (m_session && !m_session->connected()) return;
        const auto limit = timeout.value_or(m_responseTimeout);
        const StopTimeout timeLimit(limit, m_outerStop);
        m_stop = timeLimit.token();
        try {
            step();
        } catch (const Error& e) {
            bad(what, e.what(), e.remedy());
        } catch (const Cancelled&) {
            if (m_outerStop.stop_requested()) throw;
            bad(what, who + " gave no answer in " + durationText(limit.count() * 1000),
                remedy.empty() ? "Try it by hand on the login node, and ask the cluster's administrators."
                               : remedy);
        }
        m_stop = m_outerStop;
    }

    void login(ssh::Prompter& prompter) {
        const auto begin = Clock::now();
        m_session = std::make_unique<ssh::Session>(endpointOf(m_profile), prompter, m_outerStop);
        good("Login", m_profile.host + ": logged in after " + milliseconds(Clock::now() - begin));
    }

    void shell() {
        m_session->run("true", m_stop);  // the first starts what later ones find warm
        const auto begin = Clock::now();
        const auto user = trim(m_session->run("id -un; uname -n", m_stop).out);
        const auto took = Clock::now() - begin;
        auto words = split(user, '\n');
        words.resize(2);
        m_shellWorks = true;
        const auto found = words[0] + " on " + words[1] + ", a command takes " + milliseconds(took);
        if (const auto noise = m_session->startupOutput(); !noise.empty())
            return warn("Shell",
                        found + ", and its start-up files print \"" + sanitizedText(trim(noise)) + "\"",
                        trialCommand() +
                            " should print nothing, or SFTP, scp and rsync fail: let ~/.bashrc print only "
                            "in interactive shells ([[ $- == *i* ]]).");
        if (took < std::chrono::milliseconds(kSlowShellMs)) return good("Shell", found);
        warn("Shell", found,
             "Every command waits for the shell's start-up files: make ~/.bashrc and its like do less where "
             "nobody sits at the terminal.");
    }

    void clock() {
        const double before = unixSeconds();
        const double there = std::strtod(m_session->run("date +%s.%N", m_stop).out.c_str(), nullptr);
        const double after = unixSeconds();
        // It was read somewhere between; a date without %N gives whole seconds.
        const double skew = there + 1 < before ? before - there : there > after ? there - after : 0;
        if (skew < kClockSlack) return good("Clock", "the login node's agrees with this computer's");
        warn("Clock",
             "the login node's is " + durationText(static_cast<std::int64_t>(skew * 1000)) +
                 (there < before ? " behind" : " ahead of") + " this computer's",
             "Times of runs and of this computer will not fit together. Synchronise the clocks (NTP).");
    }

    void files() {
        m_session->stat("/");
        good("File transfer", "SFTP answers");
    }

    void slurm() {
        m_scheduler.emplace(*m_session, setupLines(m_profile.environment, m_profile.setup));
        m_facts = m_scheduler->facts(m_stop);
        good("Slurm", m_facts->version +
                          (m_facts->clusterName.empty() ? "" : ", cluster " + m_facts->clusterName) +
                          (m_facts->accounting ? ", with accounting" : ", without accounting"));
    }

    void partition() {
        std::vector<std::string> names;
        const slurm::Partition* chosen = nullptr;
        for (const auto& partition : m_facts->partitions) {
            names.push_back(partition.name);
            if (m_profile.partition.empty() ? partition.isDefault : partition.name == m_profile.partition)
                chosen = &partition;
        }
        const auto choice = "Choose one of: " + join(names, ", ") + ".";
        if (!chosen)
            return bad("Partition",
                       m_profile.partition.empty() ? "the cluster has no default partition"
                                                   : "there is no partition '" + m_profile.partition + "'",
                       choice);
        const auto found = chosen->name + ": " + std::to_string(chosen->nodes) +
                           (chosen->nodes == 1 ? " node × " : " nodes × ") +
                           std::to_string(chosen->cpusPerNode) + " cores, time limit " + chosen->timeLimit;
        if (!chosen->up) return bad("Partition", found + ", down", "Wait until it is up. " + choice);
        m_partitionUsable = true;
        good("Partition", found);
        m_hasGpus = chosen->gres.starts_with("gpu");
        if (m_hasGpus) return good("GPUs", chosen->gres + " a node");
        warn("GPUs", "partition " + chosen->name + " has none", "Training runs on CPUs there. " + choice);
    }

    void account() {
        if (!m_facts->accounting) return good("Account", "not needed: the cluster keeps no accounts");
        const auto accounts = m_scheduler->accounts(m_stop);
        if (m_profile.account.empty())
            return good("Account",
                        accounts.empty() ? "the cluster's default" : "yours: " + join(accounts, ", "));
        if (accounts.empty() || std::ranges::count(accounts, m_profile.account))
            return good("Account", m_profile.account);
        bad("Account", "you may not charge '" + m_profile.account + "'",
            "Choose one of: " + join(accounts, ", ") + ".");
    }

    void workspace() {
        m_workspace = resolveWorkspace(*m_session, m_profile, m_stop);
        const auto free = std::atoll(
            m_session->run("df -Pk -- " + shellQuote(m_workspace) + " | awk 'NR == 2 {print $4}'", m_stop)
                .out.c_str());
        const auto found =
            m_workspace + " can be written, " + binarySizeText(1024.0 * static_cast<double>(free)) + " free";
        if (free >= kLittleSpaceKb) return good("Workspace", found);
        warn("Workspace", found,
             "Checkpoints soon fill that: free some space, or choose another file system.");
    }

    const ClusterProfile& m_profile;
    std::stop_token m_outerStop;
    std::stop_token m_stop;  ///< of the step that is looked at
    std::chrono::seconds m_queueTimeout, m_responseTimeout;
    std::vector<ClusterFinding> m_findings;
    std::unique_ptr<ssh::Session> m_session;
    std::optional<slurm::Scheduler> m_scheduler;
    std::optional<slurm::ClusterFacts> m_facts;
    std::string m_workspace;
    bool m_shellWorks = false;
    bool m_partitionUsable = false;
    bool m_hasGpus = false;
};

}  // namespace

std::vector<ClusterFinding> checkCluster(const ClusterProfile& profile, ssh::Prompter& prompter,
                                         const FindingCallback& report, const std::stop_token& stop,
                                         std::chrono::seconds queueTimeout,
                                         std::chrono::seconds responseTimeout) {
    return ClusterCheck(profile, report, stop, queueTimeout, responseTimeout).run(prompter);
}

Verdict worstVerdict(const std::vector<ClusterFinding>& findings) {
    Verdict worst = Verdict::Good;
    for (const auto& finding : findings) worst = std::max(worst, finding.verdict);
    return worst;
}

std::string describe(const ClusterFinding& finding) {
    return finding.what + ": " + finding.found + (finding.found.ends_with('.') ? "" : ".") +
           (finding.remedy.empty() ? "" : " " + finding.remedy);
}

}  // namespace dailies::remote
