#include "trainer/rehearsal/collective_match.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// What a rank does, written down by hand.
class Script {
public:
    /// Of the groups in the order in which they are made; a member waits for the others.
    Script& join(const std::string& name, std::vector<std::int64_t> members, std::int64_t rank) {
        const auto own = static_cast<std::size_t>(std::ranges::find(members, rank) - members.begin());
        m_rank.groups.push_back({name, std::move(members), own});
        m_rank.calls.push_back({.kind = CallKind::newGroup, .group = m_rank.groups.size() - 1});
        return wait();
    }
    Script& begin(CallKind kind, std::size_t group, std::vector<std::int64_t> sizes,
                  const std::string& type = "Float") {
        m_rank.calls.push_back(
            {.kind = kind, .group = group, .type = type, .sizes = std::move(sizes), .elementBytes = 4});
        return *this;
    }
    Script& exchange(std::size_t group, std::vector<std::int64_t> given, std::vector<std::int64_t> taken) {
        begin(CallKind::allToAll, group, {8});
        m_rank.calls.back().given = std::move(given);
        m_rank.calls.back().taken = std::move(taken);
        return wait();
    }
    /// For what was begun last, or for an earlier call.
    Script& wait() { return waitFor(m_rank.calls.size() - 1); }
    Script& waitFor(std::size_t call) {
        m_rank.calls.push_back({.kind = CallKind::wait, .of = call});
        return *this;
    }
    Script& sum(std::size_t group, std::vector<std::int64_t> sizes) {
        return begin(CallKind::allReduce, group, std::move(sizes)).wait();
    }
    const RecordedRank* rank() const { return &m_rank; }

private:
    RecordedRank m_rank;
};

Script inWorld(std::int64_t rank, std::int64_t size = 2) {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < size; ++i) all.push_back(i);
    Script script;
    script.join("world", all, rank);
    return script;
}

CollectiveMatch played(const std::vector<Script>& scripts) {
    std::vector<const RecordedRank*> ranks;
    for (const auto& script : scripts) ranks.push_back(script.rank());
    return matchCollectives(ranks);
}

TEST(CollectiveMatch, CountsTheCollectivesThatAllMembersMeetIn) {
    const auto found = played({inWorld(0).sum(0, {4}).sum(0, {2, 2}), inWorld(1).sum(0, {4}).sum(0, {2, 2})});
    EXPECT_TRUE(found.agrees()) << found.mismatch;
    EXPECT_EQ(found.collectives, 3) << "the making of the group is one";
}

TEST(CollectiveMatch, IsOfElementsAndNotOfTheirShape) {
    EXPECT_TRUE(played({inWorld(0).sum(0, {4}), inWorld(1).sum(0, {2, 2})}).agrees());
}

TEST(CollectiveMatch, MissesACallThatOneRankNeverMakes) {
    const auto found = played({inWorld(0).sum(0, {4}), inWorld(1)});
    EXPECT_EQ(
        found.mismatch,
        "Rank 0 waits in its call 3, an all-reduce of Float [4] among ranks 0, 1, for rank 1, which has "
        "made all of its 2 calls.");
}

TEST(CollectiveMatch, MissesACallThatNobodyWaitsFor) {
    const auto found = played({inWorld(0).begin(CallKind::allReduce, 0, {4}), inWorld(1)});
    EXPECT_EQ(found.mismatch,
              "Rank 0's call 3, an all-reduce of Float [4] among ranks 0, 1, is never begun by rank 1.");
}

TEST(CollectiveMatch, TellsSizesTypesAndKindsApart) {
    EXPECT_EQ(
        played({inWorld(0).sum(0, {4}), inWorld(1).sum(0, {5})}).mismatch,
        "Rank 0's call 3, an all-reduce of Float [4] among ranks 0, 1, and rank 1's call 3, an all-reduce of "
        "Float [5] among ranks 0, 1, both number 2 of the group \"world\", differ in size.");
    EXPECT_THAT(
        played({inWorld(0).sum(0, {4}), inWorld(1).begin(CallKind::allReduce, 0, {4}, "BFloat16").wait()})
            .mismatch,
        AllOf(HasSubstr("BFloat16 [4]"), HasSubstr("are not the same collective")));
    EXPECT_THAT(
        played({inWorld(0).sum(0, {4}), inWorld(1).begin(CallKind::allGather, 0, {4}).wait()}).mismatch,
        AllOf(HasSubstr("an all-gather"), HasSubstr("are not the same collective")));
}

