#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/curation/clip_list.h"
#include "core/curation/clip_record.h"
#include "core/curation/curation_config.h"
#include "core/curation/duplicates.h"
#include "core/curation/film_record.h"
#include "core/curation/verdict.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kFilmId(32, 'a');

ClipRecord goodClip() {
    ClipRecord clip;
    clip.id = "aaaaaaaaaaaa-000048-000143";
    clip.source = "/films/a.mp4";
    clip.firstFrame = 48;
    clip.lastFrame = 143;
    clip.start = 2;
    clip.end = 6;
    clip.fps = 24;
    clip.width = 1280;
    clip.height = 720;
    clip.crop = {0, 90, 1280, 540};
    clip.begins = Boundary::Cut;
    clip.ends = Boundary::Dissolve;
    clip.scores = {
        .motion = 2, .frozen = 0, .luma = 100, .contrast = 50, .black = 0, .white = 0, .sharpness = 300};
    clip.hashes = {0x0123456789abcdef, 0xffff0000ffff0000};
    return clip;
}

std::vector<std::string> reasonsAgainst(const ClipRecord& clip, const VerdictRules& rules = {}) {
    return verdictOf(clip, rules).reasons;
}

TEST(Verdict, AGoodClipIsKept) {
    EXPECT_EQ(verdictOf(goodClip(), {}), (Verdict{true, {}}));
}

TEST(Verdict, NamesEveryReasonAndFollowsEachThreshold) {
    const auto with = [](auto change) {
        auto clip = goodClip();
        change(clip);
        return reasonsAgainst(clip);
    };
    EXPECT_THAT(with([](auto& c) { c.end = 3.99; }), ElementsAre("short"));
    EXPECT_THAT(with([](auto& c) { c.end = 4; }), IsEmpty()) << "exactly two seconds";
    EXPECT_THAT(with([](auto& c) { c.lastFrame = c.firstFrame + 46; }), ElementsAre("short")) << "47 frames";
    EXPECT_THAT(with([](auto& c) { c.crop.height = 254; }), ElementsAre("small"));
    EXPECT_THAT(with([](auto& c) { c.scores.motion = 0.01; }), ElementsAre("static"));
    EXPECT_THAT(with([](auto& c) { c.scores.frozen = 0.5; }), ElementsAre("frozen"));
    EXPECT_THAT(with([](auto& c) { c.scores.black = 0.5; }), ElementsAre("black"));
    EXPECT_THAT(with([](auto& c) { c.scores.white = 0.5; }), ElementsAre("white"));
    EXPECT_THAT(with([](auto& c) { c.scores.luma = 3; }), ElementsAre("dark"));
    EXPECT_THAT(with([](auto& c) { c.scores.luma = 250; }), ElementsAre("bright"));
    EXPECT_THAT(with([](auto& c) { c.scores.contrast = 1; }), ElementsAre("flat"));
    EXPECT_THAT(with([](auto& c) { c.scores.sharpness = 1; }), ElementsAre("blurred"));
    EXPECT_THAT(with([](auto& c) { c.duplicateOf = "other"; }), ElementsAre("duplicate"));
    EXPECT_THAT(with([](auto& c) {
                    c.scores = {};
                    c.crop = {0, 0, 100, 100};
                }),
                ElementsAre("small", "static", "dark", "flat", "blurred"));
}

TEST(Verdict, AThresholdOfNothingAsksForNothing) {
    auto clip = goodClip();
    clip.scores = {
        .motion = 90, .frozen = 1, .luma = 250, .contrast = 0, .black = 1, .white = 1, .sharpness = 0};
    clip.duplicateOf = "other";
    clip.lastFrame = clip.firstFrame;
    clip.end = clip.start;
    const VerdictRules none{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false};
    EXPECT_THAT(reasonsAgainst(clip, none), IsEmpty());
    auto restless = none;
    restless.max_motion = 50;
    EXPECT_THAT(reasonsAgainst(clip, restless), ElementsAre("restless"));
}

