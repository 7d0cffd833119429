#include "ui/playback/clip_player.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/playback/shown_number.h"

#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr QSize kPlayerBox{64, 64};

class ClipPlayerTest : public testing::Test {
protected:
    /// A clip whose frame n shows first + n.
    PlayedClip clip(const std::string& name, int frames, double fps, int first = 0) {
        std::vector<video::Frame> pictures;
        for (int n = 0; n < frames; ++n) pictures.push_back(video::numberedFrame(first + n, 64, 64));
        return {video::writeClip(m_folder.path() / name, pictures, {.fps = fps}).string(), frames, kPlayerBox,
                fps};
    }

    PlayedClip made(const std::string& name, int frames, const std::string& arguments) {
        const auto file = m_folder.path() / name;
        video::makeWithFfmpeg(file, video::numberedFrames(frames, 64, 64), arguments);
        return {file.string(), frames, kPlayerBox, 24};
    }

    void settle() {
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.isComplete(); }, 20'000));
    }

    int shown(const PlayedClip& clip) {
        const DecodedFrame* frame = m_player.current(clip);
        return frame && !frame->image.isNull() ? shownNumber(frame->image) : -1;
    }

    std::string error(const PlayedClip& clip) {
        const DecodedFrame* frame = m_player.current(clip);
        return frame ? frame->error.toStdString() : "(not there yet)";
    }

    Playhead& playhead() { return m_player.playhead(); }

    TemporaryFolder m_folder;
    ClipPlayer m_player;
};

TEST_F(ClipPlayerTest, EveryClipShowsTheFrameOfTheMomentWhateverItsRate) {
    const PlayedClip fast = clip("30.mp4", 60, 30), usual = clip("24.mp4", 48, 24),
                     slow = clip("8.mp4", 16, 8);
    m_player.setClips({slow, fast, usual});
    settle();
    ASSERT_EQ(playhead().length(), 60) << "the fastest lends its frames";
    for (int n = 0; n < 60; ++n) {
        playhead().seek(n);
        settle();
        ASSERT_EQ(shown(fast), n);
        ASSERT_EQ(shown(usual), n * 24 / 30) << "at " << n;
        ASSERT_EQ(shown(slow), n * 8 / 30) << "at " << n;
    }
}

TEST_F(ClipPlayerTest, ShorterClipsHoldTheirLastFrame) {
    const PlayedClip longer = clip("a.mp4", 30, 24), shorter = clip("b.mp4", 5, 24);
    m_player.setClips({shorter, longer});
    playhead().seek(20);
    settle();
    EXPECT_EQ(shown(longer), 20);
    EXPECT_EQ(shown(shorter), 4);
}

TEST_F(ClipPlayerTest, AClipOfALowerRateThatLastsLongerIsPlayedToItsEnd) {
    const PlayedClip fast = clip("a.mp4", 24, 24), slow = clip("b.mp4", 24, 8);
    m_player.setClips({fast, slow});
    settle();
    ASSERT_EQ(playhead().length(), 72);
    playhead().seek(71);
    settle();
    EXPECT_EQ(shown(slow), 23);
    EXPECT_EQ(shown(fast), 23);
}

TEST_F(ClipPlayerTest, KeepsItsPlaceAcrossAWallWithoutClips) {
    const PlayedClip a = clip("a.mp4", 30, 24);
    m_player.setClips({a});
    settle();
    playhead().seek(20);
    playhead().setLoopIn(10);
    playhead().play();
    m_player.setClips({});
    EXPECT_FALSE(playhead().isPlaying());
    m_player.setClips({a});
    settle();
    EXPECT_EQ(shown(a), 20);
    EXPECT_EQ(playhead().loopIn(), 10);
}

TEST_F(ClipPlayerTest, AShiftedClipIsAheadByWholeFrames) {
    const PlayedClip a = clip("a.mp4", 30, 24);
    PlayedClip b = clip("b.mp4", 30, 24, 100);
    b.offset = 3;
    m_player.setClips({a, b});
    playhead().seek(10);
    settle();
    EXPECT_EQ(shown(a), 10);
    EXPECT_EQ(shown(b), 113);
    EXPECT_EQ(m_player.frameOf(b), 13);
    playhead().seek(29);
    settle();
    EXPECT_EQ(shown(b), 129) << "beyond its end stands its last frame";
}

