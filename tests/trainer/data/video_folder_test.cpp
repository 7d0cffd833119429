#include "trainer/data/video_folder.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/curation/clip_list.h"
#include "core/curation/curation_config.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstring>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

/// Frames whose brightness tells their number.
void writeVideo(const fs::path& file, int frames, int width = 64, int height = 48) {
    std::vector<video::Frame> pictures;
    for (int t = 0; t < frames; ++t) {
        video::Frame frame{width, height, {}};
        frame.rgb.assign(static_cast<std::size_t>(width * height * 3), static_cast<std::uint8_t>(20 + 8 * t));
        pictures.push_back(std::move(frame));
    }
    fs::create_directories(file.parent_path());
    video::writeClip(file, pictures, {});
}

config::TrainConfig::Data dataOf(const fs::path& folder) {
    config::TrainConfig::Data data;
    data.source = "folder";
    data.folder = folder.string();
    data.frames = 4;
    data.height = data.width = 16;
    return data;
}

TEST(VideoFolder, CutsEveryVideoBelowTheFolderIntoClips) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a.mp4", 9);          // two clips of four frames
    writeVideo(folder.path() / "deep/er/b.mp4", 4);  // one
    VideoFolder videos(dataOf(folder.path()));
    ASSERT_EQ(videos.size(), 3);
    const auto second = videos.example(1).clip;
    EXPECT_EQ(second.frames, 4);
    EXPECT_EQ(second.height, 16);
    for (int t = 0; t < 4; ++t) EXPECT_NEAR(*second.frame(t), 20 + 8 * (4 + t), 4) << "frame " << t;
    EXPECT_TRUE(videos.takeProblems().empty());
}

TEST(VideoFolder, TakesEveryNthFrameWhenAsked) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a.mp4", 10);
    auto data = dataOf(folder.path());
    data.frame_stride = 3;  // frames 0, 3, 6, 9
    VideoFolder videos(data);
    ASSERT_EQ(videos.size(), 1);
    EXPECT_NEAR(*videos.example(0).clip.frame(3), 20 + 8 * 9, 4);
}

TEST(VideoFolder, TakesCaptionsFromTextFilesElseFromNames) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a_red-car.mp4", 4);
    writeVideo(folder.path() / "b.mp4", 4);
    writeFileAtomically(folder.path() / "b.txt", " two dogs\nplaying \n");
    VideoFolder videos(dataOf(folder.path()));
    EXPECT_EQ(videos.captions(), (std::vector<std::string>{"a red car", "two dogs playing"}));
    EXPECT_EQ(videos.example(1).caption, "two dogs playing");
}

TEST(VideoFolder, CropsTheMiddleSoThatNothingIsStretched) {
    const TemporaryFolder folder;
    video::Frame frame{96, 32, std::vector<std::uint8_t>(96 * 32 * 3, 0)};
    for (int y = 0; y < 32; ++y)
        std::memset(frame.rgb.data() + (y * 96 + 32) * 3, 255, 32 * 3);  // white middle third
    video::writeClip(folder.path() / "wide.mp4", std::vector(4, frame), {});
    VideoFolder videos(dataOf(folder.path()));
    const auto clip = videos.example(0).clip;
    for (const int pixel : {8 * 16 + 2, 8 * 16 + 8, 8 * 16 + 13})
        EXPECT_GT(clip.rgb[static_cast<std::size_t>(pixel) * 3], 240);
}

/// As WAV: sound without pictures.
std::string secondOfSilence() {
    using namespace std::string_literals;
    return "RIFF\xa4\x3e\0\0WAVEfmt \x10\0\0\0\1\0\1\0\x40\x1f\0\0\x80\x3e\0\0\2\0\x10\0"s +
           "data\x80\x3e\0\0"s + std::string(16000, '\0');
}

TEST(VideoFolder, NamesCorruptEmptySoundOnlyAndShortFilesAndUsesTheRest) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "good.mp4", 4);
    writeVideo(folder.path() / "short.mp4", 3);
    writeFileAtomically(folder.path() / "empty.mp4", "");
    writeFileAtomically(folder.path() / "corrupt.mp4", "this is no video at all");
    writeFileAtomically(folder.path() / "sound.mp4", secondOfSilence());
    VideoFolder videos(dataOf(folder.path()));
    EXPECT_EQ(videos.size(), 1);
    const auto problems = videos.takeProblems();
    EXPECT_THAT(problems,
                testing::UnorderedElementsAre(HasSubstr("corrupt.mp4"), HasSubstr("empty.mp4"),
                                              AllOf(HasSubstr("sound.mp4"), HasSubstr("no video stream")),
                                              AllOf(HasSubstr("short.mp4"), HasSubstr("3 frames"))));
    EXPECT_TRUE(videos.takeProblems().empty()) << "each problem is told once";
}

TEST(VideoFolder, RefusesAFolderWithoutAUsableVideoAndSaysWhy) {
    const TemporaryFolder folder;
    writeFileAtomically(folder.path() / "corrupt.mp4", "this is no video at all");
    try {
        VideoFolder videos(dataOf(folder.path()));
        FAIL() << "accepted";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), AllOf(HasSubstr("data.folder"), HasSubstr("corrupt.mp4")));
    }
    EXPECT_THROW(VideoFolder(dataOf(folder.path() / "missing")), InputError);
}

TEST(VideoFolder, DecodesOnDemandWhatWouldNotFitIntoMemory) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a.mp4", 9);
    writeVideo(folder.path() / "b.mp4", 8);
    VideoFolder kept(dataOf(folder.path())), decoded(dataOf(folder.path()), /*cacheBytes=*/0);
    ASSERT_EQ(kept.size(), 4);
    for (const std::int64_t index : {3, 0, 2, 1, 0})
        EXPECT_EQ(kept.example(index).clip.rgb, decoded.example(index).clip.rgb);
}

