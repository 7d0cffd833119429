#include "trainer/watchdog/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::trainer {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

Heartbeat beat(std::int64_t rank, std::int64_t number, std::int64_t collectives,
               const std::string& collective, double seconds = 200, const std::string& activity = "step",
               double limit = 120) {
    Heartbeat b;
    b.rank = rank;
    b.node = "n" + std::to_string(rank + 1);
    b.beat = number;
    b.activity = activity;
    b.step = 12;
    b.collectives = collectives;
    b.collective = collective;
    b.seconds = seconds;
    b.limit = limit;
    return b;
}

/// Of ranks that all make the same calls.
std::optional<std::string> verdictOn(const std::vector<HeartbeatPair>& ranks) {
    return diagnose(ranks, ranks.size());
}

HeartbeatPair living(const Heartbeat& after) {
    auto before = after;
    before.beat -= 4;
    return {before, after};
}

TEST(Diagnosis, NamesTheRankWhoseProcessNoLongerRunsAndTheCollective) {
    const auto stopped = beat(1, 50, 36, "");
    const auto verdict = verdictOn(
        {living(beat(0, 90, 37, "all-reduce")), {stopped, stopped}, living(beat(2, 91, 37, "all-reduce"))});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict, StartsWith("Rank 1 on n2, last heard of in step 12, no longer runs"));
    EXPECT_THAT(*verdict, HasSubstr("The others wait for it in collective #37 (all-reduce) of step 12"));
}

TEST(Diagnosis, TellsARankThatWasKilledFromOneThatLeft) {
    const auto killed = beat(1, 50, 36, "");
    const HeartbeatPair left;
    const auto stopped = findStoppedRanks({living(beat(0, 90, 37, "")), {killed, killed}, left});
    ASSERT_TRUE(stopped);
    EXPECT_THAT(*stopped, StartsWith("Rank 1 on n2, last heard of in step 12, no longer runs"));
    EXPECT_EQ(findExitedRanks({living(beat(0, 90, 37, "")), {killed, killed}, left}), "rank 2");
    EXPECT_FALSE(findStoppedRanks({living(beat(0, 90, 37, "")), left}));
    EXPECT_EQ(findExitedRanks({living(beat(0, 90, 37, ""))}), "");
    EXPECT_EQ(findExitedRanks({living(beat(0, 90, 37, "")), {beat(1, 90, 37, ""), std::nullopt}}), "rank 1")
        << "between the two looks";
}

TEST(Diagnosis, ComparesCallsWithinAStageOfAPipelineOnly) {
    const auto first = living(beat(0, 90, 37, "send")), second = living(beat(1, 90, 37, "send")),
               third = living(beat(2, 90, 12, "receive"));
    EXPECT_THAT(*diagnose({first, second, third, living(beat(3, 90, 12, "receive"))}, 2),
                StartsWith("All 4 ranks are in collectives, rank 0 in collective #37 (send) of step 12"));
    EXPECT_THAT(
        *diagnose({first, second, third, living(beat(3, 90, 13, "all-reduce"))}, 2),
        StartsWith("Rank 2 on n3 waits in collective #12 (receive) of step 12, which others have left"));
    EXPECT_THAT(*diagnose({first, second, third, living(beat(3, 90, 11, ""))}, 2),
                HasSubstr("does not come to collective #12."));
}

TEST(Diagnosis, NamesTheRankThatDoesNotComeToTheCollective) {
    const auto verdict = verdictOn({living(beat(0, 90, 37, "all-reduce")), living(beat(1, 90, 36, "")),
                                    living(beat(2, 90, 37, "all-reduce"))});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict,
                StartsWith("Rank 1 on n2, for 3 min 20 s in step 12, does not come to collective #37."));
}

TEST(Diagnosis, WaitsForARankThatIsBusyWithinItsOwnLimit) {
    EXPECT_FALSE(verdictOn(
        {living(beat(0, 90, 36, "", 400, "sampling", 1800)), living(beat(1, 90, 37, "all-reduce", 400))}));
    const auto verdict = verdictOn(
        {living(beat(0, 90, 36, "", 1900, "sampling", 1800)), living(beat(1, 90, 37, "all-reduce", 1900))});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict, HasSubstr("in the sampling, does not come"));
}

TEST(Diagnosis, ACollectiveThatAllAreInIsTheNetworks) {
    const auto verdict =
        verdictOn({living(beat(0, 90, 37, "all-reduce")), living(beat(1, 90, 37, "all-reduce"))});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict, HasSubstr("All 2 ranks are in collective #37 (all-reduce)"));
    EXPECT_THAT(*verdict, HasSubstr("network"));
}

TEST(Diagnosis, RanksInDifferentCollectivesMadeDifferentCalls) {
    const auto verdict =
        verdictOn({living(beat(0, 90, 37, "all-reduce")), living(beat(1, 90, 36, "broadcast"))});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict, StartsWith("Rank 1 on n2 waits in collective #36 (broadcast)"));
}

TEST(Diagnosis, NamesARankThatNeverBegan) {
    const auto verdict = verdictOn({living(beat(0, 90, 0, "", 1000, "start", 900)), {}});
    ASSERT_TRUE(verdict);
    EXPECT_THAT(*verdict, StartsWith("Rank 1 never began"));
}

TEST(Diagnosis, OfOneProcessSaysWhereItHangs) {
    const auto verdict = verdictOn({living(beat(0, 90, 0, ""))});
    ASSERT_TRUE(verdict);
    EXPECT_EQ(*verdict, "Rank 0 on n1, for 3 min 20 s in step 12, does not go on.");
}

}  // namespace
}  // namespace dailies::trainer
