#include "trainer/preflight/round_robin.h"

#include <gtest/gtest.h>

#include <set>

namespace dailies::trainer {
namespace {

TEST(Tournament, EachMeetsEveryOtherOnceInDisjointPairs) {
    for (std::size_t teams = 1; teams <= 33; ++teams) {
        std::set<std::pair<std::size_t, std::size_t>> met;
        for (std::size_t round = 0; round < roundsOf(teams); ++round)
            for (std::size_t team = 0; team < teams; ++team) {
                const auto partner = partnerOf(team, round, teams);
                if (!partner) continue;
                ASSERT_NE(*partner, team);
                ASSERT_EQ(partnerOf(*partner, round, teams), team);
                met.insert(std::minmax(team, *partner));
            }
        EXPECT_EQ(met.size(), teams * (teams - 1) / 2) << teams;
    }
    EXPECT_EQ(roundsOf(16), 15u);
}

}  // namespace
}  // namespace dailies::trainer
