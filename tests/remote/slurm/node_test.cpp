#include "remote/slurm/node.h"

#include "remote/slurm/fields.h"
#include "remote/slurm/hostlist.h"
#include "remote/slurm/limits.h"
#include "remote/slurm/queue.h"
#include "remote/slurm/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SlurmHosts, AreExpandedWithTheirZerosAndInAllDimensions) {
    EXPECT_THAT(expandHostlist("n[1-3,07-10],gpu-a[1-2]-[1,3]"),
                ElementsAre("n1", "n2", "n3", "n07", "n08", "n09", "n10", "gpu-a1-1", "gpu-a1-3", "gpu-a2-1",
                            "gpu-a2-3"));
    EXPECT_THAT(expandHostlist("login"), ElementsAre("login"));
    EXPECT_THAT(
        expandHostlist("r[0-1]c[0-1]n[08-09]"),
        ElementsAre("r0c0n08", "r0c0n09", "r0c1n08", "r0c1n09", "r1c0n08", "r1c0n09", "r1c1n08", "r1c1n09"));
    EXPECT_THAT(expandHostlist("n[099-101].example"),
                ElementsAre("n099.example", "n100.example", "n101.example"));
}

TEST(SlurmHosts, WhatIsNoneOrTooLongGivesNothing) {
    for (const char* bad : {"", ",", "n1,", "n[", "n[]", "n[2-1]", "n[a-b]", "n[1-2", "n]1", "n1 n2",
                            "(null)", "n[1-99999999999999999999]", "n[0-9999][0-9999]", "n[1-65537]"})
        EXPECT_THAT(expandHostlist(bad), IsEmpty()) << bad;
    EXPECT_EQ(expandHostlist("n[1-65536]").size(), 65'536u);
    EXPECT_THAT(expandHostlist("n[1-5],m[1-5]", 9), IsEmpty());
}

TEST(SlurmNodes, EveryWayToWordAStateHasItsMeaning) {
    using enum NodeCondition;
    const std::vector<std::pair<const char*, NodeCondition>> words{
        {"IDLE", Idle},
        {"idle*", Down},
        {"IDLE~", PoweredDown},
        {"IDLE#", PoweredDown},
        {"IDLE%", PoweredDown},
        {"IDLE!", PoweredDown},
        {"IDLE$", Reserved},
        {"IDLE@", Idle},
        {"IDLE^", PoweredDown},
        {"IDLE-", Reserved},
        {"IDLE+CLOUD", Idle},
        {"IDLE+PLANNED", Reserved},
        {"plnd", Reserved},
        {"IDLE+MAINTENANCE", Reserved},
        {"maint", Reserved},
        {"resv", Reserved},
        {"IDLE+DRAIN", Drained},
        {"drained*", Drained},
        {"drain", Drained},
        {"drng", Draining},
        {"DRAINING@", Draining},
        {"MIXED", Mixed},
        {"mix-", Mixed},
        {"MIXED+PLANNED", Mixed},
        {"MIXED+CLOUD+REBOOT_REQUESTED", Mixed},
        {"MIXED+DRAIN", Draining},
        {"MIXED*+DRAIN", Draining},
        {"ALLOCATED", Allocated},
        {"alloc", Allocated},
        {"ALLOCATED+RESERVED", Allocated},
        {"ALLOCATED+COMPLETING", Completing},
        {"alloc+", Completing},
        {"comp", Completing},
        {"COMPLETING+DRAIN", Draining},
        {"ALLOCATED+FAIL", Draining},
        {"IDLE+FAIL", Down},
        {"DOWN", Down},
        {"down*", Down},
        {"DOWN+DRAIN", Down},
        {"DOWN*+DRAIN", Down},
        {"DOWN~", PoweredDown},
        {"IDLE+NOT_RESPONDING", Down},
        {"IDLE+INVALID_REG", Down},
        {"inval", Down},
        {"REBOOT^", PoweredDown},
        {"boot", PoweredDown},
        {"IDLE+CLOUD+POWERING_UP", PoweredDown},
        {"pow_up", PoweredDown},
        {"FUTURE", Down},
        {"UNKNOWN", Unknown},
        {"unk*", Unknown},
        {"blah", Unknown},
        {"", Unknown},
    };
    for (const auto& [word, condition] : words)
        EXPECT_EQ(toText(nodeCondition(word)), toText(condition)) << word;
}

TEST(SlurmNodes, LinesThatAreNoNodesAreLeftOut) {
    EXPECT_THAT(parseNodes("slurm_load_node error: Unable to contact slurm controller\n\nNodeName=\n"),
                IsEmpty());
}

TEST(SlurmFields, CountResourcesHoweverTheyAreWritten) {
    EXPECT_EQ(tresCount("cpu=2,mem=4G,node=1,gres/gpu=4,gres/gpu:h100=4", "gres/gpu"), 4);
    EXPECT_EQ(tresCount("cpu=2,gres/gpu:h100=3,gres/gpu:a100=2", "gres/gpu"), 5);
    EXPECT_EQ(tresCount("cpu=2", "gres/gpu"), 0);
    EXPECT_EQ(parseMebibytes("64G"), 65'536);
    EXPECT_EQ(parseMebibytes("1.5T"), 1'572'864);
    EXPECT_EQ(parseMebibytes("4000"), 4000);
    EXPECT_EQ(parseMebibytes("N/A"), 0);
    EXPECT_EQ(parseTimeLimit("1-12:00:00"), 129'600);
    EXPECT_EQ(parseTimeLimit("30:00"), 1800);
    EXPECT_FALSE(parseTimeLimit("UNLIMITED"));
    EXPECT_FALSE(parseTimeLimit("Partition_Limit"));
}

TEST(SlurmFields, ReadGpusOfEveryFormThatGresHas) {
    const auto of = [](const std::string& gres) {
        std::vector<std::pair<std::string, int>> kinds;
        for (const auto& gpu : gpuKinds(gres)) kinds.emplace_back(gpu.type, gpu.count);
        return kinds;
    };
    using Kinds = std::vector<std::pair<std::string, int>>;
    EXPECT_EQ(of("gpu:h100:8(S:0-1),gpu:a100:4"), (Kinds{{"h100", 8}, {"a100", 4}}));
    EXPECT_EQ(of("gpu:a100:2(IDX:0,3),gpu:h100:1(IDX:1)"), (Kinds{{"a100", 2}, {"h100", 1}}));
    EXPECT_EQ(of("gpu:4"), (Kinds{{"", 4}}));
    EXPECT_EQ(of("gres:gpu:2"), (Kinds{{"", 2}}));
    EXPECT_EQ(of("gres/gpu:h100:2"), (Kinds{{"h100", 2}}));
    EXPECT_EQ(of("gpu"), (Kinds{{"", 1}}));
    EXPECT_EQ(of("gpu:h100"), (Kinds{{"h100", 1}}));
    EXPECT_EQ(of("nvme:2,gpu:nvidia_h100_80gb_hbm3:8(S:0)"), (Kinds{{"nvidia_h100_80gb_hbm3", 8}}));
    EXPECT_EQ(of(""), Kinds{});
    EXPECT_EQ(of("(null)"), Kinds{});
    EXPECT_EQ(of("craynetwork:4"), Kinds{});
    EXPECT_EQ(gpuCount("gpu:h100:8(S:0-1),gpu:a100:4,shard:16"), 12);
}

TEST(SlurmQueue, CountsTheTasksOfAnArrayThatStillWait) {
    EXPECT_EQ(countTasks("12_[1-2,6-9%2]"), 6);
    EXPECT_EQ(countTasks("12_[0-6:3]"), 3);
    EXPECT_EQ(countTasks("12_[4]"), 1);
    EXPECT_EQ(countTasks("12_[1,3,5,..."), 3);
    EXPECT_EQ(countTasks("12"), 1);
    EXPECT_EQ(countTasks("21+0"), 1);
}

TEST(SlurmUsage, AddsUpTheProcessesOfEachNodeAndReadsItsGpus) {
    const auto nodes = parseUsage(
        "1: node n2 100.0 101.0 100 4096 2\n0: node n1 100.0 102.0 100 4096 4\n"
        "0: before 10 500 25600\n0: before 11 100 256\n0: after 10 800 25600\n0: after 12 50 256\n"
        "0: gpu 0, NVIDIA H100 80GB HBM3, 93, 70000, 81559, 640.10, 61\n0: end\n1: end\n"
        "srun: warning: something\n");
    ASSERT_EQ(nodes.size(), 2u);
    EXPECT_EQ(nodes[0].node, "n1");
    EXPECT_DOUBLE_EQ(nodes[0].cpus, 1.5);
    EXPECT_EQ(nodes[0].cpusGiven, 4);
    EXPECT_EQ(nodes[0].memory, 101);
    EXPECT_EQ(nodes[0].processes, 2);
    ASSERT_EQ(nodes[0].gpus.size(), 1u);
    EXPECT_DOUBLE_EQ(nodes[0].gpus[0].busy, 0.93);
    EXPECT_EQ(nodes[0].gpus[0].memoryUsed, 70'000);
    EXPECT_EQ(nodes[1].node, "n2");
    EXPECT_THAT(nodes[1].gpus, IsEmpty());
}

}  // namespace
}  // namespace dailies::remote::slurm
