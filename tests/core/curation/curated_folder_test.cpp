#include "core/curation/curated_folder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/curate.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Curated : public testing::Test {
protected:
    Curated() {
        MadeFilm film;
        film.shot(Scene(1), 60, 2);
        film.shot(Scene(2), 60, 1);
        film.shot(Scene(3).frame(0, 0, 0), 60);
        film.write(m_films.path() / "film.mp4");
        curateAgain();
    }

    void curateAgain() {
        CurateOptions options;
        options.films = {m_films.path()};
        options.out = out();
        options.config = loadCurationConfig(out());
        if (!fs::exists(out() / "config.json")) options.config.verdict.min_side = 100;
        curate(options, [](const CurateProgress&) {});
    }

    fs::path out() const { return m_out.path() / "set"; }
    std::string list() const { return readFile(out() / "clips.jsonl"); }
    std::vector<std::string> verdicts() const {
        std::vector<std::string> found;
        for (const auto& line : split(list(), '\n'))
            if (line.starts_with('{')) found.push_back(parseJson(line, "line").at("verdict"));
        return found;
    }

    TemporaryFolder m_films, m_out;
};

TEST_F(Curated, IsOpenedWithTheRulesThatWereFollowed) {
    const auto curated = loadCuratedFolder(out());
    ASSERT_THAT(curated.clips, SizeIs(3));
    EXPECT_EQ(curated.config.verdict.min_side, 100);
    EXPECT_EQ(curated.otherVerdicts, 0U);
    EXPECT_THAT(curated.unread, IsEmpty());
    EXPECT_THAT(curated.missingFilms, IsEmpty());
    EXPECT_THAT(verdicts(), ElementsAre("keep", "keep", "drop"));
    EXPECT_THAT(loadCuratedFolder(out(), 2).clips, SizeIs(2)) << "the first screen waits for no more";
}

TEST_F(Curated, SavingGivesTheBytesThatCuratingWithTheSameRulesGives) {
    const auto curated = loadCuratedFolder(out());
    auto rules = curated.config.verdict;
    rules.min_seconds = 0;
    rules.min_motion = curated.clips[1].scores.motion + 0.01;
    const auto saved = saveChanges(
        out(), {rules, {{curated.clips[2].id, Correction::Keep}, {curated.clips[0].id, Correction::Drop}}});
    EXPECT_THAT(verdicts(), ElementsAre("drop", "drop", "keep"));
    EXPECT_EQ(saved.summary.kept, 1);
    EXPECT_EQ(saved.summary.films, 1) << "what only decoding told stays";
    const auto lines = list(), summary = readFile(out() / "summary.json");
    EXPECT_THAT(lines, HasSubstr(R"("verdict":"drop","reasons":["by hand"],"by_hand":true)"));
    curateAgain();
    EXPECT_EQ(list(), lines) << "curate reads the saved rules, and obeys the corrections";
    EXPECT_EQ(readFile(out() / "summary.json"), summary);
    const auto again = loadCuratedFolder(out());
    EXPECT_EQ(again.config.verdict, rules);
    EXPECT_EQ(again.otherVerdicts, 0U);
    EXPECT_EQ(again.corrections, saved.corrections);
}

TEST_F(Curated, ACorrectionThatIsTakenBackIsGoneAndOthersStay) {
    const auto clips = loadCuratedFolder(out()).clips;
    const auto rules = loadCurationConfig(out()).verdict;
    const auto before = list();
    saveChanges(out(), {rules, {{clips[0].id, Correction::Drop}}});
    // another person's, saved meanwhile
    saveChanges(out(), {rules, {{clips[1].id, Correction::Drop}}});
    saveChanges(out(), {rules, {{clips[0].id, Correction::None}}});
    EXPECT_THAT(verdicts(), ElementsAre("keep", "drop", "drop"));
    saveChanges(out(), {rules, {{clips[1].id, Correction::None}}});
    EXPECT_EQ(list(), before);
    EXPECT_THAT(loadCorrections(out()), IsEmpty());
}

TEST_F(Curated, BrokenLinesAreNamedAndStayAndSoDoKeysThatAreNotOurs) {
    auto lines = split(list(), '\n');
    lines[1] = R"({"id": "half a li)";
    lines[0].insert(1, R"("caption":"a red house",)");
    writeFileAtomically(out() / "clips.jsonl", join(lines, "\n"));
    const auto curated = loadCuratedFolder(out());
    EXPECT_THAT(curated.clips, SizeIs(2));
    ASSERT_THAT(curated.unread, SizeIs(1));
    EXPECT_EQ(curated.unread[0].line, 2U);
    saveChanges(out(), {curated.config.verdict, {{curated.clips[0].id, Correction::Drop}}});
    const auto saved = split(list(), '\n');
    EXPECT_EQ(saved[1], lines[1]);
    EXPECT_THAT(saved[0], HasSubstr("a red house"));
    EXPECT_THAT(saved[0], HasSubstr("by hand"));
}

TEST_F(Curated, VerdictsOfOtherRulesAreCounted) {
    auto config = loadCurationConfig(out());
    config.verdict.min_side = 1000;
    saveCurationConfig(out(), config);
    EXPECT_EQ(loadCuratedFolder(out()).otherVerdicts, 2U);
}

TEST_F(Curated, AFilmThatIsGoneIsNamedUnlessItsClipsAreFiles) {
    fs::remove(m_films.path() / "film.mp4");
    const auto curated = loadCuratedFolder(out());
    EXPECT_THAT(curated.missingFilms, ElementsAre((m_films.path() / "film.mp4").string()));
    for (const auto& clip : curated.clips)
        writeFileAtomically(out() / "clips" / clipFileName(clip), "a clip");
    EXPECT_THAT(loadCuratedFolder(out()).missingFilms, IsEmpty());
    const auto saved = saveChanges(out(), {curated.config.verdict});
    EXPECT_THAT(list(), HasSubstr("\"file\":\"clips/" + curated.clips[0].id + ".mp4\""));
}

TEST_F(Curated, WhatCannotBeReadIsRefusedWithItsPlace) {
    const auto messageOf = [&](const fs::path& folder) -> std::string {
        try {
            loadCuratedFolder(folder);
            return "";
        } catch (const InputError& error) {
            return error.full();
        }
    };
    EXPECT_THAT(messageOf(m_films.path()), HasSubstr("no clips.jsonl"));
    EXPECT_THAT(messageOf(m_films.path()), HasSubstr("dailies-train curate"));
    EXPECT_THAT(messageOf(out() / "gone"), HasSubstr("no folder"));
    writeFileAtomically(out() / "corrections.json", R"({"keep": ["a"], "drop": ["a"]})");
    EXPECT_THAT(messageOf(out()), HasSubstr("corrections.json"));
    writeFileAtomically(out() / "corrections.json", R"({"keep": 3})");
    EXPECT_THAT(messageOf(out()), HasSubstr("is no list"));
    fs::remove(out() / "corrections.json");
    writeFileAtomically(out() / "config.json", R"({"verdict": {"min_motoin": 3}})");
    EXPECT_THAT(messageOf(out()), HasSubstr("config.json"));
    EXPECT_THAT(messageOf(out()), HasSubstr("min_motoin"));
}

}  // namespace
}  // namespace dailies::curation
