#include "core/curation/curate.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "core/curation/clip_files.h"
#include "core/curation/curated_folder.h"
#include "core/video/clip_file.h"
#include "tests/core/curation/made_film.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class Curate : public testing::Test {
protected:
    Curate() {
        MadeFilm two;
        two.shot(Scene(1), 60, 2);
        two.cut();
        two.shot(Scene(2), 60, 2);
        two.write(films() / "two.mp4");
        MadeFilm still;
        still.shot(Scene(3).frame(0, 0, 0), 60);
        still.write(films() / "below" / "still.mp4");
        options.films = {films()};
        options.out = m_folder.path() / "out";
        options.config.verdict.min_side = 100;
    }

    fs::path films() const { return m_folder.path() / "films"; }

    struct Calls {
        std::int64_t framesDecoded = 0;
        std::size_t kept = 0;
        std::vector<std::string> problems;
    };

    Calls run() {
        Calls calls;
        summary = curate(options, [&](const CurateProgress& progress) {
            calls.framesDecoded = progress.framesDecoded;
            calls.kept = progress.kept;
            if (!progress.problem.empty()) calls.problems.push_back(progress.problem);
        });
        return calls;
    }

    std::string list() const { return readFile(options.out / "clips.jsonl"); }

    std::vector<Json> clips() const {
        std::vector<Json> lines;
        for (const auto& line : split(list(), '\n'))
            if (!line.empty()) lines.push_back(parseJson(line, "clips.jsonl"));
        return lines;
    }

    CurateOptions options;
    ClipListSummary summary;

private:
    TemporaryFolder m_folder;
};

TEST_F(Curate, FilmsBelowAFolderBecomeClipsWithVerdicts) {
    run();
    const auto found = clips();
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_EQ(found[0].at("source"), (films() / "below" / "still.mp4").string());
    EXPECT_EQ(found[0].at("verdict"), "drop");
    EXPECT_EQ(found[0].at("reasons"), Json({"static", "frozen"}));
    EXPECT_EQ(found[1].at("source"), (films() / "two.mp4").string());
    EXPECT_EQ(found[1].at("last_frame"), 59);
    EXPECT_EQ(found[2].at("first_frame"), 60);
    EXPECT_EQ(found[2].at("start"), 2.5);
    EXPECT_EQ(found[2].at("end"), 5.0);
    EXPECT_EQ(found[2].at("verdict"), "keep") << found[2];
    EXPECT_EQ(summary.clips, 3);
    EXPECT_EQ(summary.kept, 2);
    EXPECT_DOUBLE_EQ(summary.keptSeconds, 5);
    EXPECT_THAT(summary.text(), HasSubstr("3 clips (7 s) of 2 films: 2 kept (5 s), 1 dropped"));
    EXPECT_EQ(parseJson(readFile(options.out / "summary.json"), "summary").at("kept"), 2);
}

TEST_F(Curate, OtherThresholdsDecodeNothingAnew) {
    EXPECT_EQ(run().framesDecoded, 180);
    const auto before = list();
    options.config.verdict.min_motion = 200;
    auto again = run();
    EXPECT_EQ(again.framesDecoded, 0);
    EXPECT_EQ(again.kept, 2U);
    EXPECT_EQ(summary.kept, 0);
    options.config.cuts.max_seconds = 1;
    run();
    EXPECT_GT(summary.clips, 3);
    options.config = {};
    options.config.verdict.min_side = 100;
    run();
    EXPECT_EQ(list(), before) << "the same rules give the same bytes again";
}

TEST_F(Curate, PreviewsShowAllClipsWhereTheirFilmsAreNot) {
    options.writePreviews = true;
    run();
    const auto found = loadCuratedFolder(options.out);
    EXPECT_THAT(found.previews, SizeIs(3)) << "the dropped one, too";
    EXPECT_THAT(found.files, IsEmpty());
    EXPECT_THAT(found.absentFilms, IsEmpty());
    const auto& second = found.clips[2];
    EXPECT_EQ(second.firstFrame, 60);
    const auto preview = options.out / "previews" / clipFileName(second);
    video::ClipReader reader(preview);
    EXPECT_EQ(previewStride(24), 2);
    EXPECT_EQ(reader.info().frames, 30);
    EXPECT_DOUBLE_EQ(reader.info().fps, 12);
    EXPECT_EQ(std::max(reader.info().width, reader.info().height), kPreviewSide);
    video::ClipReader film(second.source);
    const auto shown = film.frame(60 + 2 * 7), small = reader.frame(7);
    double off = 0;
    for (std::size_t i = 0; i < small.rgb.size(); ++i) off += std::abs(small.rgb[i] - shown.rgb[i]);
    EXPECT_LT(off / static_cast<double>(small.rgb.size()), 12) << "the frame that it stands for";

    fs::rename(films(), films().string() + ".elsewhere");
    const auto away = loadCuratedFolder(options.out);
    EXPECT_THAT(away.absentFilms, SizeIs(2));
    EXPECT_THAT(away.missingFilms, IsEmpty());
    fs::remove(preview);
    EXPECT_THAT(loadCuratedFolder(options.out).missingFilms, ElementsAre(second.source));
}

