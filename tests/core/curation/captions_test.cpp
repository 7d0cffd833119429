#include "core/curation/captions.h"

#include "core/base/files.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(Captions, TheNewestCountsAndByHandBeforeAll) {
    const TemporaryFolder folder;
    saveCaptions(folder.path(), {{"a", {"old", CaptionStatus::Written, "k1", 10}},
                                 {"b", {"mine", CaptionStatus::ByHand, "", 10}},
                                 {"c", {"newest", CaptionStatus::Written, "k1", 30}}});
    CaptionLog log(folder.path());
    for (const char* id : {"a", "b", "c"}) log.add(id, {"new", CaptionStatus::Written, "k2", 20});
    for (const bool isMerged : {false, true}) {
        const auto captions = loadCaptions(folder.path());
        EXPECT_EQ(captions.at("a").text, "new");
        EXPECT_EQ(captions.at("a").settings, "k2");
        EXPECT_EQ(captions.at("b").text, "mine");
        EXPECT_EQ(captions.at("c").text, "newest");
        log.merge();
        EXPECT_EQ(fs::exists(folder.path() / kCaptionFolder), false) << isMerged;
    }
}

TEST(Captions, WhatAnotherProcessWritesOutlivesAMerge) {
    const TemporaryFolder folder;
    CaptionLog mine(folder.path()), other(folder.path());
    mine.add("a", {"one", CaptionStatus::Written, "k", 1});
    other.add("b", {"two", CaptionStatus::Written, "k", 1});
    mine.merge();
    other.add("c", {"three", CaptionStatus::Written, "k", 2});
    EXPECT_THAT(loadCaptions(folder.path()), SizeIs(3));
}

TEST(Captions, LinesThatCannotBeReadAreLeftOut) {
    const TemporaryFolder folder;
    writeFileAtomically(
        folder.path() / kCaptionsFile,
        "{\"id\": \"a\", \"caption\": \"x\", \"status\": \"written\", \"time\": 1}\n"
        "{\"id\": \"b\", \"caption\": \"x\", \"status\": \"sung\"}\n[1]\n{\"id\": \"c\", \"cap");
    EXPECT_THAT(loadCaptions(folder.path()), SizeIs(1));
    EXPECT_THAT(loadCaptions(folder.path() / "nowhere"), IsEmpty());
}

TEST(Captions, BesideAFilmAreThoseOfItsClips) {
    const TemporaryFolder folder;
    MadeFilm film;
    film.shot(Scene(1), 60, 2);
    film.cut();
    film.shot(Scene(2), 60, 2);
    film.write(folder.path() / "films" / "film.mp4");
    writeFileAtomically(folder.path() / "films" / "film.txt", "A camera moves\nover a place.\n");
    CurateOptions options;
    options.films = {folder.path() / "films"};
    options.out = folder.path() / "set";
    options.config.verdict.min_side = 100;
    options.writeClips = true;
    const auto summary = curate(options, [](const CurateProgress&) {});
    EXPECT_EQ(summary.captioned, 2);
    EXPECT_THAT(summary.text(), HasSubstr("2 of those that are kept have a caption"));
    const auto clips = loadCuratedFolder(options.out).clips;
    ASSERT_THAT(clips, SizeIs(2));
    EXPECT_EQ(clips[1].caption, "A camera moves over a place.");
    const auto beside = options.out / "clips" / (clips[1].id + ".txt");
    EXPECT_EQ(readFile(beside), clips[1].caption);

    // a person's own text beside a clip is not ours to change, a caption by hand goes before the film's
    writeFileAtomically(beside, "Mine.");
    saveCaptions(options.out, {{clips[0].id, {"By hand.", CaptionStatus::ByHand, "", 1}}});
    curate(options, [](const CurateProgress&) {});
    EXPECT_EQ(readFile(beside), "Mine.");
    EXPECT_EQ(loadCuratedFolder(options.out).clips[0].caption, "By hand.");
}

TEST(Captions, ByHandAreSavedBesideTheirClipsAndTakenBack) {
    const TemporaryFolder folder;
    MadeFilm film;
    film.shot(Scene(1), 60, 2);
    film.write(folder.path() / "films" / "film.mp4");
    CurateOptions options;
    options.films = {folder.path() / "films"};
    options.out = folder.path() / "set";
    options.config.verdict.min_side = 100;
    options.writeClips = true;
    curate(options, [](const CurateProgress&) {});
    const auto id = loadCuratedFolder(options.out).clips.at(0).id;
    saveCaptions(options.out, {{id, {"I cannot.", CaptionStatus::Refused, "k", 1}}});
    EXPECT_EQ(loadFailedCaptions(options.out).at(id).text, "I cannot.");
    const auto save = [&](const std::string& text) {
        return saveChanges(options.out, {.rules = options.config.verdict, .captions = {{id, text}}});
    };
    EXPECT_EQ(save("A camera moves.").summary.captioned, 1);
    const auto after = loadCuratedFolder(options.out);
    EXPECT_EQ(after.clips[0].caption, "A camera moves.");
    EXPECT_THAT(loadFailedCaptions(options.out), IsEmpty());
    const auto beside = options.out / "clips" / (id + ".txt");
    EXPECT_EQ(readFile(beside), "A camera moves.");
    EXPECT_EQ(save("").summary.captioned, 0);
    EXPECT_EQ(loadCuratedFolder(options.out).clips[0].caption, "");
    EXPECT_FALSE(fs::exists(beside));
}

}  // namespace
}  // namespace dailies::curation
