#include "remote/service/follow_service.h"

#include "core/tracking/store_lock.h"
#include "core/tracking/store_read_only_error.h"
#include "remote/launch/extend.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

namespace dailies::remote {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using tracking::RunStatus;

class FollowingAll : public SandboxTest {
protected:
    FollowTask task(std::function<bool(const FollowReport&)> done) {
        FollowTask task;
        task.connect = [this] { return std::make_unique<Cluster>(m_profile, m_prompter); };
        task.done = std::move(done);
        task.progress = [this](const std::string& line) { m_lines.push_back(line); };
        return task;
    }
    void followAll(FollowTask task, std::stop_token stop = {}) {
        followUntilDone(std::move(task), m_profile, m_store, stop);
    }
    static bool allEnded(const FollowReport& report) { return report.activeRuns == 0 && isComplete(report); }

    ClusterProfile m_profile = s_profile;
    std::vector<std::string> m_lines;
};

TEST_F(FollowingAll, AsksSlurmNoMoreOftenThanItsUserAllows) {
    trainer("sleep 60\nfinish");
    Cluster cluster = connect();
    launch(cluster, plan(cluster), m_store);
    m_profile.pollSeconds = 1;
    m_profile.callsPerMinute = 3;
    int rounds = 0;
    std::stop_source stop;
    std::jthread stopping([&] {
        std::this_thread::sleep_for(8s);
        stop.request_stop();
    });
    EXPECT_THROW(followAll(task([&](const FollowReport&) { return ++rounds, false; }), stop.get_token()),
                 Cancelled);
    EXPECT_EQ(rounds, 3) << "the fourth may be asked a minute after the first";
}

TEST_F(FollowingAll, ALaunchThatSlurmRefusesKeepsNoOtherRunFromBeingFollowed) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan good = plan(cluster);
    launch(cluster, good, m_store);
    LaunchPlan refused = plan(cluster);  // its desktop died before sbatch
    refused.script.replace(refused.script.find("#SBATCH"), 7, "#SBATCH --partition=nowhere\n#SBATCH");
    recordLaunch(cluster, refused, m_store);
    LaunchPlan unsent = plan(cluster);
    recordLaunch(cluster, unsent, m_store);

    followAll(task(allEnded));
    EXPECT_EQ(runOf(good).status, RunStatus::Finished);
    EXPECT_EQ(runOf(refused).status, RunStatus::Failed);
    EXPECT_EQ(runOf(unsent).status, RunStatus::Finished);
    EXPECT_THAT(m_lines, Contains(HasSubstr("nowhere"))) << "nobody was told";
}

TEST_F(FollowingAll, ALaunchThatSlurmRefusesKeepsNoOlderOneFromBeingSent) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan unsent = plan(cluster);
    recordLaunch(cluster, unsent, m_store);
    std::vector<LaunchPlan> refused;
    for (const std::string partition : {"nowhere", "neverland"}) {  // the newest is looked at first
        refused.push_back(plan(cluster));
        auto& script = refused.back().script;
        script.replace(script.find("#SBATCH"), 7, "#SBATCH --partition=" + partition + "\n#SBATCH");
        recordLaunch(cluster, refused.back(), m_store);
    }
    std::vector<std::string> told;
    settleLaunches(cluster, m_store, {}, [&](const Error& error) { told.push_back(error.full()); });
    EXPECT_THAT(told, ElementsAre(HasSubstr("neverland"), HasSubstr("nowhere")));
    for (const auto& plan : refused) EXPECT_EQ(runOf(plan).status, RunStatus::Failed);
    EXPECT_NE(m_store.sweep(unsent.sweepId)->jobId, "");
}

TEST_F(FollowingAll, WhereAnotherDailiesHasTheStoreItRefusesOrWatches) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    std::optional<tracking::StoreLock> other(std::in_place, m_store.file());
    EXPECT_THROW(followAll(task(allEnded)), tracking::StoreReadOnlyError);

    const auto ended = [&](const FollowReport&) { return !isActive(runOf(sent).status); };
    auto watch = task(ended);
    watch.watchIfFollowed = true;
    watch.connect = []() -> std::unique_ptr<Cluster> { throw Error("it asked the cluster, too"); };
    std::jthread window([&] {
        tracking::Store store(m_store.file());
        Cluster own = connect();
        Follower follower(own, store, mirror());
        while (follower.pollOnce().activeRuns > 0) std::this_thread::sleep_for(200ms);
    });
    followAll(std::move(watch));
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    EXPECT_THAT(m_lines, Contains(HasSubstr("another Dailies")));
}

TEST_F(FollowingAll, GoesOnWhereTheOtherDailiesEnded) {
    trainer("metric 1 0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    std::optional<tracking::StoreLock> other(std::in_place, m_store.file());
    auto watch = task([&](const FollowReport&) {
        other.reset();
        return !isActive(runOf(sent).status);
    });
    watch.watchIfFollowed = true;
    followAll(std::move(watch));
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
}

TEST_F(FollowingAll, ARunThatAnotherProgramExtendsIsFollowedOn) {
    trainer(
        "metric \"$(sed -n 's/^ *\"steps\": *\\([0-9]*\\).*/\\1/p' \"$run/config.json\" | head -1)\" "
        "0.5\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    FollowService service(cluster, m_store, std::make_shared<PollRateLimiter>());
    const auto toTheEnd = [&] {
        const auto end = std::chrono::steady_clock::now() + 60s;
        while (service.poll({}).activeRuns > 0) {
            ASSERT_LT(std::chrono::steady_clock::now(), end);
            std::this_thread::sleep_for(200ms);
        }
    };
    toTheEnd();
    ASSERT_EQ(runOf(sent).status, RunStatus::Finished);
    const auto before = runOf(sent).metrics.at("loss").step;
    {
        tracking::Store theirs(m_store.file());
        extendRun(cluster, theirs, sent.runIds[0], before + 500);
    }
    toTheEnd();
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    EXPECT_EQ(runOf(sent).metrics.at("loss").step, before + 500);
}

TEST_F(FollowingAll, ASilentControllerEndsNothing) {
    trainer("metric 1 0.5\nsleep 3\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster);
    launch(cluster, sent, m_store);
    std::jthread restart;
    followAll(task([&](const FollowReport& report) {
        if (!restart.joinable()) {
            stopController(cluster);
            restart = std::jthread([&] {
                std::this_thread::sleep_for(4s);
                startController(cluster);
            });
        }
        return allEnded(report);
    }));
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    EXPECT_THAT(m_lines, Contains(HasSubstr("slurmctld does not answer")));
}

}  // namespace
}  // namespace dailies::remote
