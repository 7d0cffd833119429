#include "trainer/parallel/dist_env.h"

#include "core/base/error.h"

#include <gtest/gtest.h>

#include <map>

namespace dailies::trainer {
namespace {

DistEnv ranksOf(std::map<std::string, std::string> variables) {
    return distEnvFrom([&](const char* name) -> const char* {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
    });
}

TEST(DistEnvironment, IsOneProcessWithoutALauncher) {
    EXPECT_EQ(ranksOf({}).size, 1);
    EXPECT_TRUE(ranksOf({}).isRank0());
}

TEST(DistEnvironment, ComesFromAnSrunStep) {
    const auto ranks = ranksOf({{"SLURM_STEP_NUM_TASKS", "4"},
                                {"SLURM_NTASKS", "4"},
                                {"SLURM_PROCID", "3"},
                                {"SLURM_LOCALID", "1"},
                                {"SLURM_STEP_NUM_NODES", "2"},
                                {"SLURM_STEP_NODELIST", "localhost,other[1-2]"},
                                {"SLURM_JOB_ID", "20007"}});
    EXPECT_EQ(ranks.rank, 3);
    EXPECT_EQ(ranks.size, 4);
    EXPECT_EQ(ranks.localRank, 1);
    EXPECT_EQ(ranks.address, "localhost");
    EXPECT_EQ(ranks.port, 12007);
}

TEST(DistEnvironment, MeetsAtTheLaunchAddressWhenTheNodesNameIsNoHostName) {
    EXPECT_EQ(ranksOf({{"SLURM_STEP_NUM_TASKS", "2"},
                       {"SLURM_STEP_NUM_NODES", "2"},
                       {"SLURM_STEP_NODELIST", "no-such-host-[1-2]"},
                       {"SLURM_LAUNCH_NODE_IPADDR", "10.1.2.3"}})
                  .address,
              "10.1.2.3");
}

TEST(DistEnvironment, OfTorchrunsVariablesWinsOverSlurm) {
    const auto ranks = ranksOf({{"WORLD_SIZE", "2"},
                                {"RANK", "1"},
                                {"MASTER_ADDR", "head"},
                                {"MASTER_PORT", "29500"},
                                {"SLURM_STEP_NUM_TASKS", "8"},
                                {"SLURM_PROCID", "5"}});
    EXPECT_EQ(ranks.rank, 1);
    EXPECT_EQ(ranks.size, 2);
    EXPECT_EQ(ranks.address, "head");
    EXPECT_EQ(ranks.port, 29500);
}

TEST(DistEnvironment, IsOneProcessInABatchScriptWithoutSrunAndSaySo) {
    const auto ranks = ranksOf({{"SLURM_NTASKS", "4"}, {"SLURM_PROCID", "0"}});
    EXPECT_EQ(ranks.size, 1);
    EXPECT_NE(ranks.note.find("without srun"), std::string::npos);
}

TEST(DistEnvironment, RefusesValuesThatMakeNoSense) {
    EXPECT_THROW(ranksOf({{"WORLD_SIZE", "2"}, {"RANK", "2"}}), InputError);
    EXPECT_THROW(ranksOf({{"WORLD_SIZE", "two"}}), InputError);
    EXPECT_THROW(ranksOf({{"WORLD_SIZE", "0"}}), InputError);
}

TEST(FirstHost, ReadsSlurmsNodeLists) {
    EXPECT_EQ(firstHost("node7"), "node7");
    EXPECT_EQ(firstHost("node7,node9"), "node7");
    EXPECT_EQ(firstHost("node[07-09,12],gpu1"), "node07");
    EXPECT_EQ(firstHost("rack1-node[3,5]"), "rack1-node3");
    EXPECT_EQ(firstHost("login,node[1-2]"), "login");
}

}  // namespace
}  // namespace dailies::trainer
