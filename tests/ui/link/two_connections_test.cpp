// A launch whose trainer waits for its turn on a full cluster, and all that goes on meanwhile.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "remote/sandbox/sandbox.h"
#include "tests/ui/link/ssh_connections.h"
#include "tests/ui/wait_until.h"
#include "ui/link/cluster_worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <signal.h>
#include <string>
#include <vector>

namespace dailies::ui {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;
namespace sandbox = remote::sandbox;

constexpr int kPatience = 90'000;

/// Trains for ever: a point every fifth of a second.
constexpr const char* kTrain = R"sh(for step in $(seq 1 100000); do
    echo "{\"step\": $step, \"loss\": 0.5}" >>"$DAILIES_RUN_DIR/metrics.jsonl"
    sleep 0.2
done
)sh";

constexpr const char* kOwnSweep = R"(program: train.sh
command: [bash, "${program}", "${args}"]
method: grid
parameters: {lr: {values: [0.1, 0.2]}}
resources: {memory: 30M, parallel_runs: 2, time_limit: "0:30:00"}
)";

constexpr const char* kTrainerSweep = R"(name: waits
parameters: {optimizer.lr: {value: 0.001}}
resources: {memory: 400M, time_limit: "0:10:00"}
)";

class TwoConnections : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("dailies-two-connections");
        sandbox::Options options;
        options.folder = s_folder->path() / "s";
        options.cpusPerNode = 2;
        s_status = sandbox::up(options);
        s_status.profile->pollSeconds = 1;
        // a trainer could be built; it never comes to that
        s_status.profile->torchDir = (s_folder->path() / "torch").string();
        writeFileAtomically(s_folder->path() / "torch/TorchConfig.cmake", "");
    }
    static void TearDownTestSuite() {
        sandbox::down(s_folder->path() / "s");
        s_folder.reset();
    }

    /// Two runs train, and nothing else finds room on the cluster. Nothing long was asked of it yet.
    void SetUp() override {
        fs::create_directories(m_folder.path() / "code");
        writeFileAtomically(m_folder.path() / "code/train.sh", kTrain);
        startWorker();
        remote::LaunchRequest own;
        own.sweep = sweep::parseSweep(kOwnSweep, "own.yaml");
        own.sweep.program->code = {sweep::Code::Place::Local, (m_folder.path() / "code").string()};
        m_worker->launch(own);
        ASSERT_TRUE(waitUntil([&] { return m_launched.size() == 2 || m_failure; }, kPatience));
        ASSERT_FALSE(m_failure) << m_failure->full();
        m_runs = m_launched;
        for (const auto& run : m_runs)
            ASSERT_TRUE(waitUntil([&] { return lastStep(run) > 0; }, kPatience)) << "no run trains";
        m_worker.reset();
        startWorker();
        slurm("printf '#!/bin/sh\\nsleep 600\\n' | sbatch --array=1-8 --mem=20M --output=/dev/null");
    }
    void TearDown() override {
        m_worker.reset();
        slurm(
            "scancel --user=\"$(id -un)\"; scancel --signal=KILL --user=\"$(id -un)\"; "
            "while [ -n \"$(squeue -h)\" ]; do sleep 0.2; done");
    }

    void startWorker() {
        m_states.clear();
        m_worker = std::make_unique<ClusterWorker>(file());
        auto* worker = m_worker.get();
        QObject::connect(worker, &ClusterWorker::launched, worker,
                         [this](const QString&, const auto& ids) { m_launched = ids; });
        QObject::connect(worker, &ClusterWorker::launchFailed, worker,
                         [this](const Error& error) { m_failure = error; });
        QObject::connect(worker, &ClusterWorker::launchStopped, worker, [this] { m_stopped = true; });
        QObject::connect(worker, &ClusterWorker::progress, worker,
                         [this](const QString& line) { m_lines << line; });
        worker->connectTo(*s_status.profile);
        ASSERT_TRUE(waitUntil([&] { return worker->state() == ConnectionState::Connected; }, kPatience));
        QObject::connect(worker, &ClusterWorker::stateChanged, worker,
                         [this](ConnectionState state) { m_states.push_back(state); });
    }

    /// A sweep of our trainer, which has to be built first and finds no room: returns once that waits.
    void launchWhatWaits() {
        m_lines.clear();
        m_launched.clear();
        m_worker->launch({sweep::parseSweep(kTrainerSweep, "waits.yaml")});
        ASSERT_TRUE(waitUntil([&] { return m_failure || !m_lines.filter("The build is queued").isEmpty(); },
                              kPatience))
            << m_lines.join('\n').toStdString();
        ASSERT_TRUE(stillWaits());
    }
    bool stillWaits() {
        EXPECT_FALSE(m_failure) << m_failure->full();
        EXPECT_TRUE(m_launched.empty());
        return m_worker->busy() && !m_stopped && !m_failure && m_launched.empty();
    }

    fs::path file() const { return m_folder.path() / "dailies.db"; }
    tracking::Run run(const std::string& id) const {
        return tracking::Store(file(), tracking::Store::Mode::ReadOnly).run(id).value();
    }
    std::int64_t lastStep(const std::string& run) const {
        const tracking::Store store(file(), tracking::Store::Mode::ReadOnly);
        const auto points = store.history(run, "loss");
        return points.empty() ? 0 : points.back().step;
    }
    bool grows(const std::string& run) const {
        const auto before = lastStep(run);
        return waitUntil([&] { return lastStep(run) > before + 1; }, kPatience);
    }
    std::string slurm(const std::string& script) const {
        const auto answer =
            runProcess({"sh", "-c", script},
                       {.environment = {{"SLURM_CONF", (s_status.folder / "slurm.conf").string()}}});
        return std::string(trim(answer.out));
    }
    std::string buildJobs() const { return slurm("squeue -h -o %j | grep -c build"); }

    static inline std::unique_ptr<TemporaryFolder> s_folder;
    static inline sandbox::Status s_status;
    TemporaryFolder m_folder;
    std::unique_ptr<ClusterWorker> m_worker;
    std::vector<std::string> m_runs, m_launched;
    std::optional<Error> m_failure;
    bool m_stopped = false;
    QStringList m_lines;
    std::vector<ConnectionState> m_states;
};

