#include "core/curation/scorer_answers.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(ScorerAnswers, TheNewestOfEachScorerCountsBeforeAndAfterAMerge) {
    const TemporaryFolder folder;
    ScorerLog mine(folder.path()), other(folder.path());
    mine.add("a", "aesthetic", {.values = {{"", 4}}, .settings = "old", .timeMs = 10});
    other.add("a", "aesthetic", {.values = {{"", 5}}, .settings = "new", .timeMs = 20});
    other.add("a", "words", {.values = {{"count", 3}, {"share", 0.5}}, .settings = "w", .timeMs = 5});
    mine.add("b", "aesthetic", {.values = {}, .problem = "NaN", .settings = "new", .timeMs = 20});
    for (const bool isMerged : {false, true}) {
        const auto answers = loadScorerAnswers(folder.path());
        ASSERT_THAT(answers, SizeIs(2)) << isMerged;
        EXPECT_THAT(answers.at("a").at("aesthetic").values, ElementsAre(Pair("", 5)));
        EXPECT_THAT(answers.at("a").at("words").values, SizeIs(2));
        EXPECT_EQ(answers.at("b").at("aesthetic").problem, "NaN");
        if (!isMerged) mine.merge();
    }
    other.discard();
    EXPECT_THAT(loadScorerAnswers(folder.path()), SizeIs(2)) << "the merge had the other's, too";
}

TEST(ScorerAnswers, LinesThatCannotBeReadAreLeftOut) {
    const TemporaryFolder folder;
    writeFileAtomically(
        folder.path() / kScoresFile,
        "{\"id\": \"a\", \"scorer\": \"s\", \"values\": {\"\": 1}, \"time\": 1}\n"
        "{\"id\": \"b\", \"scorer\": \"s\", \"values\": {\"\": \"much\"}}\n[1]\n{\"id\": \"c");
    EXPECT_THAT(loadScorerAnswers(folder.path()), SizeIs(1));
    EXPECT_THAT(loadScorerAnswers(folder.path() / "nowhere"), IsEmpty());
}

TEST(ScorerAnswers, TakeThePlaceOfOlderOnesAndLeaveOtherScorersAlone) {
    ClipRecord clip;
    clip.id = "a";
    clip.scorerValues = {{"words", 1}, {"words/count", 9}, {"wordsmith", 2}, {"aesthetic", 4}};
    takeAnswers(clip, {{"a", {{"words", {.values = {{"share", 0.5}}}}}}, {"b", {{"aesthetic", {}}}}});
    EXPECT_THAT(clip.scorerValues,
                UnorderedElementsAre(Pair("words/share", 0.5), Pair("wordsmith", 2), Pair("aesthetic", 4)));
    takeAnswers(clip, {{"a", {{"aesthetic", {.values = {}, .problem = "no frame"}}}}});
    EXPECT_FALSE(clip.scorerValues.contains("aesthetic")) << "what failed now has no number from before";
}

TEST(ScorerAnswers, AreAColumnOfTheListThatRulesDropBy) {
    const TemporaryFolder folder;
    MadeFilm film;
    film.shot(Scene(1), 60, 2);
    film.cut();
    film.shot(Scene(2), 60, 2);
    film.write(folder.path() / "films" / "film.mp4");
    CurateOptions options;
    options.films = {folder.path() / "films"};
    options.out = folder.path() / "set";
    options.config.verdict.min_side = 100;
    options.writeClips = true;
    curate(options, [](const CurateProgress&) {});
    const auto clips = loadCuratedFolder(options.out).clips;
    ASSERT_THAT(clips, SizeIs(2));
    ScorerLog log(options.out);
    log.add(clips[0].id, "aesthetic",
            {.values = {{"", 3.5}}, .nearestTo = clips[1].id, .settings = "k", .timeMs = 1});
    log.add(clips[1].id, "aesthetic", {.values = {{"", 5.25}}, .settings = "k", .timeMs = 1});
    log.merge();

    auto rules = options.config.verdict;
    EXPECT_EQ(saveChanges(options.out, {.rules = rules}).summary.kept, 2);
    EXPECT_THAT(readFile(options.out / kClipListFile), HasSubstr("\"score/aesthetic\":5.25"));
    EXPECT_EQ(loadCuratedFolder(options.out).clips[0].scorerValues.at("aesthetic"), 3.5);
    EXPECT_THAT(loadCuratedFolder(options.out).clips[0].nearestTo,
                ElementsAre(Pair("aesthetic", clips[1].id)));

    rules.scores["aesthetic"].min = 4;
    const auto summary = saveChanges(options.out, {.rules = rules}).summary;
    EXPECT_EQ(summary.kept, 1);
    EXPECT_THAT(summary.reasons, ElementsAre(Pair("score/aesthetic", 1)));
    EXPECT_THAT(summary.text(), HasSubstr("score/aesthetic: 1"));
    EXPECT_EQ(keptClips(loadCuratedFolder(options.out)).at(0).id, clips[1].id);

    // curating again knows the scores and obeys the rule that the folder has
    options.config = loadCurationConfig(options.out);
    EXPECT_EQ(options.config.verdict.scores.at("aesthetic").min, 4);
    EXPECT_EQ(curate(options, [](const CurateProgress&) {}).kept, 1);
    EXPECT_FALSE(fs::exists(options.out / "clips" / (clips[0].id + ".mp4")));
    EXPECT_THAT(loadCuratedFolder(options.out).clips[1].scorerValues, ElementsAre(Pair("aesthetic", 5.25)));
}

TEST(ScoreRules, AreReadAsTheyAreWritten) {
    const auto json = Json::parse(
        R"({"verdict": {"scores": {"aesthetic": {"min": 4.5}, "words/count": {"min": -1, "max": 3}}}})");
    const auto config = parseCurationConfig(json);
    EXPECT_EQ(config.verdict.scores.at("words/count"), (ScoreLimits{.min = -1, .max = 3}));
    EXPECT_EQ(config.verdict.scores.at("aesthetic").max, std::nullopt);
    EXPECT_EQ(parseCurationConfig(toJson(config)).verdict, config.verdict);
}

TEST(ScoreRules, SayWhatTheyWouldAccept) {
    const auto refusal = [](const char* scores) {
        try {
            parseCurationConfig({{"verdict", {{"scores", Json::parse(scores)}}}});
        } catch (const InputError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    EXPECT_EQ(refusal(R"(4)"),
              "verdict.scores: found 4, expected an object with the names of scores, each with min and max.");
    EXPECT_EQ(refusal(R"({"aesthetic": {"least": 4}})"),
              "least: no such key of verdict.scores.aesthetic. It has min, max.");
    EXPECT_EQ(refusal(R"({"aesthetic": {"min": "4"}})"),
              "verdict.scores.aesthetic.min: found \"4\", expected a number.");
}

}  // namespace
}  // namespace dailies::curation
