#include "core/base/error.h"
#include "remote/slurm/snapshot.h"
#include "tests/remote/slurm/golden_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

// Each release words the same cluster differently; what a person sees of it must be the same.

namespace dailies::remote::slurm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class SlurmRelease : public testing::TestWithParam<const char*> {
protected:
    Snapshot snapshot() const { return parseSnapshot(test::goldenText(GetParam(), "snapshot.txt")); }
    static const QueuedJob* find(const Snapshot& snapshot, const std::string& id) {
        for (const QueuedJob& job : snapshot.jobs)
            if (job.status.job == id) return &job;
        return nullptr;
    }
};

TEST_P(SlurmRelease, TellsWhichNodesAreOfUse) {
    std::map<std::string, NodeCondition> conditions;
    for (const Node& node : snapshot().nodes) conditions[node.name] = node.condition;
    using enum NodeCondition;
    EXPECT_EQ(conditions, (std::map<std::string, NodeCondition>{{"gpu-a1", Mixed},
                                                                {"gpu-a2", Allocated},
                                                                {"gpu-a3", Draining},
                                                                {"gpu-a4", Drained},
                                                                {"old1", Down},
                                                                {"old2", Mixed},
                                                                {"cpu007", Idle},
                                                                {"cpu008", Completing},
                                                                {"cpu009", PoweredDown},
                                                                {"cpu010", Reserved}}));
}