TEST_F(ClipPlayerTest, ReachesEveryFrameOfLongGroupsWithBFramesAndOfVariableRates) {
    const PlayedClip bFrames = made("b.mp4", 60, "-c:v libx264 -g 250 -bf 3");
    m_player.setClips({bFrames});
    for (const int n : {59, 3, 31, 30, 29, 0, 58}) {
        playhead().seek(n);
        settle();
        EXPECT_EQ(shown(bFrames), n);
    }
    const PlayedClip slowing =
        made("v.mp4", 60, "-c:v libx264 -bf 2 -fps_mode vfr -vf setpts='(N*N/60+N)/24/TB'");
    m_player.setClips({slowing});
    settle();
    for (const int n : {59, 3, 31, 30, 0}) {
        playhead().seek(n);
        settle();
        EXPECT_EQ(shown(slowing), n);
    }
}

TEST_F(ClipPlayerTest, PlaysBackwardsFrameByFrame) {
    const PlayedClip a = made("a.mp4", 60, "-c:v libx264 -g 24 -bf 2");
    m_player.setClips({a});
    settle();
    std::vector<int> frames;
    QObject::connect(&playhead(), &Playhead::frameChanged, &m_player, [&] { frames.push_back(shown(a)); });
    playhead().play(-1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return frames.size() >= 30; }, 20'000));
    playhead().pause();
    for (int i = 0; i < 30; ++i) EXPECT_EQ(frames[static_cast<std::size_t>(i)], 59 - i);
}

TEST_F(ClipPlayerTest, APauseBringsTheWholeClipToHand) {
    const PlayedClip a = made("a.mp4", 60, "-c:v libx264 -g 250");
    m_player.setClips({a});
    const auto* frames = m_player.cache().framesOf(a.file, a.box);
    ASSERT_TRUE(QTest::qWaitFor(
        [&] { return (frames = m_player.cache().framesOf(a.file, a.box)) && frames->size() == 60; }, 20'000));
    for (const int n : {59, 10, 30}) {
        playhead().seek(n);
        EXPECT_TRUE(m_player.isComplete()) << "without decoding";
        EXPECT_EQ(shown(a), n);
    }
}

TEST_F(ClipPlayerTest, ASeekInALongGroupBringsTheFramesBeforeItToHand) {
    const PlayedClip a = made("a.mp4", 100, "-c:v libx264 -g 250 -bf 3");
    m_player.setClips({a});
    settle();
    playhead().seek(90);
    settle();
    for (int n = 90; n > 82; --n) {
        EXPECT_TRUE(m_player.isComplete()) << "stepping back to " << n << " waits for no decoder";
        EXPECT_EQ(shown(a), n);
        playhead().step(-1);
    }
}

TEST_F(ClipPlayerTest, PlayersShareOneCacheAndTheOneThatRestsWantsNothing) {
    const PlayedClip a = clip("a.mp4", 40, 24), b = clip("b.mp4", 40, 24, 100);
    const auto framesOf = [](ClipPlayer& player, const PlayedClip& clip) {
        const auto* frames = player.cache().framesOf(clip.file, clip.box);
        return frames ? frames->size() : 0;
    };
    ClipPlayer other;
    EXPECT_EQ(&other.cache(), &m_player.cache());
    m_player.setClips({a});
    m_player.suspend();
    other.setClips({b});
    ASSERT_TRUE(QTest::qWaitFor([&] { return framesOf(other, b) == 40; }));
    EXPECT_LE(framesOf(m_player, a), 8u) << "no more than what was under way";
    m_player.setClips({a});
    ASSERT_TRUE(QTest::qWaitFor([&] { return framesOf(m_player, a) == 40; }));
    m_player.suspend();
    m_player.cache().setLimit(std::size_t{40} * (64 * 64 * 4 + 600));
    EXPECT_EQ(framesOf(other, b), 40u) << "what is not on screen goes first";
    EXPECT_LT(framesOf(m_player, a), 8u);
    m_player.setClips({a});
    settle();
    EXPECT_EQ(shown(a), 0);
}

TEST_F(ClipPlayerTest, PlaysOnInACacheThatHoldsOnlyAFewFrames) {
    m_player.cache().setLimit(6 * 64 * 64 * 4);
    const PlayedClip a = clip("a.mp4", 40, 60), b = clip("b.mp4", 40, 60, 100);
    m_player.setClips({a, b});
    settle();
    std::vector<int> frames;
    QObject::connect(&playhead(), &Playhead::frameChanged, &m_player, [&](int frame) {
        frames.push_back(frame);
        EXPECT_EQ(shown(a), frame);
        EXPECT_EQ(shown(b), 100 + frame);
    });
    playhead().play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return frames.size() >= 60; }, 20'000));
    EXPECT_LT(m_player.cache().bytes(), std::size_t{24} * 64 * 64 * 4);
}

TEST_F(ClipPlayerTest, LikelyNextClipsAreAtHandAtTheFrameThatIsHeld) {
    const PlayedClip now = clip("a.mp4", 10, 24), next = clip("b.mp4", 10, 24, 100);
    m_player.setClips({now});
    playhead().seek(7);
    m_player.setPrefetchClips({next});
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.cache().find(next.file, next.box, 7) != nullptr; }));
    m_player.setClips({next});
    EXPECT_TRUE(m_player.isComplete());
    EXPECT_EQ(shown(next), 107);
}