TEST(ClipRecord, ALineIsReadBackAsItWasWritten) {
    auto clip = goodClip();
    clip.source = "/films/\"quoted\"\n\x1b[31mred\xe2\x80\xae.mp4";
    clip.duplicateOf = "bbbbbbbbbbbb-000000";
    const TemporaryFolder folder;
    writeClipList(folder.path(), {clip}, {}, {}, {}, {});
    const auto line = trim(readFile(folder.path() / "clips.jsonl"));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    EXPECT_EQ(line.find('\x1b'), std::string::npos);
    const auto json = parseJson(line, "line");
    EXPECT_EQ(parseClipRecord(json), clip);
    EXPECT_EQ(json.at("verdict"), "drop");
    EXPECT_EQ(json.at("reasons"), Json({"duplicate"}));
    EXPECT_EQ(json.at("first_frame"), 48);
    EXPECT_EQ(json.at("last_frame"), 143);
    EXPECT_EQ(json.at("crop"), Json({0, 90, 1280, 540}));
    EXPECT_THROW(parseClipRecord(Json{{"id", "a"}}), InputError);
    EXPECT_THROW(parseClipRecord(Json(3)), InputError);
}

TEST(FilmRecord, ScoresAreReadBackBitForBit) {
    MadeFilm film;
    film.shot(Scene(1), 30);
    film.shot(Scene(2), 30);
    auto scores = film.scores();
    scores.damaged = {3};
    scores.seconds.assign(60, 0.0417);
    const auto text = toJson(scores).dump();
    EXPECT_EQ(parseFilmScores(parseJson(text, "scores")), scores);
    auto shorter = parseJson(text, "scores");
    shorter["motion"].erase(0);
    EXPECT_THROW(parseFilmScores(shorter), InputError);
    auto older = parseJson(text, "scores");
    older["revision"] = kScoresRevision - 1;
    EXPECT_THROW(parseFilmScores(older), InputError);
    EXPECT_THROW(parseFilmScores(Json::array()), InputError);
}

TEST(Clips, HaveTheScoresOfTheirOwnFrames) {
    MadeFilm film;
    film.shot(Scene(1), 48, 3);
    film.shot(Scene(2).frame(0, 0, 0), 48);
    film.shot(plainFrame(0), 24);
    const auto clips = clipsOf(film.scores(), kFilmId, "/films/a.mp4", {});
    ASSERT_EQ(clips.size(), 2U);
    EXPECT_EQ(clips[0].id, "aaaaaaaaaaaa-000000-000047");
    EXPECT_EQ(clips[1].id, "aaaaaaaaaaaa-000048-000095");
    EXPECT_EQ(clips[1].lastFrame, 95);
    EXPECT_DOUBLE_EQ(clips[1].start, 2);
    EXPECT_DOUBLE_EQ(clips[1].end, 4);
    EXPECT_EQ(clips[1].ends, Boundary::Black);
    EXPECT_GT(clips[0].scores.motion, 1);
    EXPECT_EQ(clips[0].scores.frozen, 0);
    EXPECT_EQ(clips[1].scores.motion, 0) << "the cut before it is none of its own";
    EXPECT_EQ(clips[1].scores.frozen, 1);
    EXPECT_EQ(clips[0].hashes.size(), 4U);
    EXPECT_THAT(reasonsAgainst(clips[0]), ElementsAre("small"));
    EXPECT_THAT(reasonsAgainst(clips[1]), ElementsAre("small", "static", "frozen"));
}

TEST(Clips, TheCropIsTheFilmsWhereADarkClipWouldCutIntoThePicture) {
    FilmScores film;
    film.width = 640;
    film.height = 480;
    film.frames = 200;
    film.fps = 24;
    for (auto* column : {&film.content, &film.change, &film.motion, &film.luma, &film.deviation, &film.black,
                         &film.white, &film.flash, &film.dissolve})
        column->assign(200, 0);
    film.hashes.assign(200, 0);
    film.content[140] = 100;
    const Box whole{0, 0, 640, 480}, usual{0, 60, 640, 360}, lamp{100, 100, 400, 300};
    for (int n = 0; n < 200; n += 10) film.samples.push_back({n, false, 1, n < 140 ? usual : lamp});
    auto clips = clipsOf(film, kFilmId, "/a", {});
    ASSERT_EQ(clips.size(), 2U);
    EXPECT_EQ(clips[0].crop, usual);
    EXPECT_EQ(clips[1].crop, usual);
    film.samples[15].box = whole;
    clips = clipsOf(film, kFilmId, "/a", {});
    EXPECT_EQ(clips[0].crop, usual);
    EXPECT_EQ(clips[1].crop, whole) << "a picture that is larger than usual is whole";
}

// -- duplicates

ClipRecord clipWith(const std::string& id, std::vector<std::uint64_t> hashes, int width = 640) {
    auto clip = goodClip();
    clip.id = id;
    clip.source = "/films/" + id;
    clip.crop = {0, 0, width, width / 2};
    clip.hashes = std::move(hashes);
    return clip;
}

