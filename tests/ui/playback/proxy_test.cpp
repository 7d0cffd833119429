#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "core/video/clip_proxy.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/playback/shown_number.h"
#include "ui/playback/clip_player.h"

#include <QSignalSpy>
#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>

namespace dailies::ui {
namespace {

namespace fs = std::filesystem;

constexpr QSize kProxyBox{64, 64};
constexpr int kProxies = 100;  ///< what the pictures of our own proxies show more than the clips'

/// Clips of one group of pictures. A proxy that a test writes itself shows numbers of its own, so that it is
/// seen which one is on screen.
class ProxyTest : public testing::Test {
protected:
    ProxyTest() { m_service->setProxyFolder(folder()); }

    fs::path place() const { return m_folder.path() / "proxies"; }
    video::ProxyFolder folder() const { return {place(), std::uint64_t{1} << 30, 0}; }

    PlayedClip clip(const std::string& name, int frames = 90, const std::string& groups = "-g 250 -bf 3") {
        const auto file = m_folder.path() / name;
        video::makeWithFfmpeg(file, video::numberedFrames(frames, 64, 64), "-c:v libx264 " + groups);
        return {file.string(), frames, kProxyBox, 24};
    }

    fs::path proxyOf(const PlayedClip& clip) const {
        const FileStamp stamp = readStamp(clip.file);
        return folder().placeFor(clip.file, stamp.bytes, stamp.modifiedNs);
    }

    void putProxy(const PlayedClip& clip) const {
        std::vector<video::Frame> pictures;
        for (int n = 0; n < clip.frames; ++n) pictures.push_back(video::numberedFrame(kProxies + n, 64, 64));
        video::writeClip(proxyOf(clip), pictures, {.fps = 25});
    }

    /// An empty cache, as if the clips had just been shown.
    void open(const std::vector<PlayedClip>& clips) {
        m_player.setClips(clips);
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.isComplete(); }, 20'000));
        keepNothing();
    }

    void keepNothing() {
        m_player.cache().setLimit(0);
        m_player.cache().setLimit(std::size_t{1} << 28);
    }

    int shown(const PlayedClip& clip) {
        const DecodedFrame* frame = m_player.current(clip);
        return frame && !frame->image.isNull() ? shownNumber(frame->image) : -1;
    }

    /// What was on screen, one after another, until the clip's own picture was.
    std::vector<int> shownUntilComplete(const PlayedClip& clip) {
        std::vector<int> numbers;
        const auto look = [&] {
            if (const int number = shown(clip); number >= 0 && (numbers.empty() || numbers.back() != number))
                numbers.push_back(number);
        };
        const auto looking = QObject::connect(&m_player, &ClipPlayer::pictureChanged, &m_player, look);
        EXPECT_TRUE(QTest::qWaitFor([&] { return m_player.isComplete(); }, 20'000));
        look();
        QObject::disconnect(looking);
        return numbers;
    }

    TemporaryFolder m_folder;
    std::shared_ptr<FrameService> m_service = FrameService::shared();
    ClipPlayer m_player;
};

TEST_F(ProxyTest, ASeekShowsTheProxyUntilThePlayHeadRests) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    m_player.playhead().seek(70);
    EXPECT_EQ(shownUntilComplete(a), (std::vector<int>{kProxies + 70, 70}));
    EXPECT_EQ(m_player.current(a)->key.file, a.file);
}

TEST_F(ProxyTest, WhileItIsDraggedNothingFarIsDecodedOfTheClip) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    for (const int n : {80, 20, 70, 10, 60, 30}) {
        keepNothing();
        m_player.playhead().seek(n);
        ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.hasPictures(); }, 20'000));
        EXPECT_EQ(shown(a), kProxies + n);
        EXPECT_FALSE(m_player.isComplete()) << "nobody judges or measures it";
    }
}

TEST_F(ProxyTest, WhereDecodingBeginsTheClipsOwnPictureComesAtOnce) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    m_player.playhead().seek(2);
    EXPECT_EQ(shownUntilComplete(a), std::vector<int>{2});
}

TEST_F(ProxyTest, WhoComparesSeesClipsOwnPicturesOnly) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    m_player.setProxiesUsed(false);
    m_player.playhead().seek(70);
    EXPECT_EQ(shownUntilComplete(a), std::vector<int>{70});
}

