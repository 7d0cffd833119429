#pragma once

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "remote/cluster/cluster.h"
#include "remote/follow/follow.h"
#include "remote/launch/launch.h"
#include "remote/sandbox/layout.h"
#include "remote/sandbox/processes.h"
#include "remote/sandbox/sandbox.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace dailies::remote {

/// A key that known_hosts lacks is not to be trusted, and nobody is there to type.
class Nobody : public ssh::Prompter {
public:
    Trust trustHostKey(const ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

/// A sandbox cluster, a store, and a shell script in dailies-train's place that takes seconds where training
/// takes minutes.
class SandboxTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("sandbox");
        sandbox::Options options;
        options.folder = s_folder->path() / "s";
        options.cpusPerNode = 2;
        s_profile = *sandbox::up(options).profile;
    }
    static void TearDownTestSuite() {
        sandbox::down(s_folder->path() / "s");
        s_folder.reset();
    }

    Cluster connect() { return Cluster(s_profile, m_prompter); }

    /// Ends the cluster's slurmctld. Jobs go on.
    static void stopController(Cluster& cluster) {
        const auto ended = cluster.session().run(
            "scontrol shutdown slurmctld; while scontrol ping | grep -q UP; do sleep 0.1; done\n");
        ASSERT_TRUE(ended.ok()) << ended.err;
    }
    static void startController(Cluster& cluster) {
        const sandbox::Layout layout{s_folder->path() / "s"};
        const auto state = *sandbox::readState(layout);
        sandbox::startDaemon({findProgram("slurmctld").value_or("slurmctld").string(), "-D"},
                             {{"PATH", "/usr/sbin:/usr/bin:/sbin:/bin"},
                              {"USER", state.user},
                              {"SLURM_CONF", layout.slurmConf().string()},
                              {sandbox::kMarkVariable, state.mark}},
                             layout.log("slurmctld-again"));
        const auto up = cluster.session().run(
            "for i in $(seq 1 600); do scontrol ping | grep -q UP && exit 0; sleep 0.1; done; exit 1\n");
        ASSERT_TRUE(up.ok()) << "slurmctld did not come back";
    }

    /// `body`: shell lines between the start event and the trainer's exit. `emit JSON-members` appends an
    /// event.
    void trainer(const std::string& body) {
        writeFileAtomically(
            m_files.path() / "trainer",
            "#!/bin/bash\nrun=$(dirname \"$3\")\nevents=$run/events.jsonl\ntouch \"$events\"\n"
            "task=$SLURM_ARRAY_TASK_ID\nrestarts=${SLURM_RESTART_COUNT:-0}\n"
            "emit() {\n"
            "    printf '{\"seq\":%d,\"attempt\":%d,\"time\":%s,%s}\\n' $(($(wc -l <\"$events\") + 1)) "
            "$((restarts + 1)) \"$(date +%s.%N)\" \"$1\" >>\"$events\"\n}\n"
            "metric() { emit "
            "\"\\\"type\\\":\\\"metrics\\\",\\\"step\\\":$1,\\\"values\\\":{\\\"loss\\\":$2}\"; }\n"
            "finish() { emit '\"type\":\"end\",\"status\":\"finished\",\"step\":9,\"reason\":\"\"'; }\n"
            "emit "
            "\"\\\"type\\\":\\\"start\\\",\\\"trainer\\\":\\\"1\\\",\\\"host\\\":\\\"h\\\",\\\"ranks\\\":1,"
            "\\\"job\\\":\\\"${SLURM_ARRAY_JOB_ID}_$task\\\",\\\"restarts\\\":$restarts,\\\"facts\\\":{}"
            "\"\n" +
                body + "\n",
            std::filesystem::perms::owner_all);
    }

    LaunchPlan plan(const Cluster& cluster, int runs = 1) const {
        sweep::Sweep sweep;
        sweep.name = "quick";
        sweep.experiment = "tests";
        sweep::Parameter seed;
        seed.key = "seed";
        seed.kind = sweep::Parameter::Kind::Values;
        for (int i = 0; i < runs; ++i) seed.values.push_back(i);
        sweep.parameters = {seed};
        sweep.resources.parallelRuns = 4;
        sweep.resources.memory = "100M";
        sweep.resources.timeLimit = "0:10:00";
        return planLaunch(sweep, s_profile, cluster.workspace(),
                          {"test", (m_files.path() / "trainer").string()});
    }

    /// A client of its own, killed when all is recorded and nothing submitted.
    template <typename Launch>
    void dieBeforeSbatch(Launch launch) {
        const pid_t child = ::fork();
        if (child == 0) {
            Cluster own = connect();
            tracking::Store store(m_store.file());
            launch(own, store, [](const std::string& line) {
                if (line == "Submitting the job array") ::_exit(9);
            });
            ::_exit(0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        ASSERT_EQ(WEXITSTATUS(status), 9);
    }

    std::filesystem::path mirror() const { return mirrorFolder(m_store.file()); }

    /// Polls until `done`; fails the test after `seconds`.
    template <typename Done>
    void follow(Follower& follower, Done done, int seconds = 60) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
        for (;;) {
            const FollowReport report = follower.pollOnce();
            m_newEvents += report.newEvents;
            if (done(report)) return;
            if (std::chrono::steady_clock::now() > end) {
                for (tracking::Run run : m_store.runs())
                    ADD_FAILURE() << "still waiting: " << run.name << " " << toText(run.status) << " "
                                  << run.tags[tracking::tag::kSlurmState] << " "
                                  << run.tags[tracking::tag::kReason];
                return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
        }
    }
    /// Slurm may take two minutes to see that a job is gone which was cancelled as it began.
    void followToTheEnd(Follower& follower, int seconds = 150) {
        follow(
            follower, [](const FollowReport& report) { return report.activeRuns == 0; }, seconds);
    }
    tracking::Run runOf(const LaunchPlan& plan, std::size_t i = 0) const {
        return *m_store.run(plan.runIds[i]);
    }

    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline ClusterProfile s_profile;
    TemporaryFolder m_files;
    Nobody m_prompter;
    tracking::Store m_store{m_files.path() / "dailies.db"};
    int m_newEvents = 0;
};

}  // namespace dailies::remote
