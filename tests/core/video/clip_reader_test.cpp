#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dailies::video {
namespace {

constexpr int kReadFrames = 60;

/// One container and codec with its own trouble for seeking.
struct Format {
    const char* name;
    const char* file;
    const char* arguments;
    double fps = 24;
    bool slowsDown = false;

    double seconds(int n) const { return slowsDown ? std::floor(n * n / 60.0 + n) / 24 : n / fps; }
};

class ClipReaderFormats : public testing::TestWithParam<Format> {
protected:
    TemporaryFolder m_folder;
};

TEST_P(ClipReaderFormats, ReachesEveryFrameExactlyInAnyOrder) {
    const auto file = m_folder.path() / GetParam().file;
    makeWithFfmpeg(file, numberedFrames(kReadFrames), GetParam().arguments);
    ClipReader reader(file);
    ASSERT_EQ(reader.info().frames, kReadFrames);
    EXPECT_EQ(reader.info().width, 64);
    EXPECT_EQ(reader.info().height, 48);
    EXPECT_NEAR(reader.info().fps, GetParam().fps, 0.05);

    for (int n = 0; n < kReadFrames; ++n) ASSERT_EQ(shownNumber(reader.frame(n)), n) << "forwards";
    for (int n = kReadFrames - 1; n >= 0; --n) ASSERT_EQ(shownNumber(reader.frame(n)), n) << "backwards";
    std::mt19937 random(7);
    for (int i = 0; i < 2 * kReadFrames; ++i) {
        const int n = static_cast<int>(random() % kReadFrames);
        ASSERT_EQ(shownNumber(reader.frame(n)), n) << "at random";
    }
}

TEST_P(ClipReaderFormats, ReadsAVideoInsideAnotherFileAsTheVideoAlone) {
    const auto file = m_folder.path() / GetParam().file, around = m_folder.path() / "a,b:c.tar";
    makeWithFfmpeg(file, numberedFrames(kReadFrames), GetParam().arguments);
    const auto bytes = readFile(file);
    writeFileAtomically(around, std::string(1536, 'x') + bytes + std::string(5000, 'y'));
    ClipReader alone(file), inside(VideoLocation{around, 1536, bytes.size(), "a member"});
    EXPECT_EQ(inside.info(), alone.info());
    for (const int n : {0, 7, kReadFrames - 1, 30, 31}) {
        ASSERT_EQ(inside.frame(n).rgb, alone.frame(n).rgb) << n;
        EXPECT_EQ(inside.seconds(n), alone.seconds(n)) << n;
        EXPECT_NEAR(inside.seconds(n), GetParam().seconds(n), 0.002) << n;
    }
}

INSTANTIATE_TEST_SUITE_P(
    , ClipReaderFormats,
    testing::Values(
        Format{"H264WithBFramesAndOneLongGroup", "a.mp4", "-c:v libx264 -g 250 -bf 3"},
        Format{"H264WithOpenGroups", "a.mp4", "-c:v libx264 -g 12 -bf 3 -x264-params open-gop=1:scenecut=0"},
        Format{"H264WithIntraRefresh", "a.mp4", "-c:v libx264 -g 20 -x264-params intra-refresh=1:scenecut=0"},
        Format{"H264InMatroska", "a.mkv", "-c:v libx264 -g 20 -bf 2"},
        Format{"H264InTransportStream", "a.ts", "-c:v libx264 -g 20 -bf 2"},
        Format{"H264InAviWithoutPresentationTimes", "a.avi", "-c:v libx264 -g 20 -bf 2"},
        Format{"H264WithoutContainer", "a.h264", "-c:v libx264 -g 20 -bf 2"},
        Format{"H264FragmentedAsACameraWrites", "a.mp4",
               "-c:v libx264 -g 10 -movflags frag_keyframe+empty_moov"},
        Format{"H265TenBit", "a.mp4", "-c:v libx265 -pix_fmt yuv420p10le -g 20 -x265-params log-level=none"},
        Format{"Vp9", "a.webm", "-c:v libvpx-vp9 -g 20 -deadline realtime -cpu-used 8"},
        Format{"Vp8WithHiddenFrames", "a.webm", "-c:v libvpx -g 30 -auto-alt-ref 1 -lag-in-frames 16"},
        Format{"Mpeg4InAvi", "a.avi", "-c:v mpeg4 -q:v 2 -g 20 -bf 2"},
        Format{"MotionJpeg", "a.mov", "-c:v mjpeg -q:v 2 -pix_fmt yuvj420p"}, Format{"Gif", "a.gif", ""},
        Format{"Y4m", "a.y4m", "-pix_fmt yuv444p"},
        Format{"VariableFrameRate", "a.mp4", "-c:v libx264 -bf 2 -fps_mode vfr -vf setpts='(N*N/60+N)/24/TB'",
               12.6, true}),
    [](const auto& format) { return format.param.name; });

class ClipReader_ : public testing::Test {
protected:
    std::filesystem::path file(const char* name) const { return m_folder.path() / name; }

