#include "core/video/clip_proxy.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "core/video/proxy_folder.h"
#include "tests/core/video/numbered_frames.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dailies::video {
namespace {

namespace fs = std::filesystem;

class ClipProxy : public testing::Test {
protected:
    fs::path made(const std::string& name, const std::string& arguments, int frames = 60, int width = 64,
                  int height = 48) {
        const auto file = m_folder.path() / name;
        makeWithFfmpeg(file, numberedFrames(frames, width, height), arguments);
        return file;
    }

    fs::path proxy() const { return m_folder.path() / "proxies" / "a.proxy.mp4"; }
    std::size_t filesInFolder() const {
        std::error_code none;
        return static_cast<std::size_t>(
            std::distance(fs::directory_iterator(proxy().parent_path(), none), fs::directory_iterator()));
    }

    /// Every frame shows the number that the clip's shows, and is near a key frame.
    void expectSameFrames(const fs::path& clip) {
        ClipReader own(clip), copy(proxy());
        ASSERT_EQ(copy.info().frames, own.info().frames);
        for (int n = own.info().frames - 1; n >= 0; --n)
            ASSERT_EQ(shownNumber(copy.frame(n, 64, 48)), shownNumber(own.frame(n, 64, 48))) << "frame " << n;
        EXPECT_FALSE(needsProxy(copy.keyFrames(), copy.info().frames));
    }