std::vector<std::string> duplicatesAmong(std::vector<ClipRecord> clips, const DuplicateRules& rules = {}) {
    markDuplicates(clips, rules);
    std::vector<std::string> found;
    for (const auto& clip : clips) found.push_back(clip.duplicateOf.value_or("-"));
    return found;
}

TEST(Duplicates, TheLargestOfLikeClipsIsNone) {
    const std::vector<std::uint64_t> hashes = {0xf0f0f0f0f0f0f0f0, 0x123456789abcdef0, 0x0ff00ff00ff00ff0};
    EXPECT_THAT(duplicatesAmong({clipWith("a", hashes), clipWith("b", hashes, 1280), clipWith("c", hashes)}),
                ElementsAre("b", "-", "b"));
    EXPECT_THAT(duplicatesAmong({clipWith("b", hashes), clipWith("a", hashes)}), ElementsAre("a", "-"))
        << "of equals the first by name";
}

TEST(Duplicates, EightBitsApartAreAlikeWhereverTheyAreAndNineAreNot) {
    const std::uint64_t hash = 0x5a5a1234cafe9876;
    for (const std::uint64_t eight :
         {0x00000000000000ffULL, 0x0101010101010101ULL, 0xff00000000000000ULL, 0x0003000300030003ULL}) {
        EXPECT_THAT(duplicatesAmong({clipWith("a", {hash}), clipWith("b", {hash ^ eight})}),
                    ElementsAre("-", "a"))
            << std::hex << eight;
        const auto nine = eight | 0x0000000000800000ULL;
        EXPECT_THAT(duplicatesAmong({clipWith("a", {hash}), clipWith("b", {hash ^ nine})}),
                    ElementsAre("-", "-"))
            << std::hex << nine;
    }
}

TEST(Duplicates, FourOfFiveSamplesAreEnoughAndAClipWithoutAnyIsNone) {
    const std::vector<std::uint64_t> five = {0x1111222233334444, 0x5555666677778888, 0x9999aaaabbbbcccc,
                                             0xddddeeeeffff0000, 0x0f1e2d3c4b5a6978};
    auto four = five, three = five;
    four[0] = ~four[0];
    three[0] = ~three[0];
    three[3] = ~three[3];
    EXPECT_THAT(duplicatesAmong({clipWith("a", five), clipWith("b", four), clipWith("c", three),
                                 clipWith("d", {}), clipWith("e", {})}),
                ElementsAre("-", "a", "-", "-", "-"));
}

// -- config

TEST(CurationConfig, WhatIsWrittenIsReadAndWhatIsAbsentHasItsDefault) {
    const auto config = parseCurationConfig({{"cuts", {{"adaptive_ratio", 4}, {"max_seconds", 10.5}}},
                                             {"verdict", {{"min_side", 64}, {"drop_duplicates", false}}}});
    EXPECT_EQ(config.cuts.adaptive_ratio, 4);
    EXPECT_EQ(config.cuts.max_seconds, 10.5);
    EXPECT_EQ(config.cuts.min_content, 15);
    EXPECT_EQ(config.verdict.min_side, 64);
    EXPECT_FALSE(config.verdict.drop_duplicates);
    EXPECT_EQ(toJson(parseCurationConfig(toJson(config))), toJson(config));
    EXPECT_EQ(toJson(parseCurationConfig(Json::object())), toJson(CurationConfig{}));
}

TEST(CurationConfig, AMistakeIsNamedWithWhatIsExpected) {
    const auto messageOf = [](const Json& json) {
        try {
            parseCurationConfig(json);
        } catch (const InputError& error) {
            return error.full();
        }
        return std::string("nothing was wrong");
    };
    EXPECT_THAT(messageOf({{"verdict", {{"min_motoin", 1}}}}), HasSubstr("did you mean min_motion?"));
    EXPECT_THAT(messageOf({{"verdicts", Json::object()}}), HasSubstr("did you mean verdict?"));
    EXPECT_THAT(messageOf({{"cuts", {{"flash", 2}}}}),
                HasSubstr("cuts.flash: found 2, expected a number from 0 to 1"));
    EXPECT_THAT(messageOf({{"verdict", {{"min_frames", 4.5}}}}), HasSubstr("a whole number"));
    EXPECT_THAT(messageOf({{"verdict", {{"drop_duplicates", 1}}}}), HasSubstr("true or false"));
    EXPECT_THAT(messageOf({{"cuts", 3}}), HasSubstr("expected an object"));
    EXPECT_THAT(messageOf(Json::array()), HasSubstr("expected an object"));
}

}  // namespace
}  // namespace dailies::curation