    std::string messageOf(const std::filesystem::path& path) const {
        try {
            ClipReader reader(path);
        } catch (const Error& error) {
            return error.full();
        }
        return "no error";
    }

    TemporaryFolder m_folder;
};

TEST_F(ClipReader_, ShowsAPhoneClipUpright) {
    // Red and green above blue and white; stored as it is, shown turned by a quarter.
    Frame stored = numberedFrame(0, 64, 48);
    for (int y = 0; y < 48; ++y)
        for (int x = 0; x < 64; ++x) {
            const bool right = x >= 32, low = y >= 24;
            auto* pixel = &stored.rgb[3 * (static_cast<std::size_t>(y) * 64 + x)];
            pixel[0] = low == right ? 255 : 0;
            pixel[1] = right ? 255 : 0;
            pixel[2] = low ? 255 : 0;
        }
    makeWithFfmpeg(file("stored.mp4"), {stored, stored}, "-c:v libx264 -crf 10");
    runFfmpeg("-i " + file("stored.mp4").string() + " -c copy -metadata:s:v rotate=90 " +
              file("turned.mp4").string());
    ClipReader plain(file("stored.mp4")), turned(file("turned.mp4"));
    ASSERT_EQ(turned.info().width, 48);
    ASSERT_EQ(turned.info().height, 64);
    const Frame before = plain.frame(1), after = turned.frame(1);
    const auto corner = [](const Frame& frame, int column, int row) {
        return colourAt(frame, column, 2, row, 2);
    };
    // Against the clock by 90°, as ffmpeg's own autorotation turns it: the upper right corner comes to the
    // upper left.
    EXPECT_EQ(corner(after, 0, 0), corner(before, 1, 0));
    EXPECT_EQ(corner(after, 1, 0), corner(before, 1, 1));
    EXPECT_EQ(corner(after, 1, 1), corner(before, 0, 1));
    EXPECT_EQ(corner(after, 0, 1), corner(before, 0, 0));
    EXPECT_EQ(corner(before, 0, 0), "#ff0000");
    EXPECT_EQ(corner(before, 1, 0), "#00ff00");
}

TEST_F(ClipReader_, ReadsOddSizes) {
    makeWithFfmpeg(file("odd.mp4"), numberedFrames(5, 67, 45), "-c:v libx264 -pix_fmt yuv444p");
    ClipReader reader(file("odd.mp4"));
    EXPECT_EQ(reader.info().width, 67);
    EXPECT_EQ(reader.info().height, 45);
    EXPECT_EQ(shownNumber(reader.frame(3)), 3);
    EXPECT_EQ(shownNumber(reader.frame(4, 91, 33)), 4);
}

TEST_F(ClipReader_, ReadsASingleFrame) {
    makeWithFfmpeg(file("one.mp4"), {numberedFrame(77)}, "-c:v libx264");
    ClipReader reader(file("one.mp4"));
    EXPECT_EQ(reader.info().frames, 1);
    EXPECT_EQ(shownNumber(reader.frame(0)), 77);
}

TEST_F(ClipReader_, ShowsTransparencyOverBlack) {
    makeWithFfmpeg(file("alpha.mov"), {numberedFrame(255)},
                   "-vf format=rgba,colorchannelmixer=aa=0.5 -c:v png -pix_fmt rgba");
    ClipReader reader(file("alpha.mov"));
    EXPECT_EQ(colourAt(reader.frame(0), 0, 1, 0, 1), "#808080");
}

TEST_F(ClipReader_, StartsWhereAnEditListStarts) {
    makeWithFfmpeg(file("long.mp4"), numberedFrames(40), "-c:v libx264 -g 250 -bf 2");
    runFfmpeg("-ss 0.5 -i " + file("long.mp4").string() + " -c copy " + file("cut.mp4").string());
    ClipReader reader(file("cut.mp4"));
    ASSERT_EQ(reader.info().frames, 28);
    EXPECT_EQ(shownNumber(reader.frame(0)), 12);
    EXPECT_EQ(shownNumber(reader.frame(27)), 39);
}

TEST_F(ClipReader_, EnlargesByWholeFactorsWithoutBlurring) {
    makeWithFfmpeg(file("small.mkv"), {numberedFrame(0b01010101, 16, 16)}, "-c:v ffv1 -pix_fmt bgr0");
    ClipReader reader(file("small.mkv"));
    const Frame large = reader.frame(0, 64, 64);
    for (int x = 0; x < 64; ++x)
        ASSERT_EQ(large.rgb[3 * static_cast<std::size_t>(x)], x / 8 % 2 == 0 ? 255 : 0) << "column " << x;
}

TEST_F(ClipReader_, DrawsIntoAPictureOfTheCallers) {
    makeWithFfmpeg(file("a.mkv"), {numberedFrame(255, 16, 16)},
                   "-vf lutrgb=r=10:g=20:b=30 -c:v ffv1 -pix_fmt bgr0");
    ClipReader reader(file("a.mkv"));
    std::vector<std::uint32_t> words(32 * 16, 0x11223344);
    reader.drawFrame(
        0, {reinterpret_cast<std::uint8_t*>(words.data()), 16, 16, 32 * 4, PixelBuffer::Layout::Rgb32});
    EXPECT_EQ(words[0], 0xff0a141eu);
    EXPECT_EQ(words[15], 0xff0a141eu);
    EXPECT_EQ(words[16], 0x11223344u) << "nothing is written beside the picture";
}

TEST_F(ClipReader_, ReadsAFolderOfPicturesByTheirNames) {
    // a name that patterns would take for theirs
    const auto pictures = file("walk [1] {a,b}*");
    std::filesystem::create_directories(pictures);
    for (int n = 0; n < 12; ++n) {
        makeWithFfmpeg(file("one.png"), {numberedFrame(n)}, "-frames:v 1");
        std::filesystem::rename(file("one.png"), pictures / ("00" + std::to_string(10 + n) + ".png"));
    }
    writeFileAtomically(pictures / "notes.txt", "no picture");
    ClipReader reader(pictures);
    EXPECT_EQ(reader.info().frames, 12);
    EXPECT_EQ(reader.info().width, 64);
    EXPECT_EQ(reader.info().codec, "png");
    for (const int n : {0, 1, 2, 11, 3, 7, 6, 5}) EXPECT_EQ(shownNumber(reader.frame(n)), n);
    EXPECT_EQ(reader.keyFrames().size(), 12U);
    std::filesystem::create_directories(file("nothing"));
    EXPECT_THAT(messageOf(file("nothing")), testing::HasSubstr("the folder holds no pictures"));
    std::filesystem::create_directories(file("bad"));
    writeFileAtomically(file("bad/0.png"), "these are no pictures");
    EXPECT_THAT(messageOf(file("bad")), testing::HasSubstr("is damaged"));
}

TEST_F(ClipReader_, SaysWhatIsWrongWithAFile) {
    using testing::AllOf, testing::HasSubstr;
    EXPECT_THAT(messageOf(file("none.mp4")), AllOf(HasSubstr("none.mp4"), HasSubstr("No such file")));
    writeFileAtomically(file("empty.mp4"), "");
    EXPECT_THAT(messageOf(file("empty.mp4")), AllOf(HasSubstr("empty.mp4"), HasSubstr("is empty")));
    writeFileAtomically(file("text.mp4"), "these are no pictures\n");
    EXPECT_THAT(messageOf(file("text.mp4")), AllOf(HasSubstr("text.mp4"), HasSubstr("not a video")));
    runFfmpeg("-f lavfi -i sine=duration=0.2 " + file("sound.m4a").string());
    EXPECT_THAT(messageOf(file("sound.m4a")), AllOf(HasSubstr("sound.m4a"), HasSubstr("no video stream")));
    EXPECT_THAT(messageOf(m_folder.path()), HasSubstr("Cannot read the video"));
}

TEST_F(ClipReader_, RefusesFramesThatTheClipDoesNotHave) {
    makeWithFfmpeg(file("a.mp4"), numberedFrames(3), "-c:v libx264");
    ClipReader reader(file("a.mp4"));
    EXPECT_THROW(reader.frame(-1), Error);
    try {
        reader.frame(3);
        FAIL() << "there are frames 0, 1 and 2";
    } catch (const Error& error) {
        EXPECT_THAT(error.full(), testing::HasSubstr("0 to 2"));
    }
    EXPECT_EQ(shownNumber(reader.frame(2)), 2) << "the reader stays usable";
}

}  // namespace
}  // namespace dailies::video
