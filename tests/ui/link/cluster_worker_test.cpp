#include "ui/link/cluster_worker.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/ids.h"
#include "core/base/process.h"
#include "core/base/text.h"
#include "core/config/schema.h"
#include "core/events/event.h"
#include "core/tracking/run_tags.h"
#include "core/tracking/store.h"
#include "core/video/clip_file.h"
#include "remote/follow/follow.h"
#include "remote/sandbox/sandbox.h"
#include "tests/ui/link/ssh_connections.h"
#include "tests/ui/wait_until.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <signal.h>
#include <vector>

namespace dailies::ui {
namespace {

namespace sandbox = remote::sandbox;

constexpr int kPatience = 60'000;

/// As a network failure would; the listener stays.
void breakConnections(const std::filesystem::path& sandboxFolder) {
    for (const int process : test::sshConnections(sandboxFolder)) ::kill(process, SIGKILL);
}

class ClusterWorkerTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        s_folder = std::make_unique<TemporaryFolder>("dailies-ui-sandbox");
        sandbox::Options options;
        options.folder = s_folder->path() / "sandbox";
        s_status = sandbox::up(options);
    }

    static void TearDownTestSuite() {
        sandbox::down(s_folder->path() / "sandbox");
        s_folder.reset();
    }

    static std::unique_ptr<TemporaryFolder> s_folder;
    static sandbox::Status s_status;
    TemporaryFolder m_folder;
};

std::unique_ptr<TemporaryFolder> ClusterWorkerTest::s_folder;
sandbox::Status ClusterWorkerTest::s_status;

