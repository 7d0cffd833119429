#include "remote/slurm/output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// "a|b" with the real unit separator.
std::string row(std::string text) {
    for (char& c : text)
        if (c == '|') c = kUnit;
    return text;
}

TEST(SlurmOutput, ReadsARunningAndAPendingTaskOfAnArray) {
    const auto rows =
        parseSqueue(row("12_0|RUNNING|None|0|node1|1|1795272000|1795272010|1795275610|sweep-a|\n"
                        "12_1|PENDING|JobArrayTaskLimit|0||0|1795272000|1795279999|N/A|sweep-a|\n"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].job, "12_0");
    EXPECT_EQ(rows[0].state, "RUNNING");
    EXPECT_EQ(rows[0].reason, "");
    EXPECT_EQ(rows[0].node, "node1");
    EXPECT_EQ(rows[0].restarts, 1);
    EXPECT_EQ(rows[0].startTime, 1795272010);
    EXPECT_EQ(rows[0].endTime, 0) << "the latest possible end of a job that runs is not its end";
    EXPECT_EQ(rows[0].comment, "sweep-a");
    EXPECT_EQ(rows[1].reason, "JobArrayTaskLimit");
    EXPECT_EQ(rows[1].startTime, 0) << "an estimate is not a start";
}

TEST(SlurmOutput, TurnsTheRawWaitStatusOfSqueueIntoCodeAndSignal) {
    const auto rows =
        parseSqueue(row("7|FAILED|NonZeroExitCode|768|n1|0|1|2|3|(null)|\n8|FAILED|RaisedSignal:53(Real-time_"
                        "signal_19)|53|n1|0|1|2|3|c|\n"));
    ASSERT_EQ(rows.size(), 2u);
    EXPECT_EQ(rows[0].exitCode, "3:0");
    EXPECT_EQ(rows[0].endTime, 3);
    EXPECT_EQ(rows[1].exitCode, "0:53");
}

TEST(SlurmOutput, DropsRowsThatAJobsOwnerForged) {
    EXPECT_THAT(parseSqueue(row("x; rm -rf /|RUNNING|None|0|n|0|1|2|3|c|\n")), IsEmpty());
    EXPECT_THAT(parseSqueue(row("12|WINNING|None|0|n|0|1|2|3|c|\n")), IsEmpty());
    EXPECT_THAT(parseSqueue(row("13|RUNNING\n\n||||")), IsEmpty());
    const auto rows = parseSqueue(row("14|PENDING|Priority|0||0|1|N/A|N/A|\x1b[31mred\n'$(id)|\n"));
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].state, "PENDING");
}

TEST(SlurmOutput, ExpandsThePendingRestOfAnArray) {
    EXPECT_THAT(expandTasks("12_[2-5%2]"), ElementsAre("12_2", "12_3", "12_4", "12_5"));
    EXPECT_THAT(expandTasks("12_[1-2,6-9%2]"), ElementsAre("12_1", "12_2", "12_6", "12_7", "12_8", "12_9"));
    EXPECT_THAT(expandTasks("12_[0-6:3]"), ElementsAre("12_0", "12_3", "12_6"));
    EXPECT_THAT(expandTasks("12_[4]"), ElementsAre("12_4"));
    EXPECT_THAT(expandTasks("12_3"), ElementsAre("12_3"));
    EXPECT_THAT(expandTasks("12"), ElementsAre("12"));
}

TEST(SlurmOutput, RefusesIdsThatAreNone) {
    for (const char* bad : {"", "12_", "12_[", "12_[]", "12_[a-b]", "12_[5-2]", "12_[0-9:0]", "../12",
                            "12_[0-999999999]", "12.batch"})
        EXPECT_THAT(expandTasks(bad), IsEmpty()) << bad;
    EXPECT_FALSE(isJobId("12;id"));
    EXPECT_FALSE(isJobId("12_3_4"));
}

TEST(SlurmOutput, ReadsSacctWithTheSuffixesThatItAddsToStates) {
    const auto rows =
        parseSacct(row("31_0|CANCELLED by 1000|None|0:15|node1|1795272000|1795272001|1795272031|\n"
                       "31_1|OUT_OF_ME+|None|0:125|node2|1795272000|1795272001|1795272031|abc\n"
                       "31_[2-3]|PENDING|Priority|0:0|None assigned|1795272000|Unknown|Unknown|\n"));
    ASSERT_EQ(rows.size(), 4u);
    EXPECT_EQ(rows[0].state, "CANCELLED");
    EXPECT_EQ(rows[0].exitCode, "0:15");
    EXPECT_EQ(rows[1].state, "OUT_OF_MEMORY");
    EXPECT_EQ(rows[1].comment, "abc");
    EXPECT_EQ(rows[3].job, "31_3");
    EXPECT_EQ(rows[3].node, "");
    EXPECT_EQ(rows[3].endTime, 0);
}

TEST(SlurmOutput, GathersThePartitionsOverRowsOfDifferentNodes) {
    const auto partitions =
        parseSinfo(row("main|main*|up|infinite|2|8|(null)|16000\n"
                       "gpu|gpu|up|1-00:00:00|4|64+|gpu:h100:8|512000+\n"
                       "gpu|gpu|up|1-00:00:00|2|96|gpu:a100:4|256000\n"
                       "old|old|down|30:00|1|4|(null)|1000\n"));
    ASSERT_EQ(partitions.size(), 3u);
    EXPECT_TRUE(partitions[0].isDefault);
    EXPECT_EQ(partitions[0].gres, "");
    EXPECT_EQ(partitions[1].nodes, 6);
    EXPECT_EQ(partitions[1].cpusPerNode, 96);
    EXPECT_EQ(partitions[1].gres, "gpu:h100:8,gpu:a100:4");
    EXPECT_EQ(partitions[1].memoryPerNode, 512000);
    EXPECT_FALSE(partitions[2].up);
}

TEST(SlurmOutput, KnowsTheMemoryOfJobsThatAskForNone) {
    std::vector<Partition> partitions{{.name = "own"}, {.name = "cluster"}, {.name = "node"}};
    addDefaultMemory(
        partitions,
        "PartitionName=own AllowGroups=ALL DefMemPerCPU=3900 MaxMemPerNode=UNLIMITED\n"
        "PartitionName=cluster AllowGroups=ALL DefMemPerNode=UNLIMITED\n"
        "PartitionName=node AllowGroups=ALL DefMemPerNode=8000\n",
        parseConfig("Configuration data as of 2026-11-22T00:00:00\nDefMemPerCPU            = 512\n"
                    "SelectTypeParameters    = CR_CORE_MEMORY\n"));
    EXPECT_EQ(partitions[0].defaultMemoryPerCpu, 3900);
    EXPECT_EQ(partitions[1].defaultMemoryPerCpu, 512);
    EXPECT_EQ(partitions[2].defaultMemoryPerCpu, 0);
    EXPECT_EQ(partitions[2].defaultMemoryPerNode, 8000);
}

TEST(SlurmOutput, GivesSlurmsMessagesWithoutTheirPrefixes) {
    EXPECT_EQ(
        slurmMessage("sbatch: error: invalid partition specified: nope\n"
                     "sbatch: error: Batch job submission failed: Invalid partition name specified\n"),
        "invalid partition specified: nope Batch job submission failed: Invalid partition name specified");
    EXPECT_EQ(slurmMessage("slurm_load_partitions: Unable to contact slurm controller (connect failure)\n"),
              "slurm_load_partitions: Unable to contact slurm controller (connect failure)");
}

}  // namespace
}  // namespace dailies::remote::slurm
