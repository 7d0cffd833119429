#include "core/base/text.h"
#include "remote/cluster/snapshot_cache.h"
#include "remote/slurm/output.h"
#include "tests/remote/cluster/sandbox_fixture.h"

#include <gmock/gmock.h>

#include <algorithm>

// Everybody's queue, the nodes, and what jobs use, as a real Slurm tells of them.

namespace dailies::remote {
namespace {

using slurm::NodeCondition;
using slurm::Snapshot;
using testing::HasSubstr;

class QueueTest : public SandboxTest {
protected:
    void SetUp() override { m_cluster.emplace(s_profile, m_prompter); }
    void TearDown() override {
        m_cluster->session().run("scancel -u \"$(id -un)\"\n");
        EXPECT_TRUE(await([&] { return look().jobs.empty(); })) << "the queue is left empty";
    }

    Snapshot look() {
        return slurm::parseSnapshot(m_cluster->scheduler().snapshot(m_cluster->workspace(), true));
    }

    /// The id of a job that sleeps.
    std::string submit(const std::string& words, const std::string& body = "sleep 300") {
        const auto sent =
            m_cluster->session().run("cd /tmp && printf '#!/bin/sh\\n%s\\n' " + shellQuote(body) +
                                     " | sbatch --parsable --output=/dev/null --mem=50M " + words + "\n");
        EXPECT_TRUE(sent.ok()) << sent.err;
        return std::string(trim(sent.out));
    }

    static const slurm::QueuedJob* find(const Snapshot& snapshot, const std::string& id) {
        const auto job = std::ranges::find_if(
            snapshot.jobs, [&](const slurm::QueuedJob& one) { return one.status.job == id; });
        return job == snapshot.jobs.end() ? nullptr : &*job;
    }

    bool awaitState(const std::string& id, const std::string& state) {
        return await([&] {
            const auto snapshot = look();
            const auto* job = find(snapshot, id);
            return job && job->status.state == state;
        });
    }

    template <typename Condition>
    static bool await(Condition condition) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (!condition()) {
            if (std::chrono::steady_clock::now() > end) return false;
            std::this_thread::sleep_for(std::chrono::milliseconds(100));
        }
        return true;
    }

