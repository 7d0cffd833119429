#include "core/curation/cuts.h"

#include "core/base/files.h"
#include "core/curation/film_analysis.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace dailies::curation {

void PrintTo(const Transition& transition, std::ostream* out) {
    *out << toText(transition.kind) << " " << transition.first << "-" << transition.last;
}

void PrintTo(const Span& span, std::ostream* out) {
    *out << toText(span.begins) << " " << span.first << "-" << span.last << " " << toText(span.ends);
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<Transition> transitionsOf(const MadeFilm& film) {
    return findTransitions(film.scores(), {});
}

std::vector<int> cutsAmong(const std::vector<Transition>& transitions) {
    std::vector<int> cuts;
    for (const auto& transition : transitions)
        if (transition.kind == Boundary::Cut) cuts.push_back(transition.first);
    return cuts;
}

std::vector<MadeFilm::Stretch> stretchesAmong(const std::vector<Transition>& transitions,
                                              std::initializer_list<Boundary> kinds) {
    std::vector<MadeFilm::Stretch> found;
    for (const auto& transition : transitions)
        if (std::ranges::find(kinds, transition.kind) != kinds.end())
            found.push_back({transition.first, transition.last});
    return found;
}

/// How many of `some` overlap one of `others` by at least half of the longer.
int overlapping(const std::vector<MadeFilm::Stretch>& some, const std::vector<MadeFilm::Stretch>& others) {
    return static_cast<int>(std::ranges::count_if(some, [&](const auto& a) {
        return std::ranges::any_of(others, [&](const auto& b) {
            const int shared = std::min(a.last, b.last) - std::max(a.first, b.first) + 1;
            return 2 * shared >= std::max(a.last - a.first, b.last - b.first) + 1;
        });
    }));
}

// -- one kind after the other

TEST(Cuts, EachIsFoundAtItsFrame) {
    MadeFilm film;
    for (int i = 0; i < 6; ++i) {
        if (i > 0) film.cut();
        film.shot(Scene(i), 20 + 5 * i, 1 + i % 3);
    }
    EXPECT_EQ(cutsAmong(transitionsOf(film)), film.cuts);
}

TEST(Cuts, FastPansAreNone) {
    MadeFilm film;
    film.shot(Scene(3), 60, 12);
    film.shot(Scene(3), 30, 25, 60);
    EXPECT_THAT(transitionsOf(film), IsEmpty());
}

TEST(Cuts, NearerThanTheShortestShotTheSecondIsLeftOut) {
    MadeFilm film;
    film.shot(Scene(1), 30);
    film.shot(Scene(2), 10);
    film.shot(Scene(3), 30);
    EXPECT_THAT(cutsAmong(transitionsOf(film)), ElementsAre(30));
    CutRules rules;
    rules.min_shot_frames = 5;
    EXPECT_THAT(cutsAmong(findTransitions(film.scores(), rules)), ElementsAre(30, 40));
}

TEST(Cuts, AFlashIsNoneHoweverManyFramesItLasts) {
    for (const int frames : {1, 2, 4}) {
        MadeFilm film;
        film.shot(Scene(4), 40);
        film.flash(Scene(4), frames, 40);
        film.shot(Scene(4), 40, 1, 40 + frames);
        EXPECT_THAT(transitionsOf(film), IsEmpty()) << frames;
        CutRules likePySceneDetect;
        likePySceneDetect.flash = 1;
        EXPECT_FALSE(findTransitions(film.scores(), likePySceneDetect).empty())
            << "without the rule it is one: " << frames;
    }
}

TEST(Cuts, ACutInAFlashIsFound) {
    MadeFilm film;
    film.shot(Scene(4), 40);
    film.flash(Scene(4), 2, 40);
    film.shot(Scene(5), 40);
    EXPECT_THAT(cutsAmong(transitionsOf(film)), ElementsAre(testing::AnyOf(40, 42)));
}

TEST(Fades, BothEndsOfABlackStretchAreKnownAndTheFadingGoesWithIt) {
    MadeFilm film;
    film.shot(Scene(1), 40);
    film.fadeThrough(Scene(1), Scene(2), 0, 12, 10);
    film.shot(Scene(2), 40, 1, 12);
    const auto transitions = transitionsOf(film);
    ASSERT_EQ(transitions.size(), 1U) << testing::PrintToString(transitions);
    EXPECT_EQ(transitions[0].kind, Boundary::Black);
    EXPECT_NEAR(transitions[0].first, 40, 2);
    EXPECT_NEAR(transitions[0].last, 73, 2);
}

TEST(Fades, WhiteIsOneAsWellAndACutToBlackTakesNoFrameOfTheShot) {
    MadeFilm film;
    film.shot(Scene(1), 40);
    film.fadeThrough(Scene(1), Scene(2), 255, 12, 10);
    film.shot(Scene(2), 40, 1, 12);
    film.shot(plainFrame(0), 20);
    film.shot(Scene(3), 40);
    const auto transitions = transitionsOf(film);
    ASSERT_EQ(transitions.size(), 2U) << testing::PrintToString(transitions);
    EXPECT_EQ(transitions[0].kind, Boundary::White);
    EXPECT_EQ(transitions[1], (Transition{Boundary::Black, 114, 133}));
}

TEST(Dissolves, OfDifferentLengthsAreFoundWithTheirEnds) {
    for (const int frames : {8, 16, 24, 40}) {
        MadeFilm film;
        film.shot(Scene(3), 50);
        film.dissolve(Scene(3), Scene(4), frames, 50);
        film.shot(Scene(4), 50, 1, frames);
        const auto transitions = transitionsOf(film);
        ASSERT_EQ(transitions.size(), 1U) << frames << testing::PrintToString(transitions);
        EXPECT_EQ(transitions[0].kind, Boundary::Dissolve);
        EXPECT_NEAR(transitions[0].first, 50, 4) << frames;
        EXPECT_NEAR(transitions[0].last, 50 + frames - 1, 4) << frames;
    }
}

// -- all kinds in one film, through a codec

class MixedFilm : public testing::Test {
protected:
    static MadeFilm make() {
        MadeFilm film;
        int scene = 20;
        const auto next = [&] { return Scene(++scene); };
        for (int round = 0; round < 4; ++round) {
            const double speed = 0.5 + round;
            const Scene a = next(), b = next(), c = next(), d = next();
            if (round > 0) film.cut();
            film.shot(a, 40, speed);
            film.cut();
            film.shot(b, 45, speed);
            film.flash(b, 1 + round % 3, 45);
            film.shot(b, 30, speed, 45);
            film.cut();
            film.shot(c, 40);
            film.dissolve(c, d, 10 + 8 * round, 40);
            film.shot(d, 40, 1, 10 + 8 * round);
            const Scene e = next();
            film.fadeThrough(d, e, 0, 10 + 3 * round, 4 + 6 * round);
            film.shot(e, 45, 1, 10 + 3 * round);
            film.cut();
            film.shot(next(), 50, 10);
        }
        return film;
    }
};

TEST_F(MixedFilm, EveryKindIsFoundAndNothingElse) {
    const auto made = make();
    const TemporaryFolder folder;
    const auto film = analyseFilm(made.write(folder.path() / "film.mp4"));
    ASSERT_EQ(film.frames, made.size());
    const auto found = findTransitions(film, {});
    EXPECT_EQ(cutsAmong(found), made.cuts)
        << "precision and recall of cuts are 1, flashes and pans beside them";
    const auto dissolves = stretchesAmong(found, {Boundary::Dissolve});
    const auto fades = stretchesAmong(found, {Boundary::Black, Boundary::White});
    EXPECT_EQ(overlapping(made.dissolves, dissolves), 4) << testing::PrintToString(found);
    EXPECT_EQ(dissolves.size(), 4U);
    EXPECT_EQ(overlapping(made.fades, fades), 4) << testing::PrintToString(found);
    EXPECT_EQ(fades.size(), 4U);
}

// -- spans

FilmScores empty(int frames) {
    FilmScores film;
    film.frames = frames;
    film.fps = 10;
    return film;
}

TEST(Spans, LieBetweenTransitionsWithoutTheirFrames) {
    const std::vector<Transition> transitions = {{Boundary::Cut, 30, 29}, {Boundary::Dissolve, 50, 59}};
    EXPECT_THAT(findSpans(empty(100), transitions, {}),
                ElementsAre(Span{0, 29, Boundary::FilmEnd, Boundary::Cut},
                            Span{30, 49, Boundary::Cut, Boundary::Dissolve},
                            Span{60, 99, Boundary::Dissolve, Boundary::FilmEnd}));
}

TEST(Spans, LongShotsAreSplitEvenlyAndEndsAreTrimmed) {
    CutRules rules;
    rules.max_seconds = 4;
    EXPECT_THAT(findSpans(empty(100), {}, rules),
                ElementsAre(Span{0, 32, Boundary::FilmEnd, Boundary::Split},
                            Span{33, 65, Boundary::Split, Boundary::Split},
                            Span{66, 99, Boundary::Split, Boundary::FilmEnd}));
    rules = {};
    rules.trim_seconds = 0.5;
    EXPECT_THAT(findSpans(empty(100), {{Boundary::Cut, 92, 91}}, rules),
                ElementsAre(Span{5, 86, Boundary::FilmEnd, Boundary::Cut}))
        << "nothing is left of the second";
}

TEST(Spans, AFilmThatEndsInBlackHasNoEmptyOne) {
    EXPECT_THAT(findSpans(empty(100), {{Boundary::Black, 0, 19}, {Boundary::Black, 80, 99}}, {}),
                ElementsAre(Span{20, 79, Boundary::Black, Boundary::Black}));
}

TEST(Spans, DamagedFramesAreInNone) {
    auto film = MadeFilm();
    film.shot(Scene(1), 40);
    auto scores = film.scores();
    scores.damaged = {10, 11, 30};
    EXPECT_THAT(findSpans(scores, findTransitions(scores, {}), {}),
                ElementsAre(Span{0, 9, Boundary::FilmEnd, Boundary::Damage},
                            Span{12, 29, Boundary::Damage, Boundary::Damage},
                            Span{31, 39, Boundary::Damage, Boundary::FilmEnd}));
}

}  // namespace
}  // namespace dailies::curation
