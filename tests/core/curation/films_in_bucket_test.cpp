#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/clip_frames.h"
#include "core/curation/curate.h"
#include "core/curation/curated_folder.h"
#include "tests/core/curation/made_film.h"
#include "tests/core/objects/running_bucket.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

constexpr const char* kKeys[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL"};

class FilmsInBucket : public testing::Test {
protected:
    FilmsInBucket() {
        const auto access = bucket.access();
        const std::string values[] = {access.keyId, access.secret, bucket.endpoint()};
        for (std::size_t i = 0; i < std::size(kKeys); ++i) setenv(kKeys[i], values[i].c_str(), 1);
        MadeFilm two;
        two.shot(Scene(1), 60, 2);
        two.cut();
        two.shot(Scene(2), 60, 2);
        const auto file = two.write(folder.path() / "films/two.mp4");
        bucket.put("footage/day 1/two.mp4", readFile(file));
        bucket.put("footage/day 1/two.txt", "a harbour\n");
        bucket.put("footage/notes.pdf", "no film");
        options.films = {"s3://footage/"};
        options.out = folder.path() / "out";
        options.config.verdict.min_side = 100;
        options.writeClips = true;
    }
    ~FilmsInBucket() override {
        for (const char* key : kKeys) unsetenv(key);
    }

    std::int64_t run() {
        std::int64_t decoded = 0;
        summary =
            curate(options, [&](const CurateProgress& progress) { decoded = progress.framesDecoded; }, {});
        return decoded;
    }
    std::vector<Json> clips() const {
        std::vector<Json> lines;
        for (const auto& line : split(readFile(options.out / "clips.jsonl"), '\n'))
            if (!line.empty()) lines.push_back(parseJson(line, "clips.jsonl"));
        return lines;
    }

    const TemporaryFolder folder;
    const objects::RunningBucket bucket;
    CurateOptions options;
    ClipListSummary summary;
};

TEST_F(FilmsInBucket, BecomeTheClipsThatTheirFilesWouldBecome) {
    EXPECT_EQ(run(), 120);
    auto found = clips();
    ASSERT_THAT(found, SizeIs(2));
    EXPECT_EQ(found[0].at("source"), "s3://footage/day 1/two.mp4");
    EXPECT_EQ(found[0].at("caption"), "a harbour");
    auto ofFiles = options;
    ofFiles.films = {(folder.path() / "films").string()};
    ofFiles.out = folder.path() / "of-files";
    curate(ofFiles, [](const CurateProgress&) {}, {});
    options.out = ofFiles.out;
    const auto expected = clips();
    ASSERT_THAT(expected, SizeIs(2));
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_EQ(readFile(folder.path() / "out/clips" / (found[i].at("id").get<std::string>() + ".mp4")),
                  readFile(ofFiles.out / "clips" / (expected[i].at("id").get<std::string>() + ".mp4")));
        for (const auto* key : {"first_frame", "last_frame", "scores", "verdict", "fps"})
            EXPECT_EQ(found[i].value(key, Json()), expected[i].value(key, Json())) << key;
    }
}

TEST_F(FilmsInBucket, AreFetchedOnceUntilAnotherFilmIsThere) {
    run();
    const auto list = readFile(options.out / "clips.jsonl");
    const auto before = bucket.requests().size();
    EXPECT_EQ(run(), 0);
    EXPECT_EQ(readFile(options.out / "clips.jsonl"), list);
    for (auto requests = bucket.requests();
         const auto& request :
         std::vector<std::string>(requests.begin() + static_cast<std::ptrdiff_t>(before), requests.end()))
        EXPECT_THAT(request, Not(HasSubstr(".mp4 bytes="))) << "only listed";
    MadeFilm other;
    other.shot(Scene(5), 60, 2);
    bucket.put("footage/day 1/two.mp4", readFile(other.write(folder.path() / "other.mp4")));
    EXPECT_EQ(run(), 60);
    EXPECT_THAT(clips(), SizeIs(1));
}

TEST_F(FilmsInBucket, WhatIsNoFilmOrGoneFailsAloneByItsName) {
    bucket.put("footage/broken.mp4", std::string(5000, 'x'));
    options.films = {"s3://footage/day 1/two.mp4", "s3://footage/broken.mp4", "s3://footage/gone.mp4",
                     bucket.endpoint() + "/footage/broken.mp4?X-Amz-Signature=hidden"};
    run();
    EXPECT_THAT(clips(), SizeIs(2));
    ASSERT_THAT(summary.failed, SizeIs(3));
    EXPECT_THAT(summary.failed[1].reason,
                AllOf(StartsWith("Cannot read the video s3://footage/broken.mp4: it is not a video"),
                      Not(HasSubstr("dailies-film"))));
    EXPECT_THAT(summary.failed[2].reason, HasSubstr("There is no s3://footage/gone.mp4"));
    EXPECT_THAT(readFile(options.out / "summary.json"), Not(HasSubstr("hidden"))) << "what signs it";
    options.films = {"s3://nothing/"};
    EXPECT_THROW(run(), InputError);
    unsetenv("AWS_SECRET_ACCESS_KEY");
    unsetenv("AWS_ACCESS_KEY_ID");
    EXPECT_THROW(run(), objects::Refused);
}

TEST_F(FilmsInBucket, GiveTheirFramesToWhoeverWritesCaptions) {
    options.writeClips = false;
    run();
    const auto curated = loadCuratedFolder(options.out);
    EXPECT_THAT(curated.absentFilms, ElementsAre("s3://footage/day 1/two.mp4"));
    ClipFrames frames(options.out);
    for (const auto& clip : curated.clips) EXPECT_THAT(frames.read(clip, 3, 64), SizeIs(3));
}

TEST_F(FilmsInBucket, ABusyStoreIsAskedAgainAndNoCopyIsLeft) {
    const auto tmp = folder.path() / "tmp";
    fs::create_directories(tmp);
    setenv("TMPDIR", tmp.c_str(), 1);
    bucket.fail({{"busy", 3}, {"cut", 1}});
    EXPECT_EQ(run(), 120);
    EXPECT_TRUE(summary.failed.empty());
    EXPECT_TRUE(fs::is_empty(tmp));
    unsetenv("TMPDIR");
}

}  // namespace
}  // namespace dailies::curation