    std::optional<Cluster> m_cluster;
};

TEST_F(QueueTest, OneCallTellsOfNodesPartitionsJobsAndTheFileSystem) {
    const std::string running = submit("--job-name=works --cpus-per-task=2");
    ASSERT_TRUE(awaitState(running, "RUNNING"));
    const Snapshot all = look();
    EXPECT_EQ(all.user, s_profile.user);
    EXPECT_GT(all.time, 1'700'000'000);
    ASSERT_EQ(all.nodes.size(), 2u);
    EXPECT_EQ(all.nodes[0].cpus, 2);
    EXPECT_GT(all.nodes[0].memory, 0);
    EXPECT_THAT(all.nodes[0].partitions, testing::ElementsAre("main"));
    ASSERT_EQ(all.partitions.size(), 1u);
    EXPECT_GT(all.disk.total, all.disk.available);
    const auto* job = find(all, running);
    ASSERT_TRUE(job);
    EXPECT_EQ(job->name, "works");
    EXPECT_EQ(job->user, all.user);
    EXPECT_EQ(job->cpus, 2);
    EXPECT_EQ(job->nodes, 1);
    EXPECT_EQ(job->memory, 50);
    EXPECT_GT(job->status.startTime, 0);
    const auto busy = std::ranges::find_if(
        all.nodes, [](const slurm::Node& node) { return node.condition != NodeCondition::Idle; });
    ASSERT_NE(busy, all.nodes.end());
    EXPECT_EQ(busy->condition, NodeCondition::Allocated);
    EXPECT_EQ(busy->cpusAllocated, 2);
    EXPECT_THAT(slurm::jobsByNode(all.jobs).at(busy->name), testing::SizeIs(1));
}

TEST_F(QueueTest, NamesAndCommentsOfAllKindsAreReadAsTheyAre) {
    std::string name = "x\n9999\x1fRUNNING\x1froot\x1fmain\x1f\x1e\x1d|$(id);'\x1b[2J";
    const std::string held =
        submit("--hold --job-name=" + shellQuote(name) + " --comment=" + shellQuote("c\x1f\x1e\n\x1d 7"));
    const std::string after = submit("--hold --job-name=plain");
    const Snapshot all = look();
    EXPECT_EQ(all.jobs.size(), 2u);
    ASSERT_TRUE(find(all, held));
    EXPECT_EQ(find(all, held)->name, name);
    EXPECT_EQ(find(all, held)->status.comment, "c\x1f\x1e\n\x1d 7");
    ASSERT_TRUE(find(all, after));
    EXPECT_EQ(find(all, after)->name, "plain");
}

TEST_F(QueueTest, ALongArrayIsOneRowThatCountsItsTasks) {
    const std::string array = submit("--hold --array=0-400:4,401-500%3");
    const Snapshot all = look();
    ASSERT_EQ(all.jobs.size(), 1u);
    EXPECT_EQ(all.jobs[0].tasks, 201);
    EXPECT_EQ(slurm::foldArrays(all.jobs)[0].id, array);
}

TEST_F(QueueTest, JobsAreHeldReleasedAndCancelled) {
    const std::string job = submit("--begin=now+1hour");
    auto& scheduler = m_cluster->scheduler();
    scheduler.hold({job});
    EXPECT_EQ(find(look(), job)->status.reason, "JobHeldUser");
    scheduler.release({job});
    EXPECT_TRUE(await([&] { return find(look(), job)->status.reason != "JobHeldUser"; }));
    scheduler.cancel({job});
    EXPECT_TRUE(await([&] { return !find(look(), job); }));
    scheduler.hold({job});  // past it already: no error
    EXPECT_THROW(scheduler.hold({"1; id"}), Error);
}

TEST_F(QueueTest, ADrainedNodeIsShownWithItsReason) {
    const std::string reason = "GPU 3 | XID 79 Action:Replace";
    m_cluster->session().run("scontrol update nodename=n2 state=drain reason=" + shellQuote(reason) + "\n");
    const Snapshot all = look();
    EXPECT_EQ(all.nodes.at(1).condition, NodeCondition::Drained);
    EXPECT_EQ(all.nodes.at(1).reason, reason);
    EXPECT_EQ(all.nodes.at(1).reasonBy, s_profile.user);
    EXPECT_GT(all.nodes.at(1).reasonTime, 1'700'000'000);
    m_cluster->session().run("scontrol update nodename=n2 state=resume\n");
    EXPECT_TRUE(await([&] { return look().nodes.at(1).condition == NodeCondition::Idle; }));
}

TEST_F(QueueTest, ARunningJobIsMeasuredFromInside) {
    const std::string array =
        submit("--array=7 --cpus-per-task=1", "tail -c 30000000 /dev/zero & while :; do :; done");
    const std::string task = array + "_7";
    ASSERT_TRUE(awaitState(task, "RUNNING"));
    std::vector<slurm::NodeUsage> nodes;
    // the shell counts from its first turn on; a loaded machine gives it less than a core
    ASSERT_TRUE(await([&] {
        nodes = m_cluster->scheduler().usage(task);
        return nodes.size() == 1 && nodes[0].cpus > 0.05;
    }));
    EXPECT_THAT(nodes[0].node, testing::StartsWith("n"));
    EXPECT_LT(nodes[0].cpus, 2.1);
    EXPECT_GE(nodes[0].processes, 1);
    EXPECT_GT(nodes[0].memory, 0);
    m_cluster->scheduler().cancel({task});
    EXPECT_TRUE(await([&] { return look().jobs.empty(); }));
    try {
        m_cluster->scheduler().usage(task);
        FAIL() << "a job that has ended uses nothing";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), HasSubstr("does not run"));
    }
}

TEST_F(QueueTest, WhoWaitsForAJobAsksAsSeldomAsTheCeilingOfItsUserWants) {
    const auto secondsBetweenQuestions = [&](int callsPerMinute) {
        auto profile = s_profile;
        profile.callsPerMinute = callsPerMinute;
        const Cluster cluster(profile, m_prompter);
        const auto begin = std::chrono::steady_clock::now();
        cluster.waitToAskAgain({});
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    EXPECT_NEAR(secondsBetweenQuestions(0), 1, 0.5);
    EXPECT_GE(secondsBetweenQuestions(60), 2.9) << "a third of them, no more";
}

TEST_F(QueueTest, WhatWasSeenIsThereAgainWithoutAConnection) {
    const std::string job = submit("--hold --job-name=kept");
    const ClusterView view = viewOf(*m_cluster);
    EXPECT_FALSE(loadSnapshot(m_store.file()));
    saveSnapshot(m_store.file(), view, m_cluster->scheduler().snapshot(m_cluster->workspace(), true));
    const auto kept = loadSnapshot(m_store.file());
    ASSERT_TRUE(kept);
    EXPECT_EQ(kept->cluster, s_profile.name);
    EXPECT_EQ(kept->version, m_cluster->facts().version);
    ASSERT_TRUE(find(kept->snapshot, job));
    EXPECT_EQ(find(kept->snapshot, job)->name, "kept");
    EXPECT_EQ(kept->snapshot.nodes.size(), 2u);
    EXPECT_FALSE(loadSnapshot(m_store.file(), "another"));
}

}  // namespace
}  // namespace dailies::remote
