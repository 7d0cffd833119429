#include "remote/launch/adopt.h"

#include "remote/follow/sweep_controller.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

// What another store launched into the same workspace.

namespace dailies::remote {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAreArray;
using tracking::RunStatus;
namespace tag = tracking::tag;

class Adopting : public SandboxTest {
protected:
    tracking::Store m_other{m_files.path() / "other.db"};
};

TEST_F(Adopting, RunsOfAnotherStoreAreTakenUpWithAllTheyLogged) {
    trainer("metric 1 0.5\nmetric 2 0.25\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 2);
    launch(cluster, sent, m_other);
    {
        Follower there(cluster, m_other, mirrorFolder(m_other.file()));
        followToTheEnd(there);
    }

    auto found = findUntrackedSweeps(cluster, m_store);
    const auto at = std::ranges::find(found, sent.sweepId, &UntrackedSweep::id);
    ASSERT_NE(at, found.end());
    EXPECT_EQ(at->name, "quick");
    ASSERT_EQ(at->runs.size(), 2u);
    EXPECT_EQ(at->runs[1].name, "seed=1");
    EXPECT_GT(at->createdMs, 0);

    const auto adopted = adopt(cluster, m_store, {*at});
    EXPECT_THAT(adopted.runIds, UnorderedElementsAreArray(sent.runIds));
    EXPECT_THAT(adopted.notes, IsEmpty());
    Follower here(cluster, m_store, mirror());
    followToTheEnd(here);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto mine = runOf(sent, i);
        const auto theirs = *m_other.run(sent.runIds[i]);
        EXPECT_EQ(mine.status, RunStatus::Finished) << mine.tags.at(tag::kReason);
        EXPECT_EQ(mine.name, theirs.name);
        EXPECT_EQ(mine.experiment, theirs.experiment);
        EXPECT_EQ(mine.params, theirs.params);
        EXPECT_EQ(mine.tags.at(tag::kFolder), theirs.tags.at(tag::kFolder));
        EXPECT_EQ(mine.tags.at(tag::kJob), theirs.tags.at(tag::kJob));
        EXPECT_EQ(m_store.history(mine.id, "loss").size(), 2u);
    }
    found = findUntrackedSweeps(cluster, m_store);
    EXPECT_EQ(std::ranges::find(found, sent.sweepId, &UntrackedSweep::id), found.end()) << "it is here now";
    EXPECT_THAT(resumeLaunches(cluster, m_store), IsEmpty());
}

TEST_F(Adopting, ARunThatGoesOnIsFollowedFromItsBeginning) {
    trainer("metric 1 0.5\nwhile [ ! -e \"$run/go\" ]; do sleep 0.2; done\nmetric 2 0.25\nfinish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 1);
    launch(cluster, sent, m_other);
    const auto chosen = selectUntracked(findUntrackedSweeps(cluster, m_store), {sent.sweepId.substr(0, 8)});
    adopt(cluster, m_store, chosen);
    Follower here(cluster, m_store, mirror());
    follow(here, [&](const FollowReport&) { return runOf(sent).metrics.contains("loss"); });
    EXPECT_EQ(runOf(sent).status, RunStatus::Running);
    cluster.session().run("touch " + cluster.runFolder(sent.runIds[0]) + "/go");
    followToTheEnd(here);
    EXPECT_EQ(runOf(sent).status, RunStatus::Finished);
    EXPECT_EQ(runOf(sent).metrics.at("loss").step, 2);
}

TEST_F(Adopting, ASweepThatWasNeverSubmittedIsNotSubmittedByAdoptingIt) {
    trainer("finish");
    Cluster cluster = connect();
    const LaunchPlan sent = plan(cluster, 1);
    dieBeforeSbatch([&](Cluster& own, tracking::Store&, const Progress& progress) {
        tracking::Store other(m_files.path() / "third.db");
        launch(own, sent, other, progress);
    });
    const auto chosen = selectUntracked(findUntrackedSweeps(cluster, m_store), {sent.sweepId});
    const auto adopted = adopt(cluster, m_store, chosen);
    EXPECT_THAT(adopted.runIds, IsEmpty());
    EXPECT_THAT(adopted.notes, ElementsAre(HasSubstr("has no job")));
    EXPECT_FALSE(m_store.sweep(sent.sweepId));
    EXPECT_THAT(resumeLaunches(cluster, m_store), IsEmpty());
}

TEST_F(Adopting, FilesThatAreNoSweepsArePassedOverAndAWrongNameIsSaid) {
    Cluster cluster = connect();
    cluster.session().run("cd " + cluster.workspace() +
                          "/sweeps && mkdir -p x 00000000000000000000000000000000 && echo '{' "
                          ">00000000000000000000000000000000/sweep.json && echo '{\"runs\": [3, "
                          "{\"run_id\": \"../../etc\"}], \"yaml\": 4}' >x/sweep.json");
    for (const auto& sweep : findUntrackedSweeps(cluster, m_store)) EXPECT_NE(sweep.id, std::string(32, '0'));
    EXPECT_THROW(selectUntracked(findUntrackedSweeps(cluster, m_store), {"nothing"}), InputError);
}

}  // namespace
}  // namespace dailies::remote