TEST(VideoFolder, GoesOnWithTheNextClipWhenAFileVanishesDuringTraining) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a.mp4", 4);
    writeVideo(folder.path() / "b.mp4", 4);
    writeFileAtomically(folder.path() / "b.txt", "the second");
    VideoFolder videos(dataOf(folder.path()), /*cacheBytes=*/0);
    videos.example(1);
    fs::remove(folder.path() / "a.mp4");
    EXPECT_EQ(videos.example(0).caption, "the second");
    EXPECT_THAT(videos.takeProblems(), testing::ElementsAre(HasSubstr("a.mp4")));
    fs::remove(folder.path() / "b.mp4");
    EXPECT_THROW(videos.example(0), Error);
}

TEST(VideoFolder, MeasuresTheScaleOfItsClips) {
    const TemporaryFolder folder;
    writeVideo(folder.path() / "a.mp4", 4);
    const auto scale = VideoFolder(dataOf(folder.path())).valueScale();
    ASSERT_EQ(scale.mean.size(), 1U);
    EXPECT_NEAR(scale.mean[0], 32 / 127.5 - 1, 0.03);
    EXPECT_NEAR(scale.deviation[0], 0.07, 0.03);
}

/// A folder as `curate` writes it, of one film whose frames are told by their brightness.
class CuratedVideos : public testing::Test {
protected:
    CuratedVideos() {
        writeVideo(film, 24);
        for (const int first : {0, 8, 16}) {
            curation::ClipRecord clip;
            clip.id = "0f3a00000000-" + std::string(first < 10 ? "00000" : "0000") + std::to_string(first) +
                      "-0000" + std::string(first < 3 ? "0" : "") + std::to_string(first + 7);
            clip.source = film.string();
            clip.firstFrame = first;
            clip.lastFrame = first + 7;
            clip.fps = 8;
            clip.width = clip.crop.width = 64;
            clip.height = clip.crop.height = 48;
            clip.caption = "clip from " + std::to_string(first);
            clips.push_back(clip);
        }
        write({});
    }

    void write(const curation::Corrections& corrections) {
        curation::CurationConfig config;
        config.verdict = {.min_seconds = 0,
                          .min_frames = 0,
                          .min_side = 0,
                          .min_motion = 0,
                          .min_luma = 0,
                          .min_contrast = 0,
                          .min_sharpness = 0};
        fs::create_directories(set);
        curation::saveCurationConfig(set, config);
        curation::saveCorrections(set, corrections);
        curation::writeClipList(set, clips, config.verdict, {.corrections = corrections},
                                curation::clipFilesIn(set), {});
    }

    TemporaryFolder folder;
    fs::path film = folder.path() / "films" / "film.mp4", set = folder.path() / "set";
    std::vector<curation::ClipRecord> clips;
};

TEST_F(CuratedVideos, AreTheClipsThatAreKeptNowOutOfTheirFilms) {
    VideoFolder videos(dataOf(set));
    ASSERT_EQ(videos.size(), 6) << "two of four frames a clip";
    const auto fourth = videos.example(3);
    EXPECT_EQ(fourth.caption, "clip from 8");
    for (int t = 0; t < 4; ++t) EXPECT_NEAR(*fourth.clip.frame(t), 20 + 8 * (12 + t), 4) << "frame " << t;
    EXPECT_EQ(videos.captions(), (std::vector<std::string>{"clip from 0", "clip from 16", "clip from 8"}));
    EXPECT_THAT(videos.parts(),
                testing::ElementsAre(testing::EndsWith("film.mp4:0 2"), testing::EndsWith("film.mp4:8 2"),
                                     testing::EndsWith("film.mp4:16 2")));
    EXPECT_NE(videos.identity(0), videos.identity(2));

    write({{clips[1].id, curation::Correction::Drop}});
    VideoFolder fewer(dataOf(set));
    EXPECT_EQ(fewer.size(), 4) << "a verdict counts without anything being written anew";
    EXPECT_EQ(fewer.example(2).caption, "clip from 16");
}

TEST_F(CuratedVideos, HaveNoBlackBars) {
    video::Frame frame{64, 48, std::vector<std::uint8_t>(64 * 48 * 3, 0)};
    std::memset(frame.rgb.data() + 12 * 64 * 3, 200, 24 * 64 * 3);
    video::writeClip(film, std::vector(24, frame), {});
    for (auto& clip : clips) clip.crop = {0, 12, 64, 24};
    write({});
    VideoFolder videos(dataOf(set));
    const auto clip = videos.example(0).clip;
    EXPECT_GT(*std::ranges::min_element(clip.rgb), 150);
}

TEST_F(CuratedVideos, AreReadFromTheirOwnFilesWhereThereAreSome) {
    writeVideo(set / "clips" / (clips[0].id + ".mp4"), 8);
    // small copies to look at are no clips to train on
    writeVideo(set / "previews" / (clips[0].id + ".mp4"), 8);
    clips[0].caption.clear();
    writeFileAtomically(set / "clips" / (clips[0].id + ".txt"), "by a person");
    write({});
    fs::remove(film);
    VideoFolder videos(dataOf(set));
    EXPECT_EQ(videos.size(), 2);
    EXPECT_EQ(videos.example(0).caption, "by a person");
    EXPECT_THAT(videos.takeProblems(),
                testing::ElementsAre(HasSubstr("film.mp4 is not there"), HasSubstr("film.mp4 is not there")));
}

}  // namespace
}  // namespace dailies::trainer