TEST_F(Curate, TheNumberOfThreadsChangesNoByte) {
    run();
    const auto one = list() + readFile(options.out / "summary.json");
    fs::remove_all(options.out);
    options.threads = 4;
    EXPECT_EQ(run().framesDecoded, 180);
    EXPECT_EQ(list() + readFile(options.out / "summary.json"), one);
}

TEST_F(Curate, AFilmThatIsReplacedIsDecodedAnewAndOneThatIsDamagedInTheStoreToo) {
    run();
    MadeFilm other;
    other.shot(Scene(7), 50, 2);
    other.write(films() / "two.mp4");
    EXPECT_EQ(run().framesDecoded, 50);
    EXPECT_THAT(clips(), SizeIs(2));
    const auto whole = list();
    for (const auto& entry : fs::directory_iterator(options.out / "films"))
        fs::resize_file(entry.path(), fs::file_size(entry.path()) / 2);
    EXPECT_EQ(run().framesDecoded, 110);
    EXPECT_EQ(list(), whole);
}

TEST_F(Curate, AFilmThatCannotBeDecodedIsNamedAndTheOthersGoOn) {
    writeFileAtomically(films() / "broken.mp4", "this is no film");
    writeFileAtomically(films() / "empty.mkv", "");
    const auto calls = run();
    EXPECT_THAT(calls.problems, SizeIs(2));
    ASSERT_THAT(summary.failed, SizeIs(2));
    EXPECT_EQ(summary.failed[0].source, (films() / "broken.mp4").string());
    EXPECT_THAT(summary.failed[0].reason, HasSubstr("not a video"));
    EXPECT_THAT(summary.failed[1].reason, HasSubstr("empty"));
    EXPECT_THAT(clips(), SizeIs(3));
    EXPECT_THAT(summary.text(), HasSubstr("failed: " + (films() / "broken.mp4").string()));
}

TEST_F(Curate, FramesThatAreDamagedAreLeftOutOfClips) {
    auto bytes = readFile(films() / "two.mp4");
    // the index stands in front; the middle of the file is the data of some pictures
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), bytes.size() / 8, '\0');
    writeFileAtomically(films() / "two.mp4", bytes);
    run();
    EXPECT_THAT(summary.failed, IsEmpty());
    EXPECT_GT(summary.damagedFrames, 3);
    EXPECT_THAT(summary.text(), HasSubstr("could not be decoded"));
    bool endsInDamage = false;
    for (const auto& clip : clips()) endsInDamage |= clip.at("ends") == "damage";
    EXPECT_TRUE(endsInDamage);
}

TEST_F(Curate, TheSameFilmSmallerAndInAnotherFileIsADuplicate) {
    MadeFilm copy;
    for (const Scene& scene : {Scene(1), Scene(2)})
        copy.shot(scene, 55, 2);  // shots that begin at other frames of the film
    for (auto& frame : copy.frames) {
        video::Frame half{128, 72, std::vector<std::uint8_t>(std::size_t{3} * 128 * 72)};
        for (int y = 0; y < 72; ++y)
            for (int x = 0; x < 128; ++x)
                for (int c = 0; c < 3; ++c)
                    half.rgb[static_cast<std::size_t>(3 * (y * 128 + x) + c)] =
                        frame.rgb[static_cast<std::size_t>(3 * (2 * y * 256 + 2 * x) + c)];
        frame = std::move(half);
    }
    copy.write(films() / "a copy.mp4");
    run();
    const auto found = clips();
    ASSERT_THAT(found, SizeIs(5));
    EXPECT_EQ(found[0].at("duplicate_of"), found[3].at("id")) << "sorted by name the copy is first";
    EXPECT_EQ(found[1].at("duplicate_of"), found[4].at("id"));
    EXPECT_THAT(found[0].at("reasons").get<std::vector<std::string>>(), testing::Contains("duplicate"));
    EXPECT_TRUE(found[3].at("duplicate_of").is_null());
}

