#include "core/judging/arena_records.h"

#include "tests/core/judging/judged_store.h"

#include <gmock/gmock.h>

namespace dailies::judging {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class ArenaRecords : public JudgedStore {
protected:
    ArenaRecords() : m_other(tracking::aRun("lr=0.1")) {
        m_store.createRun(m_other);
        addClips(m_other.id, 0.5, 0.6);
        const std::vector<std::string> ids{m_run.id, m_other.id};
        const Roster roster = rosterAt({*m_store.run(ids[0]), *m_store.run(ids[1])}, m_store.clips(ids), 200);
        m_record = {newId(), "cats and dogs", roster, 42, "ana", 1'000};
        addArena(m_store, m_record);
    }

    Arena arena() const { return {m_record.roster, m_record.seed, choicesOf(m_store, m_record.id)}; }

    tracking::Run m_other;
    ArenaRecord m_record;
};

TEST_F(ArenaRecords, AreFoundFromTheirRunsAndGoOnWhereTheyWereLeft) {
    const auto found = arenasOf(m_store, {m_other.id});
    ASSERT_THAT(found, SizeIs(1));
    EXPECT_EQ(found[0].roster, m_record.roster);
    EXPECT_EQ(found[0].seed, 42u);
    EXPECT_THAT(arenasOf(m_store, {newId()}), IsEmpty());

    const Match first = *arena().next();
    addChoice(m_store, m_record.id, {first, Outcome::BothBad, "ana", 2'000});
    const Arena reopened = arena();
    ASSERT_THAT(reopened.choices(), SizeIs(1));
    EXPECT_EQ(reopened.choices()[0].match, first);
    EXPECT_EQ(reopened.choices()[0].outcome, Outcome::BothBad);
    EXPECT_NE(reopened.next(), first);
}

TEST_F(ArenaRecords, KeepWhoseClipsAContestantsAre) {
    ArenaRecord record = m_record;
    record.id = newId();
    Contestant& first = record.roster.contestants.front();
    first.owners.assign(first.paths.size(), newId());
    addArena(m_store, record);
    EXPECT_EQ(arenasOf(m_store, {first.runId}).size(), 2u);
    for (const ArenaRecord& found : arenasOf(m_store, {first.runId})) {
        EXPECT_EQ(found.roster, found.id == record.id ? record.roster : m_record.roster);
    }
}

TEST_F(ArenaRecords, StrengthsAreAMetricOfEachRunAtItsStep) {
    const Match match = *arena().next();
    const auto winner = m_record.roster.contestants[static_cast<std::size_t>(match.left)].runId;
    const auto loser = m_record.roster.contestants[static_cast<std::size_t>(match.right)].runId;
    const auto id = addChoice(m_store, m_record.id, {match, Outcome::Left, "ana", 2'000});
    const auto won = m_store.run(winner)->metrics.at(mirror::kArena);
    EXPECT_GT(won.value, 0);
    EXPECT_EQ(won.step, 200);
    EXPECT_NEAR(m_store.run(loser)->metrics.at(mirror::kArena).value, -won.value, 1e-9);
    EXPECT_THAT(m_store.run(winner)->tags.at(mirror::kArenaTag), HasSubstr("(1st of 2, 1 bout)"));

    removeChoice(m_store, m_record.id, id);
    EXPECT_FALSE(m_store.run(winner)->metrics.contains(mirror::kArena))
        << "an arena without answers says nothing";
    EXPECT_FALSE(m_store.run(winner)->tags.contains(mirror::kArenaTag));
}

TEST_F(ArenaRecords, ARunThatWasDeletedForEverDoesNotStopTheOthers) {
    m_store.deleteRuns({m_other.id});
    m_store.purgeRuns({m_other.id});
    addChoice(m_store, m_record.id, {*arena().next(), Outcome::Tie, "ana", 2'000});
    EXPECT_TRUE(m_store.run(m_run.id)->metrics.contains(mirror::kArena));
}

}  // namespace
}  // namespace dailies::judging