TEST_F(TwoConnections, NothingShortWaitsForALaunchThatWaits) {
    launchWhatWaits();
    QElapsedTimer time;

    EXPECT_TRUE(grows(m_runs[0])) << "it is not followed";
    EXPECT_TRUE(stillWaits());

    std::optional<remote::RemoteFolder> listed;
    QObject::connect(m_worker.get(), &ClusterWorker::folderListed, m_worker.get(),
                     [&](const std::string&, const remote::RemoteFolder& folder) { listed = folder; });
    time.start();
    m_worker->browse(s_status.profile->workspace);
    ASSERT_TRUE(waitUntil([&] { return listed.has_value(); }, kPatience));
    std::cout << "a folder was listed in " << time.elapsed() << " ms\n";
    EXPECT_FALSE(listed->items.empty());
    EXPECT_TRUE(stillWaits());

    bool acknowledged = false;
    QObject::connect(m_worker.get(), &ClusterWorker::runsChanged, m_worker.get(),
                     [&](const std::vector<std::string>& ids) {
                         // a round of following that is told late cannot know of it yet
                         acknowledged |= ids == std::vector{m_runs[1]} &&
                                         run(m_runs[1]).tags.contains(tracking::tag::kCancelled);
                     });
    time.start();
    m_worker->cancelRuns({m_runs[1]});
    ASSERT_TRUE(waitUntil([&] { return acknowledged; }, kPatience));
    std::cout << "cancel was acknowledged in " << time.elapsed() << " ms\n";
    EXPECT_TRUE(waitUntil([&] { return run(m_runs[1]).status == tracking::RunStatus::Killed; }, kPatience));
    EXPECT_TRUE(stillWaits());
    EXPECT_TRUE(m_states.empty()) << "following was disturbed";
}

TEST_F(TwoConnections, StoppingTheWorkLeavesTheRunsFollowed) {
    launchWhatWaits();
    EXPECT_EQ(buildJobs(), "1");
    m_worker->stopWork();
    ASSERT_TRUE(waitUntil([&] { return m_stopped; }, kPatience));
    EXPECT_FALSE(m_worker->busy());
    EXPECT_EQ(buildJobs(), "0");
    EXPECT_TRUE(grows(m_runs[0]));
    EXPECT_TRUE(m_states.empty());
}

