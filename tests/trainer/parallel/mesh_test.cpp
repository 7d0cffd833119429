#include "trainer/parallel/mesh.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace dailies::trainer {
namespace {

using Members = std::vector<std::int64_t>;

Mesh meshOf(std::int64_t rank, std::int64_t size, std::int64_t cp, std::int64_t ring,
            std::int64_t shardRanks = 0, std::int64_t tp = 1, std::int64_t pp = 1) {
    config::TrainConfig config;
    config.layout.cp = cp;
    config.layout.ring = ring;
    config.layout.tp = tp;
    config.layout.pp = pp;
    config.layout.shard = shardRanks > 0 ? "zero1" : "none";
    config.layout.shard_ranks = shardRanks;
    DistEnv ranks;
    ranks.rank = rank;
    ranks.size = size;
    return Mesh(config, ranks);
}

TEST(Mesh, CountsRanksWithUlyssesFastestAndDataSlowest) {
    const auto mesh = meshOf(13, 16, 8, 4);  // dp 2 × ring 4 × ulysses 2
    EXPECT_EQ(mesh.dataRanks().rank, 1);
    EXPECT_EQ(mesh.dataRanks().size, 2);
    EXPECT_EQ(mesh.ulyssesGroup(), (Members{12, 13}));
    EXPECT_EQ(mesh.ringGroup(), (Members{9, 11, 13, 15}));
    EXPECT_EQ(mesh.contextGroup(), (Members{8, 9, 10, 11, 12, 13, 14, 15}));
}

TEST(Mesh, DividesStatesAmongNeighboursAndCopiesThemAcross) {
    const auto mesh = meshOf(6, 12, 1, 1, 4);
    EXPECT_EQ(mesh.shardGroup(), (Members{4, 5, 6, 7}));
    EXPECT_EQ(mesh.replicaGroup(), (Members{2, 6, 10}));
    EXPECT_EQ(meshOf(6, 12, 1, 1).shardGroup(), Members{6}) << "nothing is divided";
}

TEST(Mesh, PutsRanksThatDivideWeightsNextToEachOther) {
    const auto mesh = meshOf(13, 16, 4, 2, 2, 2);  // dp 2 × ring 2 × ulysses 2 × tp 2
    EXPECT_EQ(mesh.dataRanks().rank, 1);
    EXPECT_EQ(mesh.dataRanks().size, 2);
    EXPECT_EQ(mesh.tensorGroup(), (Members{12, 13}));
    EXPECT_EQ(mesh.ulyssesGroup(), (Members{13, 15}));
    EXPECT_EQ(mesh.ringGroup(), (Members{9, 13}));
    EXPECT_EQ(mesh.contextGroup(), (Members{8, 9, 10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(mesh.shardGroup(), (Members{13, 15})) << "of those that hold the same slices";
    EXPECT_EQ(mesh.replicaGroup(), (Members{1, 5, 9, 13}));
}

TEST(Mesh, MakesStagesOfWholeRunsOfRanks) {
    const auto mesh = meshOf(13, 16, 2, 1, 2, 2, 2);  // pp 2 × dp 2 × ulysses 2 × tp 2
    EXPECT_EQ(mesh.stage(), 1);
    EXPECT_TRUE(mesh.isLastStage());
    EXPECT_FALSE(meshOf(5, 16, 2, 1, 2, 2, 2).isLastStage());
    EXPECT_EQ(mesh.pipelineGroup(), (Members{5, 13}));
    EXPECT_EQ(mesh.dataRanks().rank, 1);
    EXPECT_EQ(meshOf(5, 16, 2, 1, 2, 2, 2).dataRanks().rank, 1) << "the same clips on every stage";
    EXPECT_EQ(mesh.dataRanks().size, 2);
    EXPECT_EQ(mesh.tensorGroup(), (Members{12, 13}));
    EXPECT_EQ(mesh.contextGroup(), (Members{12, 13, 14, 15}));
    EXPECT_EQ(mesh.shardGroup(), (Members{13, 15}));
    EXPECT_EQ(mesh.replicaGroup(), (Members{9, 13})) << "within its stage";
}

TEST(Mesh, EveryGroupIsTheSameToAllOfItsMembers) {
    const std::int64_t size = 48;
    for (auto group : {&Mesh::ulyssesGroup, &Mesh::ringGroup, &Mesh::contextGroup, &Mesh::shardGroup,
                       &Mesh::replicaGroup, &Mesh::tensorGroup, &Mesh::pipelineGroup}) {
        std::multiset<std::int64_t> seen;
        for (std::int64_t rank = 0; rank < size; ++rank) {
            const auto members = (meshOf(rank, size, 6, 3, 4, 2, 2).*group)();
            EXPECT_NE(std::ranges::find(members, rank), members.end());
            for (const auto member : members)
                EXPECT_EQ((meshOf(member, size, 6, 3, 4, 2, 2).*group)(), members)
                    << rank << " and " << member;
            if (members.front() == rank) seen.insert(members.begin(), members.end());
        }
        EXPECT_EQ(seen.size(), static_cast<std::size_t>(size)) << "each rank stands in one";
    }
}

}  // namespace
}  // namespace dailies::trainer