TEST(CollectiveMatch, IsOfASendAndItsReceive) {
    const auto sends = [](std::int64_t rank, std::int64_t size) {
        return inWorld(rank).begin(CallKind::send, 0, {size}).wait();
    };
    const auto receives = [](std::int64_t rank, std::int64_t size) {
        return inWorld(rank).begin(CallKind::receive, 0, {size}).wait();
    };
    EXPECT_TRUE(played({sends(0, 4), receives(1, 4)}).agrees());
    EXPECT_TRUE(played({receives(0, 4), sends(1, 4)}).agrees());
    EXPECT_THAT(played({sends(0, 4), receives(1, 5)}).mismatch,
                AllOf(HasSubstr("a send of Float [4]"), HasSubstr("a receive of Float [5]"),
                      HasSubstr("differ in size")));
    EXPECT_THAT(played({sends(0, 4), sends(1, 4)}).mismatch, HasSubstr("are not the same collective"));
    EXPECT_THAT(played({sends(0, 4), inWorld(1)}).mismatch, HasSubstr("waits in its call 3, a send"));
}

TEST(CollectiveMatch, TellsWhatAnExchangeGivesFromWhatTheOtherTakes) {
    EXPECT_TRUE(
        played({inWorld(0).exchange(0, {4, 4}, {4, 4}), inWorld(1).exchange(0, {4, 4}, {4, 4})}).agrees());
    EXPECT_THAT(
        played({inWorld(0).exchange(0, {4, 4}, {4, 4}), inWorld(1).exchange(0, {2, 6}, {4, 4})}).mismatch,
        HasSubstr("exchange unequal parts: rank 1 gives 2 elements to rank 0, which takes 4"));
}

TEST(CollectiveMatch, FindsRanksThatWaitForEachOtherInACircle) {
    const auto twoGroups = [](std::int64_t rank) { return inWorld(rank).join("shard", {0, 1}, rank); };
    const auto found = played({twoGroups(0).sum(0, {4}).sum(1, {4}), twoGroups(1).sum(1, {4}).sum(0, {4})});
    EXPECT_EQ(found.mismatch,
              "Rank 0 waits in its call 5, an all-reduce of Float [4] among ranks 0, 1, for rank 1, which "
              "waits in its call 5, an all-reduce of Float [4] among ranks 0, 1, for rank 0: they wait "
              "forever.");
}

TEST(CollectiveMatch, LetsGroupsGoInAnyOrderWhereNobodyWaitsBetween) {
    const auto twoGroups = [](std::int64_t rank) { return inWorld(rank).join("twin", {0, 1}, rank); };
    const auto begun = [&](std::int64_t rank, std::size_t first) {
        return twoGroups(rank)
            .begin(CallKind::allReduce, first, {4})
            .begin(CallKind::allReduce, 1 - first, {4})
            .waitFor(4)
            .waitFor(5);
    };
    const auto found = played({begun(0, 0), begun(1, 1)});
    EXPECT_TRUE(found.agrees()) << found.mismatch;
}

TEST(CollectiveMatch, FindsACircleOfThreeRanksInThreeGroups) {
    const auto ring = [](std::int64_t rank, bool turned) {
        auto script = inWorld(rank, 3);
        const std::vector<std::int64_t> before = {std::min(rank, (rank + 2) % 3),
                                                  std::max(rank, (rank + 2) % 3)},
                                        after = {std::min(rank, (rank + 1) % 3),
                                                 std::max(rank, (rank + 1) % 3)};
        const auto name = [](const std::vector<std::int64_t>& pair) {
            return "pair" + std::to_string(pair[1] - pair[0]);
        };
        // groups are made in one order everywhere, else that is the circle
        const auto& low = before < after ? before : after;
        const auto& high = before < after ? after : before;
        script.join(name(low), low, rank).join(name(high), high, rank);
        const std::size_t ofAfter = before < after ? 2 : 1;
        const auto first = turned ? 3 - ofAfter : ofAfter;
        return script.sum(first, {1}).sum(3 - first, {1});
    };
    EXPECT_THAT(played({ring(0, false), ring(1, false), ring(2, false)}).mismatch,
                HasSubstr("they wait forever"));
    EXPECT_TRUE(played({ring(0, true), ring(1, false), ring(2, false)}).agrees());
}

TEST(CollectiveMatch, NeedsMembersToKnowEachOther) {
    const auto found = played({inWorld(0, 3).join("shard", {0, 1}, 0), inWorld(1, 3).join("shard", {0, 1}, 1),
                               inWorld(2, 3).join("shard", {0, 2}, 2)});
    EXPECT_THAT(found.mismatch, HasSubstr("are of different groups"));
}

}  // namespace
}  // namespace dailies::trainer