TEST_F(TwoConnections, WhoLeavesTheClusterLeavesItsWorkToo) {
    launchWhatWaits();
    m_worker->goOffline();
    EXPECT_TRUE(waitUntil([&] { return m_stopped; }, kPatience));
    EXPECT_TRUE(waitUntil([&] { return m_worker->state() == ConnectionState::Offline; }, kPatience));
    EXPECT_TRUE(waitUntil([&] { return test::sshConnections(s_status.folder).empty(); }, kPatience));
    EXPECT_EQ(buildJobs(), "0");
    EXPECT_FALSE(m_worker->busy());
}

TEST_F(TwoConnections, WhoGoesToAnotherClusterLeavesTheWorkOfTheFirst) {
    launchWhatWaits();
    bool looked = false;
    std::optional<Error> failure;
    QObject::connect(m_worker.get(), &ClusterWorker::untrackedFound, m_worker.get(), [&] { looked = true; });
    QObject::connect(m_worker.get(), &ClusterWorker::failed, m_worker.get(),
                     [&](const Error& error) { failure = error; });
    m_worker->findUntracked();  // waits behind the launch
    auto other = *s_status.profile;
    other.name = "other";
    m_worker->connectTo(other);
    EXPECT_TRUE(waitUntil([&] { return m_stopped; }, kPatience));
    EXPECT_TRUE(waitUntil([&] { return failure.has_value(); }, kPatience));
    EXPECT_FALSE(looked) << "what was asked of the first cluster was asked of the second";
    EXPECT_TRUE(waitUntil(
        [&] {
            return !m_states.empty() && m_states.back() == ConnectionState::Connected &&
                   test::sshConnections(s_status.folder).size() == 1;
        },
        kPatience));
    m_worker->findUntracked();
    EXPECT_TRUE(waitUntil([&] { return looked; }, kPatience));
}

TEST_F(TwoConnections, AWorkConnectionThatBreaksFailsTheLaunchAndNothingElse) {
    const auto follower = test::sshConnections(s_status.folder);
    ASSERT_EQ(follower.size(), 1U) << "nobody signs in twice before something long is asked";
    launchWhatWaits();
    for (const int process : test::sshConnections(s_status.folder))
        if (!follower.contains(process)) ::kill(process, SIGKILL);
    ASSERT_TRUE(waitUntil([&] { return m_failure.has_value(); }, kPatience));
    EXPECT_THAT(m_failure->full(), HasSubstr("Nothing was launched"));
    EXPECT_FALSE(m_worker->busy());
    EXPECT_TRUE(grows(m_runs[0]));
    EXPECT_TRUE(m_states.empty());
    EXPECT_EQ(test::sshConnections(s_status.folder), follower);

    bool looked = false;
    QObject::connect(m_worker.get(), &ClusterWorker::untrackedFound, m_worker.get(), [&] { looked = true; });
    m_worker->findUntracked();
    EXPECT_TRUE(waitUntil([&] { return looked; }, kPatience)) << "the next work signs in again";
}

TEST_F(TwoConnections, QuittingDoesNotWaitForALaunchThatWaits) {
    launchWhatWaits();
    QElapsedTimer time;
    time.start();
    m_worker.reset();
    std::cout << "the program ended in " << time.elapsed() << " ms\n";
    EXPECT_TRUE(m_launched.empty());
}

TEST_F(TwoConnections, ALaunchWhoseJobNobodyKnowsIsSettledWhileTheRunsAreFollowed) {
    m_worker.reset();
    std::string sweep, job;
    {
        tracking::Store store(file());
        sweep = tagOf(*store.run(m_runs[0]), tracking::tag::kSweep);
        job = store.sweep(sweep)->jobId;
        store.setSweepJob(sweep, "");  // as where the desktop ended before sbatch had answered
    }
    startWorker();
    EXPECT_TRUE(waitUntil(
        [&] { return tracking::Store(file(), tracking::Store::Mode::ReadOnly).sweep(sweep)->jobId == job; },
        kPatience));
    EXPECT_TRUE(grows(m_runs[0]));
}

}  // namespace
}  // namespace dailies::ui
