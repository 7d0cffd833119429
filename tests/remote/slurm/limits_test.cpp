#include "remote/slurm/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::remote::slurm {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(SlurmRules, ReadWhoMaySendHowLargeAJobToAPartition) {
    std::vector<Partition> partitions{{.name = "gpu"}, {.name = "open"}};
    addLimits(partitions,
              "PartitionName=gpu AllowGroups=ALL AllowAccounts=vid,lab DenyQos=scavenge MaxNodes=4 "
              "MaxTime=1-00:00:00\n"
              "PartitionName=open AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL MaxNodes=UNLIMITED\n");
    EXPECT_THAT(partitions[0].allowedAccounts, ElementsAre("vid", "lab"));
    EXPECT_THAT(partitions[0].deniedQos, ElementsAre("scavenge"));
    EXPECT_EQ(partitions[0].maxNodes, 4);
    EXPECT_THAT(partitions[1].allowedAccounts, IsEmpty());
    EXPECT_EQ(partitions[1].maxNodes, 0);
}

TEST(SlurmRules, ReadTheUsersAccountsAndTheLimitsOfQos) {
    const auto found = parseAssociations("vid||normal,high\nlab|gpu|normal\n\nbroken\n");
    ASSERT_EQ(found.size(), 2u);
    EXPECT_THAT(found[0].qos, ElementsAre("normal", "high"));
    EXPECT_EQ(found[1].partition, "gpu");
    EXPECT_EQ(parseQosLimits("normal|\nhigh|12:00:00\n").at("high"), "12:00:00");
}

TEST(SlurmRules, ReadWhenAJobWouldStart) {
    const auto start = parseTestOnly(
        "sbatch: Job 12 to start at 1795272000 using 2 processors on nodes n[1-2] in partition main\n");
    EXPECT_EQ(start.startTime, 1795272000);
    EXPECT_EQ(start.nodes, "n[1-2]");
    EXPECT_EQ(start.partition, "main");
    EXPECT_EQ(parseTestOnly("sbatch: something else\n").startTime, 0);
}

TEST(SlurmRules, ALimitIsReadAsItIsPrinted) {
    EXPECT_EQ(parseTimeLimit("30:00"), 1800);
    EXPECT_EQ(parseTimeLimit("1-00:00:00"), 86400);
    EXPECT_FALSE(parseTimeLimit("infinite"));
    EXPECT_FALSE(parseTimeLimit("UNLIMITED"));
    EXPECT_FALSE(parseTimeLimit(""));
}

}  // namespace
}  // namespace dailies::remote::slurm