TEST_F(ProxyTest, OnlyClipsOwnPicturesArePlayed) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    m_player.playhead().seek(40);
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.hasPictures(); }, 20'000));
    EXPECT_EQ(shown(a), kProxies + 40);
    for (const int direction : {1, -1}) {
        std::vector<int> wrong;
        int ticks = 0;
        const auto playing =
            QObject::connect(&m_player.playhead(), &Playhead::frameChanged, &m_player, [&](int frame) {
                ++ticks;
                if (shown(a) != frame) wrong.push_back(shown(a));
            });
        m_player.playhead().play(direction);
        EXPECT_TRUE(QTest::qWaitFor([&] { return ticks >= 20; }, 20'000));
        m_player.playhead().pause();
        QObject::disconnect(playing);
        EXPECT_EQ(wrong, std::vector<int>{});
    }
}

TEST_F(ProxyTest, ADamagedProxyIsDoneWithout) {
    const PlayedClip a = clip("a.mp4");
    writeFileAtomically(proxyOf(a), "no video");
    open({a});
    m_player.playhead().seek(70);
    EXPECT_EQ(shownUntilComplete(a), std::vector<int>{70});
    EXPECT_EQ(m_service->proxyOf(a.file), nullptr);
}

TEST_F(ProxyTest, AClipThatChangedHasItsProxyNoMore) {
    const PlayedClip a = clip("a.mp4");
    putProxy(a);
    open({a});
    ASSERT_NE(m_service->proxyOf(a.file), nullptr);
    const std::string before = *m_service->proxyOf(a.file);
    clip("a.mp4", 60);
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.playhead().length() == 60; }, 10'000));
    const std::string* now = m_service->proxyOf(a.file);
    EXPECT_TRUE(!now || *now != before);
}

TEST_F(ProxyTest, AreMadeOfClipsThatNeedThemWhenTheyAreShown) {
    const PlayedClip far = clip("far.mp4"), near = clip("near.mp4", 90, "-g 3 -bf 0"),
                     brief = clip("brief.mp4", 6);
    open({far, near, brief});
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_service->proxyOf(far.file) != nullptr; }, 20'000));
    EXPECT_EQ(*m_service->proxyOf(far.file), proxyOf(far).string());
    EXPECT_EQ(video::ClipReader(proxyOf(far)).info().frames, 90);
    EXPECT_EQ(folder().use().files, 1);
    EXPECT_EQ(m_service->proxyOf(near.file), nullptr);
    keepNothing();
    m_player.playhead().seek(70);
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_player.hasPictures(); }, 20'000));
    EXPECT_EQ(shown(far), 70);
}

TEST_F(ProxyTest, AFolderThatTakesNoneLeavesClipsAsTheyAre) {
    writeFileAtomically(place(), "a file");
    const PlayedClip a = clip("a.mp4"), b = clip("b.mp4");
    open({a, b});
    for (const int n : {70, 20}) {
        m_player.playhead().seek(n);
        EXPECT_EQ(shownUntilComplete(a).back(), n);
    }
    EXPECT_EQ(m_service->proxyOf(a.file), nullptr);
}

TEST_F(ProxyTest, QuittingLeavesNoTornFile) {
    const PlayedClip a = clip("a.mp4", 200);
    const FileStamp stamp = readStamp(a.file);
    for (int wait = 0; wait < 60; wait += 10) {
        fs::remove_all(place());
        {
            ProxyMaker maker(folder());
            maker.make({a.file, stamp, proxyOf(a).string()});
            QTest::qWait(wait);
        }
        const bool isWhole = fs::exists(proxyOf(a));
        EXPECT_EQ(folder().use().files, isWhole ? 1 : 0);
        if (isWhole) {
            EXPECT_EQ(video::ClipReader(proxyOf(a)).info().frames, 200);
        }
    }
}

TEST_F(ProxyTest, TheOldestGoWhenThereAreTooMany) {
    const PlayedClip a = clip("a.mp4"), b = clip("b.mp4");
    ProxyMaker maker({place(), 1, 0});
    QSignalSpy made(&maker, &ProxyMaker::made);
    maker.make({a.file, readStamp(a.file), proxyOf(a).string()});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !made.empty(); }, 20'000));
    EXPECT_EQ(folder().use().files, 0) << "not even one fits";
}

}  // namespace
}  // namespace dailies::ui
