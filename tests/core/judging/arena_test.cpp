#include "core/judging/arena.h"

#include "core/base/error.h"
#include "core/tracking/sampled_run.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <map>
#include <random>
#include <set>
#include <tuple>

namespace dailies::judging {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

/// `contestants` runs with a clip of each of `subjects` prompts.
Roster fieldOf(int contestants, int subjects) {
    Roster roster;
    for (int s = 0; s < subjects; ++s) roster.subjects.push_back({"prompt " + std::to_string(s), s});
    for (int c = 0; c < contestants; ++c) {
        Contestant& run = roster.contestants.emplace_back();
        run.runId = std::string(32, static_cast<char>('a' + c));
        run.step = 100;
        for (int s = 0; s < subjects; ++s) run.paths.push_back("clips/" + std::to_string(s) + ".mp4");
    }
    return roster;
}

Outcome answerOf(const Match& match, const std::vector<double>& truth, std::mt19937_64& random) {
    const double left = std::exp(truth[static_cast<std::size_t>(match.left)]),
                 right = std::exp(truth[static_cast<std::size_t>(match.right)]),
                 tie = 0.5 * std::sqrt(left * right);
    const double die = std::generate_canonical<double, 53>(random) * (left + right + tie);
    return die < left ? Outcome::Left : die < left + right ? Outcome::Right : Outcome::Tie;
}

TEST(Arena, AsksAboutEachPairOfClipsOnceAndOnBothSides) {
    Arena arena(fieldOf(3, 4), 7);
    EXPECT_EQ(arena.possibleMatches(), 12);
    std::set<std::tuple<int, int, int>> asked;
    std::map<int, int> left;
    while (const auto match = arena.next()) {
        EXPECT_NE(match->left, match->right);
        EXPECT_TRUE(asked
                        .insert({std::min(match->left, match->right), std::max(match->left, match->right),
                                 match->subject})
                        .second);
        ++left[match->left];
        arena.answer({*match, Outcome::Tie});  // nobody is better, so it goes on to the end
    }
    EXPECT_THAT(asked, SizeIs(12));
    EXPECT_FALSE(arena.isDecided());
    EXPECT_THAT(left, SizeIs(3)) << "each was on the left";
}

TEST(Arena, GoesOnWithTheSameBoutAfterItWasClosed) {
    Arena arena(fieldOf(4, 6), 11);
    for (int i = 0; i < 7; ++i) {
        const Arena reopened(arena.roster(), 11, arena.choices());
        ASSERT_EQ(reopened.next(), arena.next());
        arena.answer({*arena.next(), i % 2 ? Outcome::Left : Outcome::BothBad});
    }
    EXPECT_NE(Arena(arena.roster(), 12, arena.choices()).next(), std::nullopt);
}

TEST(Arena, TakingBackAnAnswerAsksTheSameAgain) {
    Arena arena(fieldOf(3, 5), 3);
    arena.answer({*arena.next(), Outcome::Left});
    const auto match = arena.next();
    arena.answer({*match, Outcome::Right});
    ASSERT_TRUE(arena.undoLast());
    EXPECT_EQ(arena.next(), match);
    EXPECT_TRUE(arena.undoLast());
    EXPECT_FALSE(arena.undoLast()) << "there is none left";
}

TEST(Arena, ClipsThatAreMissingDoNotMeet) {
    Roster roster = fieldOf(3, 2);
    roster.contestants[0].paths[0] = "";
    roster.contestants[2].paths = {"", ""};
    Arena arena(roster, 1);
    EXPECT_EQ(arena.possibleMatches(), 1);
    ASSERT_TRUE(arena.next());
    EXPECT_EQ(arena.next()->subject, 1);

    roster.contestants[0].paths = {"", ""};
    EXPECT_THROW(Arena(roster, 1), InputError);
}

TEST(Arena, LeavesAloneWhoIsOutAndStopsWhenTheBestIsApart) {
    // the first beats everybody, the last loses to everybody
    Arena arena(fieldOf(3, 60), 5);
    std::map<int, int> bouts;
    while (const auto match = arena.next()) {
        ++bouts[match->left];
        ++bouts[match->right];
        arena.answer({*match, match->left < match->right ? Outcome::Left : Outcome::Right});
    }
    EXPECT_TRUE(arena.isDecided());
    EXPECT_THAT(arena.contenders(), ElementsAre(0));
    EXPECT_LT(arena.choices().size(), 60u) << "long before all 180 bouts";
    EXPECT_LT(bouts[2], bouts[0]) << "the hopeless one is asked about less";
}

TEST(Arena, WhomItDeclaresTheBestMostlyIsAndItGetsThereSoonerThanByDrawingPairs) {
    const std::vector<double> truth{1.2, 0.2, 0.0, -0.5, -0.9};
    std::mt19937_64 random(2026);
    int decided = 0, right = 0, sooner = 0;
    constexpr int kArenas = 60;
    for (int trial = 0; trial < kArenas; ++trial) {
        Arena chosen(fieldOf(5, 40), static_cast<std::uint64_t>(trial));
        while (const auto match = chosen.next()) chosen.answer({*match, answerOf(*match, truth, random)});
        if (!chosen.isDecided()) continue;
        ++decided;
        right += chosen.contenders().front() == 0;

        Arena drawn(fieldOf(5, 40), static_cast<std::uint64_t>(trial));
        while (drawn.choices().size() < chosen.choices().size() && !drawn.isDecided()) {
            Match match{static_cast<int>(drawn.choices().size()) % 40, static_cast<int>(random() % 5), 0};
            match.right = (match.left + 1 + static_cast<int>(random() % 4)) % 5;
            drawn.answer({match, answerOf(match, truth, random)});
        }
        sooner += !drawn.isDecided();
    }
    EXPECT_GE(decided, kArenas * 9 / 10);
    EXPECT_GE(right, decided * 9 / 10);
    EXPECT_GT(sooner, decided / 2);
    std::printf("decided %d of %d, right %d, sooner than drawn pairs %d\n", decided, kArenas, right, sooner);
}

tracking::ClipRecord clip(const std::string& run, std::int64_t step, const std::string& prompt,
                          bool here = true) {
    tracking::ClipRecord made;
    made.runId = run;
    made.step = step;
    made.prompt = prompt;
    made.seed = 7;
    made.path = prompt + std::to_string(step);
    made.localPath = here ? "/here" : "";
    return made;
}

tracking::Run runOf(const std::string& id) {
    tracking::Run run;
    run.id = id;
    run.params = {{"sampling.guidance", "1.0"}, {"sampling.steps", "20"}, {"data.frames", "16"}};
    return run;
}

tracking::Run resampleOf(const std::string& source, const std::string& id, const std::string& step,
                         const std::string& guidance) {
    tracking::Run run;
    run.id = id;
    run.params = {{"sampling.guidance", guidance}, {"sampling.steps", "20"}, {"sampling.frames", "16"}};
    run.tags = {{tracking::tag::kSampledRun, source}, {tracking::tag::kSampledStep, step}};
    return run;
}

TEST(Arena, ARunDoesNotMeetItselfInItsResamples) {
    const std::string one(32, 'a'), two(32, 'b'), same(32, 'c'), guided(32, 'd'), again(32, 'e'),
        early(32, 'f');
    const Roster roster = rosterAt(
        {resampleOf(one, same, "200", "1"), runOf(one), runOf(two), resampleOf(one, guided, "200", "3"),
         resampleOf(one, again, "200", "3"), resampleOf(one, early, "100", "1")},
        {clip(one, 100, "cat"), clip(one, 200, "cat"), clip(two, 200, "cat"), clip(same, 200, "cat"),
         clip(same, 200, "fox"), clip(guided, 200, "cat"), clip(again, 200, "cat"), clip(early, 100, "cat")},
        200);
    std::vector<std::string> runs;
    for (const Contestant& contestant : roster.contestants) runs.push_back(contestant.runId);
    EXPECT_THAT(runs, ElementsAre(one, two, guided, early));
    ASSERT_THAT(roster.subjects, SizeIs(2));
    const int fox = roster.subjects[0].prompt == "fox" ? 0 : 1;
    const Arena arena(roster, 1);
    EXPECT_EQ(arena.clip(0, fox), (ClipKey{same, "fox200"})) << "made with its settings, and so its clip";
    EXPECT_EQ(arena.clip(0, 1 - fox), (ClipKey{one, "cat200"}));
    EXPECT_EQ(arena.possibleMatches(), 6);
}

TEST(Arena, SaysHowManyAnswersAreLeftAtMost) {
    Arena arena(fieldOf(3, 2), 42);
    EXPECT_EQ(arena.matchesLeft(), 6);
    int before = arena.matchesLeft();
    while (const auto match = arena.next()) {
        arena.answer({*match, Outcome::Tie});
        EXPECT_LT(arena.matchesLeft(), before);
        before = arena.matchesLeft();
    }
    EXPECT_EQ(arena.matchesLeft(), 0);
}

TEST(Arena, TakesEachRunsNewestClipsThatAreHere) {
    const std::string one(32, 'a'), two(32, 'b'), none(32, 'c');
    const Roster roster =
        rosterAt({runOf(two), runOf(one), runOf(none)},
                 {clip(one, 100, "cat", true), clip(one, 200, "cat", true), clip(one, 200, "dog", true),
                  clip(two, 100, "cat", true), clip(two, 200, "cat", false), clip(one, 300, "cat", true)},
                 200);
    ASSERT_THAT(roster.contestants, SizeIs(2));
    EXPECT_EQ(roster.contestants[0].runId, two) << "in the order of the runs";
    EXPECT_EQ(roster.contestants[0].step, 100) << "its clip of step 200 has not arrived";
    ASSERT_THAT(roster.subjects, SizeIs(2));
    EXPECT_THAT(roster.contestants[1].paths, testing::UnorderedElementsAre("cat200", "dog200"));
}

}  // namespace
}  // namespace dailies::judging
