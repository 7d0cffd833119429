#include "core/judging/preferences.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/judging/arena_records.h"
#include "tests/core/judging/judged_store.h"

#include <gmock/gmock.h>

namespace dailies::judging {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class PreferencesTest : public JudgedStore {
protected:
    PreferencesTest() : m_other(tracking::aRun("lr=0.1")) {
        m_store.createRun(m_other);
        addClips(m_other.id, 0.5, 0.6);
        for (const auto& [id, folder] : {std::pair{m_run.id, "/w/runs/one"}, {m_other.id, "/w/runs/two"}}) {
            m_store.setTag(id, tracking::tag::kCluster, "there");
            m_store.setTag(id, tracking::tag::kFolder, folder);
        }
        m_first = begin("ana");
    }

    ArenaRecord begin(const std::string& author) {
        const std::vector<std::string> ids{m_run.id, m_other.id};
        const ArenaRecord arena{
            newId(),
            "cats and dogs",
            rosterAt({*m_store.run(ids[0]), *m_store.run(ids[1])}, m_store.clips(ids), 200),
            42,
            author,
            1'000};
        addArena(m_store, arena);
        return arena;
    }

    /// `outcome` of the run's clip of a prompt beside the other's, which stands on the right.
    void answer(const ArenaRecord& arena, const std::string& prompt, Outcome outcome) {
        const auto& subjects = arena.roster.subjects;
        const auto subject = std::ranges::find(subjects, prompt, &PromptSeed::prompt) - subjects.begin();
        addChoice(m_store, arena.id, {{static_cast<int>(subject), 0, 1}, outcome, arena.author, ++m_timeMs});
    }

    std::vector<std::string> both() const { return {m_run.id, m_other.id}; }

    tracking::Run m_other;
    ArenaRecord m_first;
};

TEST_F(PreferencesTest, AreWhatMostAnswersOfAllArenasSay) {
    answer(m_first, "cat", Outcome::Left);
    answer(m_first, "dog", Outcome::Tie);
    const auto again = begin("ben");
    answer(again, "cat", Outcome::Right);
    EXPECT_THAT(preferencesOf(m_store, both()).pairs, IsEmpty()) << "one for each";
    EXPECT_EQ(preferencesOf(m_store, both()).undecided, 2);
    const auto third = begin("eve");
    answer(third, "cat", Outcome::Right);
    answer(third, "dog", Outcome::Left);

    const auto found = preferencesOf(m_store, {m_other.id});
    ASSERT_THAT(found.pairs, SizeIs(2));
    EXPECT_EQ(found.undecided, 0);
    EXPECT_EQ(found.pairs[0].subject.prompt, "cat");
    EXPECT_EQ(found.pairs[0].better, (ClipKey{m_other.id, pathOf(200, "cat")}));
    EXPECT_EQ(found.pairs[0].worse, key(200, "cat"));
    EXPECT_EQ(found.pairs[0].votes, 2);
    EXPECT_EQ(found.pairs[0].against, 1);
    EXPECT_EQ(found.pairs[1].better, key(200, "dog"));
    EXPECT_THAT(preferencesOf(m_store, {newId()}).pairs, IsEmpty());
}

TEST_F(PreferencesTest, AreWrittenAsFilesOfTheirCluster) {
    answer(m_first, "dog", Outcome::Right);
    const auto out = file().parent_path() / "pairs.jsonl";
    const auto written = writePreferences(m_store, both(), out);
    EXPECT_EQ(written.pairs, 1);
    EXPECT_EQ(parseJson(readFile(out), "pairs"), (Json{{"prompt", "dog"},
                                                       {"seed", 1},
                                                       {"better", "/w/runs/two/" + pathOf(200, "dog")},
                                                       {"worse", "/w/runs/one/" + pathOf(200, "dog")},
                                                       {"votes", 1},
                                                       {"against", 0},
                                                       {"cluster", "there"}}));
    EXPECT_EQ(writePreferences(m_store, both(), out, "there").pairs, 1);
    EXPECT_THAT([&] { writePreferences(m_store, both(), out, "elsewhere"); },
                testing::ThrowsMessage<InputError>(HasSubstr("both on cluster 'elsewhere'")));
    // of runs without a folder on a cluster: the files that are here
    for (const auto& id : both()) m_store.removeTag({id}, tracking::tag::kFolder);
    writePreferences(m_store, both(), out);
    EXPECT_EQ(parseJson(readFile(out), "pairs").at("better"), "/clips/" + m_other.id + pathOf(200, "dog"));
}

TEST_F(PreferencesTest, OfNoneOrOfTwoClustersAreRefused) {
    const auto out = file().parent_path() / "pairs.jsonl";
    const auto refusal = [&]() -> std::string {
        try {
            writePreferences(m_store, both(), out);
        } catch (const InputError& error) {
            return error.full();
        }
        return "accepted";
    };
    EXPECT_THAT(refusal(), HasSubstr("blind arena"));
    answer(m_first, "cat", Outcome::Left);
    m_store.setTag(m_other.id, tracking::tag::kCluster, "elsewhere");
    EXPECT_THAT(refusal(), HasSubstr("different clusters"));
    EXPECT_FALSE(std::filesystem::exists(out));
}

}  // namespace
}  // namespace dailies::judging