// -- files that change

TEST_F(ClipPlayerTest, AFileThatIsReplacedWhileItPlaysIsShownAnew) {
    const PlayedClip a = clip("a.mp4", 10, 24);
    m_player.setClips({a});
    playhead().seek(5);
    settle();
    EXPECT_EQ(shown(a), 5);
    clip("a.mp4", 20, 24, 100);
    ASSERT_TRUE(QTest::qWaitFor([&] { return shown(a) == 105; }, 10'000));
    EXPECT_TRUE(QTest::qWaitFor([&] { return playhead().length() == 20; }));
    EXPECT_TRUE(m_player.isGrowing(a.file)) << "it changed a moment ago";
}

TEST_F(ClipPlayerTest, AGrowingFileGivesItsFramesAsTheyCome) {
    const PlayedClip whole = made("whole.mkv", 60, "-c:v libx264 -g 8 -bf 0 -f matroska");
    const std::string bytes = readFile(whole.file);
    PlayedClip growing = whole;
    growing.file = (m_folder.path() / "growing.mkv").string();
    writeFileAtomically(growing.file, bytes.substr(0, bytes.size() / 2));
    m_player.setClips({growing});
    settle();
    const int before = playhead().length();
    EXPECT_GT(before, 1);
    EXPECT_LT(before, 60);
    playhead().seek(before - 1);
    settle();
    EXPECT_EQ(shown(growing), before - 1);
    writeFileAtomically(growing.file, bytes);
    ASSERT_TRUE(QTest::qWaitFor([&] { return playhead().length() == 60; }, 10'000));
    EXPECT_EQ(playhead().frame(), before - 1) << "it stays where one looks";
    settle();
    EXPECT_EQ(shown(growing), before - 1);
}

TEST_F(ClipPlayerTest, TheOthersPlayOnWhileAFileIsDamagedAndMadeWholeAgain) {
    const PlayedClip good = clip("good.mp4", 24, 24), other = clip("other.mp4", 24, 24, 100);
    const std::string whole = readFile(other.file);
    m_player.setClips({good, other});
    settle();
    int ticks = 0;
    QObject::connect(&playhead(), &Playhead::frameChanged, &m_player, [&](int frame) {
        ++ticks;
        EXPECT_EQ(shown(good), frame);
    });
    playhead().play();
    writeFileAtomically(other.file, whole.substr(0, whole.size() / 20));
    ASSERT_TRUE(QTest::qWaitFor([&] { return error(other).find("truncated") != std::string::npos; }, 10'000));
    const int before = ticks;
    EXPECT_TRUE(QTest::qWaitFor([&] { return ticks > before + 12; }, 10'000));
    writeFileAtomically(other.file, whole);
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown(other) == 100 + playhead().frame(); }, 10'000))
        << "taken up again without a key";
}

TEST_F(ClipPlayerTest, AFileThatVanishesSaysSoAndComesBack) {
    const PlayedClip a = clip("a.mp4", 10, 24);
    const std::string bytes = readFile(a.file);
    m_player.setClips({a});
    settle();
    std::filesystem::remove(a.file);
    ASSERT_TRUE(QTest::qWaitFor([&] { return error(a).find("No such file") != std::string::npos; }, 10'000));
    writeFileAtomically(a.file, bytes);
    EXPECT_TRUE(QTest::qWaitFor([&] { return shown(a) == 0; }, 10'000)) << "without a key";
}

// -- files that are no good

struct BadFile {
    const char* name;
    const char* file;
    std::function<void(const std::filesystem::path&)> make;
    const char* says;  ///< "": it is shown
};

void ffmpegTo(const std::filesystem::path& file, const std::string& arguments) {
    video::runFfmpeg(arguments + " " + file.string());
}

class BadFiles : public ClipPlayerTest, public testing::WithParamInterface<BadFile> {};

TEST_P(BadFiles, TheTileSaysSoAndTheWallPlaysOn) {
    const PlayedClip good = clip("good.mp4", 24, 24);
    const auto file = m_folder.path() / GetParam().file;
    GetParam().make(file);
    const PlayedClip bad{file.string(), 24, kPlayerBox, 24};
    m_player.setClips({bad, good});
    settle();
    if (*GetParam().says)
        EXPECT_THAT(error(bad), testing::HasSubstr(GetParam().says));
    else
        EXPECT_EQ(error(bad), "");

    const int length = playhead().length();
    int ticks = 0;
    QObject::connect(&playhead(), &Playhead::frameChanged, &m_player, [&](int frame) {
        ++ticks;
        EXPECT_NE(m_player.current(bad), nullptr);
        EXPECT_EQ(shown(good), std::min(frame * 24 / static_cast<int>(playhead().rate()), 23));
    });
    playhead().play();
    EXPECT_TRUE(QTest::qWaitFor([&] { return ticks >= std::min(length - 1, 12); }, 30'000));
    playhead().pause();
}

void writeHead(const std::filesystem::path& file, double share) {
    const auto whole = file.parent_path() / "whole.mp4";
    video::makeWithFfmpeg(whole, video::numberedFrames(24, 64, 64), "-c:v libx264 -g 8 -movflags +faststart");
    const std::string bytes = readFile(whole);
    writeFileAtomically(file,
                        bytes.substr(0, static_cast<std::size_t>(share * static_cast<double>(bytes.size()))));
}

INSTANTIATE_TEST_SUITE_P(
    , BadFiles,
    testing::Values(
        BadFile{"Missing", "a.mp4", [](const auto&) {}, "No such file"},
        BadFile{"ZeroBytes", "a.mp4", [](const auto& file) { writeFileAtomically(file, ""); }, "empty"},
        BadFile{"NoVideo", "a.mp4", [](const auto& file) { writeFileAtomically(file, "Dear diary"); },
                "truncated"},
        BadFile{"CutInItsIndex", "a.mp4", [](const auto& file) { writeHead(file, 0.05); }, "truncated"},
        BadFile{"CutInItsPictures", "a.mp4", [](const auto& file) { writeHead(file, 0.9); }, ""},
        BadFile{"AudioOnly", "a.mp4",
                [](const auto& file) { ffmpegTo(file, "-f lavfi -i sine=d=1 -c:a aac"); }, "no video stream"},
        BadFile{"TenBit", "a.mp4",
                [](const auto& file) {
                    ffmpegTo(file,
                             "-f lavfi -i testsrc2=s=64x64:r=24:d=1 -c:v libx265 -pix_fmt yuv420p10le "
                             "-x265-params log-level=none");
                },
                ""},
        BadFile{"OddSizes", "a.mp4",
                [](const auto& file) {
                    ffmpegTo(file, "-f lavfi -i testsrc2=s=63x47:r=24:d=1 -c:v libx264 -pix_fmt yuv444p");
                },
                ""},
        BadFile{"Alpha", "a.mov",
                [](const auto& file) {
                    ffmpegTo(file, "-f lavfi -i testsrc2=s=64x64:r=24:d=1,format=rgba -c:v png");
                },
                ""},
        BadFile{"OneFrame", "a.mp4",
                [](const auto& file) {
                    ffmpegTo(file, "-f lavfi -i testsrc2=s=64x64:r=24:d=1 -frames:v 1 -c:v libx264");
                },
                ""},
        BadFile{"EightK", "a.mp4",
                [](const auto& file) {
                    ffmpegTo(
                        file,
                        "-f lavfi -i color=red:s=7680x4320:r=24 -frames:v 3 -c:v libx264 -preset ultrafast");
                },
                ""},
        BadFile{"AnHourLong", "a.mp4",
                [](const auto& file) {
                    ffmpegTo(
                        file,
                        "-f lavfi -i color=red:s=32x32:r=12:d=3600 -c:v libx264 -preset ultrafast -g 48");
                },
                ""}),
    [](const auto& test) { return std::string(test.param.name); });

TEST_F(ClipPlayerTest, ADecoderThatFailsMidwayLosesItsDamagedFramesOnly) {
    const PlayedClip whole =
        made("whole.ts", 60, "-c:v libx264 -g 10 -bf 0 -x264-params scenecut=0 -f mpegts");
    std::string bytes = readFile(whole.file);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() / 2), 188 * 3, '\x47');
    PlayedClip damaged = whole;
    damaged.file = (m_folder.path() / "damaged.ts").string();
    writeFileAtomically(damaged.file, bytes);
    const PlayedClip good = clip("good.mp4", 60, 24);
    m_player.setClips({damaged, good});
    settle();
    int right = 0, failed = 0, last = -1;
    for (int n = 0; n < playhead().length(); ++n) {
        playhead().seek(n);
        settle();
        EXPECT_EQ(shown(good), n);
        failed += !error(damaged).empty();
        right += shown(damaged) == n;
        last = shown(damaged);
    }
    EXPECT_GT(right, 20);
    EXPECT_LT(failed, 30);
    EXPECT_EQ(last, 59) << "behind the damage it goes on";
}

}  // namespace
}  // namespace dailies::ui