TEST_F(Curate, HostileNamesAreJsonStringsAndNoTerminalObeysThem) {
    const std::string name = "new\nline \"quote\" \x1b[31m {\"verdict\":\"keep\"}.mp4";
    fs::rename(films() / "two.mp4", films() / name);
    fs::rename(films() / "below" / "still.mp4", films() / "bad \xff utf8.mp4");
    writeFileAtomically(films() / "\x1b]0;title\x07.mp4", "no film");
    run();
    ASSERT_THAT(clips(), SizeIs(2));
    EXPECT_EQ(clips()[0].at("source"), (films() / name).string());
    EXPECT_THAT(split(list(), '\n'), SizeIs(testing::Le(3)));
    ASSERT_THAT(summary.failed, SizeIs(2));
    EXPECT_THAT(summary.text(), HasSubstr("no valid UTF-8"));
    EXPECT_EQ(summary.text().find('\x1b'), std::string::npos);
}

TEST_F(Curate, KeptClipsAreWrittenAtTheirCropBoxAndNoOthers) {
    MadeFilm boxed;
    boxed.shot(Scene(11), 60, 2);
    for (auto& frame : boxed.frames)
        for (const int first : {0, 126})
            std::fill_n(frame.rgb.begin() + 3 * 256 * first, 3 * 256 * 18, std::uint8_t{2});
    boxed.write(films() / "boxed.mp4");
    options.writeClips = true;
    run();
    const auto filesBelowOut = [&] {
        std::vector<std::string> names;
        for (const auto& entry : fs::directory_iterator(options.out / "clips"))
            names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        return names;
    };
    std::vector<std::string> expected;
    for (const auto& clip : clips()) {
        if (clip.at("verdict") == "drop") {
            EXPECT_FALSE(clip.contains("file"));
            continue;
        }
        const auto file = clip.at("file").get<std::string>();
        video::ClipReader reader(options.out / file);
        EXPECT_EQ(reader.info().frames, 60);
        EXPECT_EQ(reader.info().height, clip.at("crop")[3]);
        EXPECT_DOUBLE_EQ(reader.info().fps, 24);
        expected.push_back(fs::path(file).filename());
    }
    EXPECT_THAT(expected, SizeIs(3));
    EXPECT_EQ(clips()[1].at("crop"), Json({0, 18, 256, 108}));
    std::ranges::sort(expected);
    EXPECT_EQ(filesBelowOut(), expected);

    // the picture is that of the film at the frame that the list names
    const auto second = clips()[3];
    video::ClipReader film(films() / "two.mp4"), clip(options.out / second.at("file").get<std::string>());
    const auto wanted = film.frame(second.at("first_frame").get<int>() + 30), got = clip.frame(30);
    double difference = 0;
    for (std::size_t i = 0; i < wanted.rgb.size(); ++i) difference += std::abs(wanted.rgb[i] - got.rgb[i]);
    EXPECT_LT(difference / static_cast<double>(wanted.rgb.size()), 6);

    const auto written = fs::last_write_time(options.out / "clips" / expected[0]);
    writeFileAtomically(options.out / "clips" / "note.mp4", "a person's own");
    options.config.verdict.min_side = 110;
    run();
    EXPECT_THAT(filesBelowOut(), SizeIs(3)) << "two clips and the note";
    EXPECT_TRUE(fs::exists(options.out / "clips" / "note.mp4"));
    for (const auto& line : clips())
        if (line.contains("file") && fs::path(line.at("file")).filename() == expected[0]) {
            EXPECT_EQ(fs::last_write_time(options.out / line.at("file")), written) << "it is not made again";
        }
}

TEST_F(Curate, AStopIsNoFailureAndWhatWasDecodedStays) {
    std::stop_source stop;
    const auto stopAfterTheFirst = [&](const CurateProgress& progress) {
        if (!progress.finished.empty()) stop.request_stop();
    };
    EXPECT_THROW(curate(options, stopAfterTheFirst, stop.get_token()), Cancelled);
    EXPECT_FALSE(fs::exists(options.out / "clips.jsonl"));
    EXPECT_EQ(run().kept, 1U);
    EXPECT_THAT(clips(), SizeIs(3));
}

TEST_F(Curate, WhatIsNotThereIsRefused) {
    options.films = {films() / "missing"};
    EXPECT_THROW(run(), InputError);
    options.films = {options.out};
    fs::create_directories(options.out);
    EXPECT_THROW(run(), InputError) << "no film in it";
}

TEST_F(Curate, AFolderThatCannotBeWrittenEndsTheWork) {
    writeFileAtomically(options.out, "a file");
    EXPECT_THROW(run(), Error);
}

}  // namespace
}  // namespace dailies::curation