TEST_P(SlurmRelease, CountsWhatIsGivenAwayOfANode) {
    const Snapshot all = snapshot();
    ASSERT_EQ(all.nodes.size(), 10u);
    const Node& typed = all.nodes[0];
    EXPECT_EQ(typed.cpus, 64);
    EXPECT_EQ(typed.cpusAllocated, 16);
    EXPECT_DOUBLE_EQ(typed.load, 12.5);
    EXPECT_EQ(typed.memory, 515'000);
    EXPECT_EQ(typed.memoryAllocated, 131'072);
    EXPECT_EQ(typed.memoryFree, 380'000);
    EXPECT_EQ(typed.gpus, 8);
    EXPECT_EQ(typed.gpusAllocated, 2);
    EXPECT_EQ(typed.features, "h100,ib");
    EXPECT_THAT(typed.partitions, ElementsAre("gpu", "all"));
    EXPECT_EQ(typed.reason, "") << "a comment is no reason";
    const Node& uncounted = all.nodes[5];
    EXPECT_EQ(uncounted.gpus, 4) << "GPUs that the cluster does not count as TRES";
    EXPECT_EQ(uncounted.gpusAllocated, 2);
    EXPECT_EQ(all.nodes[6].gpus, 0);
}

TEST_P(SlurmRelease, SaysWhyANodeIsOutAndWhoSaidSo) {
    const Snapshot all = snapshot();
    const Node& draining = all.nodes.at(2);
    EXPECT_EQ(draining.reason, "GPU 3 | XID 79 Action:Replace");
    EXPECT_EQ(draining.reasonBy, "admin");
    EXPECT_EQ(draining.reasonTime, 1795264800);
    EXPECT_EQ(explain(draining),
              "Takes no new jobs; those on it go on. GPU 3 | XID 79 Action:Replace (admin).");
}

TEST_P(SlurmRelease, ListsEverybodysJobsWithWhatTheyAskFor) {
    const Snapshot all = snapshot();
    EXPECT_EQ(all.user, "ada");
    EXPECT_EQ(all.time, 1795272000);
    ASSERT_EQ(all.jobs.size(), 9u);
    const QueuedJob* waiting = find(all, "4101_[3-9%2]");
    ASSERT_TRUE(waiting);
    EXPECT_EQ(waiting->tasks, 7);
    EXPECT_EQ(waiting->gpus, 1);
    EXPECT_EQ(waiting->cpus, 8);
    EXPECT_EQ(waiting->memory, 64 * 1024);
    EXPECT_EQ(waiting->timeLimit, 86'400);
    EXPECT_EQ(waiting->name, "shapes-lr");
    EXPECT_THAT(explain(waiting->status), HasSubstr("limit of parallel runs"));
    const QueuedJob* whole = find(all, "4100");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->gpus, 8);
    EXPECT_EQ(whole->timeLimit, 0);
    EXPECT_EQ(whole->name, "train|big;$(id)");
    EXPECT_EQ(whole->status.startTime, 1795264000);
    EXPECT_EQ(find(all, "4101_2")->status.restarts, 1);
}

TEST_P(SlurmRelease, KnowsHeterogeneousHeldAndPlannedJobs) {
    const Snapshot all = snapshot();
    ASSERT_TRUE(find(all, "4120+0"));
    ASSERT_TRUE(find(all, "4120+1"));
    EXPECT_EQ(find(all, "4120+1")->gpus, 2) << "GPUs that are requested by node and not counted as TRES";
    EXPECT_EQ(find(all, "4130")->status.reason, "JobHeldUser");
    const QueuedJob* planned = find(all, "4110");
    ASSERT_TRUE(planned);
    EXPECT_EQ(planned->expectedStart, 1795281000);
    EXPECT_EQ(planned->status.startTime, 0);
    EXPECT_EQ(planned->nodes, 2);
}

TEST_P(SlurmRelease, ANameCannotForgeARow) {
    const Snapshot all = snapshot();
    EXPECT_EQ(find(all, "9999"), nullptr);
    const QueuedJob* hostile = find(all, "4110");
    ASSERT_TRUE(hostile);
    EXPECT_THAT(hostile->name, HasSubstr("9999"));
    EXPECT_EQ(hostile->user, "eve");
    EXPECT_TRUE(find(all, "4120+0")) << "the rows behind it are read";
}

TEST_P(SlurmRelease, ReadsPartitionsAndTheFileSystem) {
    const Snapshot all = snapshot();
    ASSERT_EQ(all.partitions.size(), 4u);
    EXPECT_TRUE(all.partitions[2].isDefault);
    EXPECT_FALSE(all.partitions[3].up);
    EXPECT_EQ(all.disk.total, 107'374'182'400 * 1024);
    EXPECT_EQ(all.disk.available, 10'737'418'240 * 1024);
    EXPECT_EQ(all.disk.quotaUsed, 943'718'400LL * 1024);
    EXPECT_EQ(all.disk.quotaLimit, 1'073'741'824LL * 1024);
}

TEST_P(SlurmRelease, TellsHowJobsEnded) {
    const auto history = parseHistory(test::goldenText(GetParam(), "sacct.txt"));
    std::vector<std::string> states;
    for (const QueuedJob& job : history) states.push_back(job.status.job + " " + job.status.state);
    EXPECT_THAT(states, ElementsAre("4001_0 COMPLETED", "4001_1 CANCELLED", "4001_2 OUT_OF_MEMORY",
                                    "4002 TIMEOUT", "4003 NODE_FAIL", "4004_[2-3] CANCELLED", "4005 FAILED"));
    ASSERT_EQ(history.size(), 7u);
    EXPECT_EQ(history[0].gpus, 1);
    EXPECT_EQ(history[0].elapsed, 3600);
    EXPECT_EQ(history[3].timeLimit, 1800);
    EXPECT_EQ(history[5].status.startTime, 0) << "it never started";
    EXPECT_EQ(history[5].tasks, 2);
    EXPECT_THAT(explain(history[6].status), HasSubstr("exit code 3"));
}

INSTANTIATE_TEST_SUITE_P(Releases, SlurmRelease,
                         testing::Values("20.11", "21.08", "23.02", "23.11", "24.05", "24.11"),
                         [](const auto& release) {
                             std::string name = release.param;
                             name[2] = '_';
                             return name;
                         });

TEST(SlurmSnapshot, ReadsWhatARealOneOf2205Said) {
    const Snapshot all = parseSnapshot(test::goldenText("22.05", "snapshot.txt"));
    ASSERT_EQ(all.nodes.size(), 3u);
    using enum NodeCondition;
    EXPECT_EQ(all.nodes[0].condition, Allocated);
    EXPECT_EQ(all.nodes[0].gpus, 4);
    EXPECT_EQ(all.nodes[0].gpusAllocated, 2);
    EXPECT_EQ(all.nodes[1].condition, Draining);
    EXPECT_EQ(all.nodes[1].reason, "GPU 3 | XID 79 Action:Replace");
    EXPECT_EQ(all.nodes[2].condition, Down);
    std::map<std::string, std::string> names;
    for (const QueuedJob& job : all.jobs) names[job.status.job] = job.status.state + " " + job.name;
    EXPECT_EQ(names, (std::map<std::string, std::string>{{"1", "RUNNING shapes|lr"},
                                                         {"2_1", "RUNNING sweep"},
                                                         {"2_[2-5%1]", "PENDING sweep"},
                                                         {"4", "PENDING x\n9999\x1fRUNNING\x1froot"},
                                                         {"5+0", "PENDING het"},
                                                         {"5+1", "PENDING het"}}));
    for (const QueuedJob& job : all.jobs) {
        if (job.status.job == "1") {
            EXPECT_EQ(job.gpus, 2);
        } else if (job.status.job == "2_[2-5%1]") {
            EXPECT_EQ(job.tasks, 4);
        }
    }
    const auto history = parseHistory(test::goldenText("22.05", "sacct.txt"));
    std::map<std::string, std::string> ends;
    for (const QueuedJob& job : history)
        if (isFinal(job.status.state)) ends[job.name] = job.status.state + " " + job.status.exitCode;
    EXPECT_EQ(ends["good"], "COMPLETED 0:0");
    EXPECT_EQ(ends["bad"], "FAILED 3:0");
}

TEST(SlurmSnapshot, AQueueOfArraysFoldsIntoALineEach) {
    const Snapshot all = parseSnapshot(test::goldenText("24.11", "snapshot.txt"));
    const auto folded = foldArrays(all.jobs);
    ASSERT_EQ(folded.size(), 7u);
    EXPECT_EQ(folded[0].id, "4101");
    EXPECT_EQ(folded[0].waiting, 7);
    EXPECT_EQ(folded[0].running, 2);
    EXPECT_THAT(folded[0].rows, ElementsAre(0u, 1u, 2u));
    EXPECT_EQ(folded[3].id, "4120+0");
}

TEST(SlurmSnapshot, WhatWasCutOrIsSomethingElseIsRefused) {
    const std::string whole = test::goldenText("24.11", "snapshot.txt");
    EXPECT_THROW(parseSnapshot(whole.substr(0, whole.size() / 2)), Error);
    EXPECT_THROW(parseSnapshot("Welcome to the cluster!\n"), Error);
    EXPECT_THROW(parseSnapshot(""), Error);
}

}  // namespace
}  // namespace dailies::remote::slurm