    TemporaryFolder m_folder;
};

TEST_F(ClipProxy, IsForClipsWhoseKeyFramesAreFarApart) {
    EXPECT_TRUE(needsProxy({0}, 81));
    EXPECT_TRUE(needsProxy({0, 3, 6, 60}, 61));
    EXPECT_TRUE(needsProxy({0, 3, 6}, 60)) << "the last group is the long one";
    EXPECT_FALSE(needsProxy({0, 6, 9}, 15));
    EXPECT_FALSE(needsProxy({0}, 6)) << "a short clip";
    EXPECT_FALSE(needsProxy({}, 0));
}

TEST_F(ClipProxy, HasTheClipsFramesInShortGroups) {
    const auto clip = made("a.mp4", "-c:v libx264 -g 250 -bf 3");
    ASSERT_TRUE(needsProxy(ClipReader(clip).keyFrames(), 60));
    ASSERT_TRUE(writeProxy(clip, proxy()));
    EXPECT_TRUE(isProxy(proxy()));
    EXPECT_FALSE(isProxy(clip));
    EXPECT_EQ(ClipReader(proxy()).info().width, 64);
    EXPECT_EQ(ClipReader(proxy()).info().height, 48);
    expectSameFrames(clip);
    EXPECT_EQ(filesInFolder(), 1u) << "nothing lies beside it";
}

TEST_F(ClipProxy, NumbersTheFramesOfAVariableRateAsTheClipDoes) {
    const auto clip = made("a.mp4", "-c:v libx264 -g 250 -bf 2 -fps_mode vfr -vf setpts='(N*N/60+N)/24/TB'");
    ASSERT_TRUE(writeProxy(clip, proxy()));
    expectSameFrames(clip);
}

TEST_F(ClipProxy, IsAsTheClipIsShown) {
    const auto sideways = m_folder.path() / "a.mp4";
    runFfmpeg("-i " + made("b.mp4", "-c:v libx264 -g 250").string() + " -c copy -metadata:s:v rotate=90 " +
              sideways.string());
    ASSERT_TRUE(writeProxy(sideways, proxy()));
    EXPECT_EQ(ClipReader(proxy()).info().width, 48);
    EXPECT_EQ(ClipReader(proxy()).info().height, 64);
}

TEST_F(ClipProxy, HasAnEvenSizeAndNoneThatTakesLong) {
    ASSERT_TRUE(writeProxy(made("odd.mkv", "-c:v libx264 -pix_fmt yuv444p -g 250", 20, 63, 47), proxy()));
    EXPECT_EQ(ClipReader(proxy()).info().width % 2, 0);
    EXPECT_EQ(ClipReader(proxy()).info().height % 2, 0);
    const auto large = made("large.mp4", "-c:v libx264 -preset ultrafast -g 250", 14, 1280, 720);
    ASSERT_TRUE(writeProxy(large, proxy()));
    const ClipInfo info = ClipReader(proxy()).info();
    EXPECT_EQ(info.width, 682);
    EXPECT_EQ(info.height, 384);
    expectSameFrames(large);
}

TEST_F(ClipProxy, AClipThatCannotBeDecodedGetsNone) {
    const auto whole = readFile(made("whole.mp4", "-c:v libx264 -g 250 -movflags +faststart"));
    const auto clip = m_folder.path() / "cut.mp4";
    writeFileAtomically(clip, whole.substr(0, whole.size() / 20));
    EXPECT_FALSE(writeProxy(clip, proxy()));
    EXPECT_FALSE(writeProxy(m_folder.path() / "absent.mp4", proxy()));
    EXPECT_EQ(filesInFolder(), 0u);

    // Of one that breaks off among its pictures there are as many frames as can be read.
    writeFileAtomically(clip, whole.substr(0, whole.size() * 9 / 10));
    if (writeProxy(clip, proxy())) expectSameFrames(clip);

    // The list of its pictures is whole, and some of them are not.
    std::string damaged = whole;
    std::fill(damaged.begin() + static_cast<std::ptrdiff_t>(damaged.size() * 3 / 4), damaged.end(), '\xff');
    writeFileAtomically(clip, damaged);
    fs::remove_all(proxy().parent_path());
    EXPECT_FALSE(writeProxy(clip, proxy()));
    EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(ClipProxy, IsWholeOrAbsentWhenStopped) {
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(writeProxy(made("a.mp4", "-c:v libx264 -g 250"), proxy(), stop.get_token()), Cancelled);
    EXPECT_EQ(filesInFolder(), 0u);
}

TEST_F(ClipProxy, AFullDiskIsSaidAndLeavesNothing) {
    const auto clip = made("a.mp4", "-c:v libx264 -g 250");
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        int refused = 0;
        // Wherever the disk is full: among the pictures, in the index, or as that is moved to the front.
        for (rlim_t room = 100; filesInFolder() == 0; room += 100) {
            const rlimit full{room, limit.rlim_max};
            ::setrlimit(RLIMIT_FSIZE, &full);
            try {
                writeProxy(clip, proxy());
            } catch (const Error& error) {
                ++refused;
                if (error.full().find(proxy().string()) == std::string::npos) ::_exit(1);
                if (filesInFolder() > 0) ::_exit(2);
            }
        }
        ::_exit(refused > 10 && ClipReader(proxy()).info().frames == 60 ? 0 : 3);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
}

TEST_F(ClipProxy, AFolderThatCannotBeWrittenToIsSaid) {
    writeFileAtomically(m_folder.path() / "proxies", "a file");
    EXPECT_THROW(writeProxy(made("a.mp4", "-c:v libx264 -g 250"), proxy()), Error);
}

class ProxyFolderTest : public ClipProxy {
protected:
    fs::path put(const std::string& name, std::size_t bytes, int hoursAgo) {
        const auto file = proxy().parent_path() / name;
        writeFileAtomically(file, std::string(bytes, 'x'));
        timespec when{};
        ::clock_gettime(CLOCK_REALTIME, &when);
        when.tv_sec -= 3600 * hoursAgo;
        const timespec times[] = {when, when};
        ::utimensat(AT_FDCWD, file.c_str(), times, 0);
        return file;
    }
};

TEST_F(ProxyFolderTest, AnotherStateOfAClipHasAnotherPlace) {
    const ProxyFolder folder(proxy().parent_path(), 1000, 0);
    const auto place = folder.placeFor("/clips/a.mp4", 10, 20);
    EXPECT_TRUE(isProxy(place));
    EXPECT_EQ(place.parent_path(), proxy().parent_path());
    EXPECT_EQ(folder.placeFor("/clips/b/../a.mp4", 10, 20), place);
    EXPECT_NE(folder.placeFor("/clips/a.mp4", 11, 20), place);
    EXPECT_NE(folder.placeFor("/clips/a.mp4", 10, 21), place);
    EXPECT_NE(folder.placeFor("/clips/b.mp4", 10, 20), place);
}

TEST_F(ProxyFolderTest, LetsTheOnesGoThatWereOpenedLongestAgo) {
    const auto newest = put("a.proxy.mp4", 400, 1), oldest = put("b.proxy.mp4", 400, 30),
               older = put("c.proxy.mp4", 400, 20), left = put("d.proxy.mp4.77.new", 400, 40);
    const ProxyFolder folder(proxy().parent_path(), 1000, 0);
    EXPECT_EQ(folder.use().bytes, 1600u);
    folder.trim();
    EXPECT_TRUE(fs::exists(newest));
    EXPECT_TRUE(fs::exists(older));
    EXPECT_FALSE(fs::exists(oldest));
    EXPECT_FALSE(fs::exists(left)) << "what a program that was killed left, too";
    EXPECT_EQ(folder.use().files, 2);
    EXPECT_TRUE(folder.hasSpace());
    EXPECT_FALSE(ProxyFolder(proxy().parent_path(), 1000, ~std::uint64_t{0}).hasSpace());
}

}  // namespace
}  // namespace dailies::video