TEST_F(ClusterWorkerTest, ConnectsAndTellsWhatSlurmOffers) {
    ClusterWorker worker(m_folder.path() / "dailies.db");
    QStringList lines;
    QObject::connect(&worker, &ClusterWorker::progress, &worker, [&](const QString& line) { lines << line; });
    worker.connectTo(*s_status.profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    ASSERT_TRUE(worker.info().has_value());
    EXPECT_FALSE(worker.info()->facts.version.empty());
    EXPECT_FALSE(worker.info()->facts.partitions.empty());
    EXPECT_FALSE(lines.isEmpty());
}

TEST_F(ClusterWorkerTest, ReconnectsByItselfWhenTheConnectionBreaks) {
    remote::ClusterProfile profile = *s_status.profile;
    profile.pollSeconds = 1;
    ClusterWorker worker(m_folder.path() / "dailies.db");
    std::vector<ConnectionState> states;
    QObject::connect(&worker, &ClusterWorker::stateChanged, &worker,
                     [&](ConnectionState state) { states.push_back(state); });
    worker.connectTo(profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    states.clear();
    breakConnections(s_status.folder);
    worker.pollNow();
    ASSERT_TRUE(
        waitUntil([&] { return !states.empty() && states.back() == ConnectionState::Connected; }, kPatience));
    EXPECT_EQ(states.front(), ConnectionState::Reconnecting);
}

TEST_F(ClusterWorkerTest, ASweepThatCannotTrainIsToldBeforeAnythingIsBuilt) {
    ClusterWorker worker(m_folder.path() / "dailies.db");
    worker.connectTo(*s_status.profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    std::string refused;
    QObject::connect(&worker, &ClusterWorker::launchFailed, &worker,
                     [&](const Error& error) { refused = error.full(); });
    sweep::Sweep impossible;
    impossible.name = "impossible";
    impossible.experiment = "Default";
    config::setByKey(impossible.config, "model.width", 65);
    worker.launch({impossible});
    ASSERT_TRUE(waitUntil([&] { return !refused.empty(); }, kPatience));
    EXPECT_NE(refused.find("model.width"), std::string::npos) << refused;
    EXPECT_FALSE(worker.busy());
    EXPECT_EQ(worker.state(), ConnectionState::Connected);
}

TEST_F(ClusterWorkerTest, WithoutAConnectionALaunchSaysToConnect) {
    ClusterWorker worker(m_folder.path() / "dailies.db");
    std::string refused;
    QObject::connect(&worker, &ClusterWorker::launchFailed, &worker,
                     [&](const Error& error) { refused = error.full(); });
    worker.launch({});
    ASSERT_TRUE(waitUntil([&] { return !refused.empty(); }));
    EXPECT_NE(refused.find("no connection"), std::string::npos) << refused;
}

TEST_F(ClusterWorkerTest, LooksAtTheClusterOnlyWhileSomebodySeesItAndKeepsWhatItSaw) {
    ClusterWorker worker(m_folder.path() / "dailies.db");
    std::shared_ptr<const remote::ClusterView> seen;
    int looks = 0, calls = 0;
    QObject::connect(&worker, &ClusterWorker::clusterViewUpdated, &worker,
                     [&](const std::shared_ptr<const remote::ClusterView>& view, int inMinute) {
                         seen = view;
                         calls = inMinute;
                         ++looks;
                     });
    worker.connectTo(*s_status.profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    worker.refreshClusterView();
    EXPECT_FALSE(waitUntil([&] { return looks > 0; }, 500)) << "nobody sees it";
    worker.watchCluster(true);
    ASSERT_TRUE(waitUntil([&] { return looks == 1; }, kPatience));
    EXPECT_EQ(seen->cluster, "sandbox");
    EXPECT_EQ(seen->snapshot.nodes.size(), 2u);
    EXPECT_GE(calls, 1);
    EXPECT_TRUE(waitUntil(
        [&] { return remote::loadSnapshot(m_folder.path() / "dailies.db", "sandbox").has_value(); }));
    worker.refreshClusterView();
    EXPECT_TRUE(waitUntil([&] { return looks == 2; }, kPatience));
}

TEST_F(ClusterWorkerTest, HoldsReleasesAndCancelsJobsThatDailiesDidNotSubmit) {
    ClusterWorker worker(m_folder.path() / "dailies.db");
    std::shared_ptr<const remote::ClusterView> seen;
    QObject::connect(&worker, &ClusterWorker::clusterViewUpdated, &worker,
                     [&](const std::shared_ptr<const remote::ClusterView>& view, int) { seen = view; });
    const auto submitted = runProcess(
        {"sh", "-c",
         "printf '#!/bin/sh\\ntrue\\n' | sbatch --parsable --begin=now+1hour --output=/dev/null --mem=50M"},
        {.environment = {{"SLURM_CONF", (s_status.folder / "slurm.conf").string()}}});
    const std::string job(trim(submitted.out));
    ASSERT_TRUE(submitted.ok()) << submitted.err;
    const auto reason = [&]() -> std::string {
        if (seen)
            for (const auto& one : seen->snapshot.jobs)
                if (one.status.job == job) return one.status.reason;
        return "gone";
    };
    worker.connectTo(*s_status.profile);
    worker.watchCluster(true);
    ASSERT_TRUE(waitUntil([&] { return reason() != "gone"; }, kPatience));
    worker.changeJobs(ClusterWorker::JobChange::Hold, {job});
    EXPECT_TRUE(waitUntil([&] { return reason() == "JobHeldUser"; }, kPatience));
    worker.changeJobs(ClusterWorker::JobChange::Release, {job});
    EXPECT_TRUE(waitUntil([&] { return reason() != "JobHeldUser"; }, kPatience));
    worker.changeJobs(ClusterWorker::JobChange::Cancel, {job});
    EXPECT_TRUE(waitUntil([&] { return reason() == "gone"; }, kPatience));
    std::string why;
    QObject::connect(&worker, &ClusterWorker::usageUnavailable, &worker,
                     [&](const std::string&, const QString& text) { why = text.toStdString(); });
    worker.measureUsage(job);
    ASSERT_TRUE(waitUntil([&] { return !why.empty(); }, kPatience));
    EXPECT_NE(why.find("does not run"), std::string::npos) << why;
}

TEST_F(ClusterWorkerTest, BringsAClipThatSomebodyOpensAndSaysWhyItCannot) {
    const std::filesystem::path database = m_folder.path() / "dailies.db", path = "clips/a.mp4";
    tracking::Run run;
    run.id = newId();
    run.experiment = "tests";
    run.tags[tracking::tag::kCluster] = s_status.profile->name;
    const auto here = remote::mirrorFolder(database) / run.id / path;
    const auto there = std::filesystem::path(s_status.profile->workspace) / "runs" / run.id / path;
    {
        tracking::Store store(database);
        store.createRun(run);
        events::Clip clip;
        clip.step = 10;
        clip.prompt = "red";
        clip.path = path;
        clip.frames = 2;
        clip.fps = 8;
        events::Event event;
        event.seq = event.attempt = 1;
        event.payload = clip;
        store.ingest(run.id, {event}, 1);
        store.setClipLocalPath(run.id, path, here.string());  // and was let go since
    }
    std::filesystem::create_directories(there.parent_path());
    const std::vector<std::uint8_t> grey(std::size_t{3} * 32 * 32, 128);
    video::writeClip(there, {{32, 32, grey}, {32, 32, grey}}, {});

    ClusterWorker worker(database);
    std::optional<QString> settled;
    QObject::connect(&worker, &ClusterWorker::clipFetchFinished, &worker,
                     [&](const std::string& file, const QString& why) {
                         EXPECT_EQ(file, here.string());
                         settled = why;
                     });
    const auto opened = [&] {
        settled.reset();
        worker.fetchClip(here.string());
        EXPECT_TRUE(waitUntil([&] { return settled.has_value(); }, kPatience));
        return settled.value_or("never settled").toStdString();
    };
    EXPECT_THAT(opened(), testing::HasSubstr("which is not connected. Connect to cluster"));
    worker.connectTo(*s_status.profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    std::filesystem::remove(here);  // it may have come by itself
    EXPECT_EQ(opened(), "");
    EXPECT_EQ(readFile(here), readFile(there));
    std::filesystem::remove(here);
    std::filesystem::remove(there);
    EXPECT_THAT(opened(), testing::HasSubstr("missing on the cluster"));
}

TEST_F(ClusterWorkerTest, TakesUpRunsThatAnotherStoreLaunched) {
    const std::filesystem::path workspace = s_status.profile->workspace;
    const std::string sweep = newId(), run = newId();
    writeFileAtomically(workspace / "sweeps" / sweep / "sweep.json",
                        Json{{"sweep_id", sweep},
                             {"name", "lr"},
                             {"yaml", "name: lr\nparameters: {optimizer.lr: {values: [0.01]}}\n"},
                             {"runs", Json::array({{{"run_id", run}, {"name", "lr=0.01"}}})}}
                            .dump());
    std::filesystem::create_symlink("999999", workspace / "sweeps" / sweep / "job");
    writeFileAtomically(workspace / "runs" / run / "config.json", R"({"optimizer": {"lr": 0.01}})");
    writeFileAtomically(
        workspace / "runs" / run / "events.jsonl",
        "{\"seq\":1,\"attempt\":1,\"time\":1,\"type\":\"metrics\",\"step\":7,\"values\":{\"loss\":0.5}}\n");
    ClusterWorker worker(m_folder.path() / "dailies.db");
    std::vector<remote::UntrackedSweep> found;
    QStringList notification;
    QObject::connect(&worker, &ClusterWorker::untrackedFound, &worker,
                     [&](const std::vector<remote::UntrackedSweep>& sweeps) { found = sweeps; });
    QObject::connect(&worker, &ClusterWorker::notificationPosted, &worker,
                     [&](const QString& text) { notification << text; });
    worker.connectTo(*s_status.profile);
    ASSERT_TRUE(waitUntil([&] { return worker.state() == ConnectionState::Connected; }, kPatience));
    worker.findUntracked();
    ASSERT_TRUE(waitUntil([&] { return found.size() == 1; }, kPatience));
    EXPECT_EQ(found[0].id, sweep);
    worker.adopt(found);
    ASSERT_TRUE(waitUntil([&] { return found.empty(); }, kPatience))
        << "what was adopted is not offered again";
    EXPECT_TRUE(notification.contains("Adopted 1 run")) << notification.join('\n').toStdString();
    const tracking::Store store(m_folder.path() / "dailies.db");
    ASSERT_TRUE(
        waitUntil([&] { return store.run(run) && store.run(run)->metrics.contains("loss"); }, kPatience));
    EXPECT_EQ(store.run(run)->params.at("optimizer.lr"), "0.01");
}

TEST_F(ClusterWorkerTest, EndsAtOnceWhileItIsConnecting) {
    auto worker = std::make_unique<ClusterWorker>(m_folder.path() / "dailies.db");
    worker->connectTo(*s_status.profile);
    waitUntil([] { return false; }, 20);
    QElapsedTimer time;
    time.start();
    worker.reset();
    EXPECT_LT(time.elapsed(), 5000);
}

}  // namespace
}  // namespace dailies::ui
