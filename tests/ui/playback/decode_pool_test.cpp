#include "ui/playback/decode_pool.h"

#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/ui/playback/shown_number.h"

#include <QTest>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace dailies::ui {
namespace {

class DecodePoolTest : public testing::Test {
protected:
    DecodePoolTest() {
        QObject::connect(&m_pool, &DecodePool::decoded, &m_pool,
                         [this](const std::vector<DecodedFrame>& frames) {
                             m_arrived.insert(m_arrived.end(), frames.begin(), frames.end());
                         });
    }

    std::string clip(const char* name, int count) {
        return video::writeClip(m_folder.path() / name, video::numberedFrames(count, 64, 64), {.fps = 24})
            .string();
    }

    bool waitFor(std::size_t frames) {
        return QTest::qWaitFor([&] { return m_arrived.size() >= frames; });
    }

    TemporaryFolder m_folder;
    std::vector<DecodedFrame> m_arrived;
    DecodePool m_pool{2};
};

TEST_F(DecodePoolTest, BringsTheFramesThatWereAskedForAtTheSizeOfTheirBox) {
    const std::string a = clip("a.mp4", 20), b = clip("b.mp4", 20);
    m_pool.setJobs({{a, {100, 50}, {3}}, {b, {100, 50}, {17, 18}}});
    ASSERT_TRUE(waitFor(3));
    for (const DecodedFrame& frame : m_arrived) {
        EXPECT_EQ(frame.image.size(), QSize(50, 50));
        EXPECT_EQ(shownNumber(frame.image), frame.key.frame);
    }
}

TEST_F(DecodePoolTest, ShowsTheLastFrameBeyondAClipsEnd) {
    m_pool.setJobs({{clip("a.mp4", 4), {64, 64}, {9}}});
    ASSERT_TRUE(waitFor(1));
    EXPECT_EQ(shownNumber(m_arrived[0].image), 3);
}

TEST_F(DecodePoolTest, TellsWhyAClipCannotBeShownAndGoesOnWithTheOthers) {
    const auto bad = (m_folder.path() / "bad.mp4").string();
    writeFileAtomically(bad, "no video");
    m_pool.setJobs({{bad, {64, 64}, {0, 1}}, {clip("a.mp4", 4), {64, 64}, {2}}});
    ASSERT_TRUE(waitFor(3));
    std::map<std::string, int> errors;
    for (const DecodedFrame& frame : m_arrived) errors[frame.key.file] += frame.error.contains("bad.mp4");
    EXPECT_EQ(errors[bad], 2);

    m_arrived.clear();
    std::filesystem::copy_file(clip("good.mp4", 4), bad, std::filesystem::copy_options::overwrite_existing);
    m_pool.closeFiles();
    m_pool.setJobs({{bad, {64, 64}, {1}}});
    ASSERT_TRUE(waitFor(1));
    EXPECT_EQ(shownNumber(m_arrived[0].image), 1) << "a file that has become whole is read";
}

TEST_F(DecodePoolTest, TellsWhatAFileTurnedOutToBe) {
    m_pool.setJobs({{clip("a.mp4", 20), {64, 64}, {3}}});
    ASSERT_TRUE(waitFor(1));
    ASSERT_NE(m_arrived[0].facts, nullptr);
    EXPECT_EQ(m_arrived[0].facts->timing.frames(), 20);
    EXPECT_EQ(m_arrived[0].facts->timing.fps(), 24);
    EXPECT_EQ(m_arrived[0].facts->size, QSize(64, 64));
}

TEST_F(DecodePoolTest, FindsFilesThatHaveChanged) {
    const std::string a = clip("a.mp4", 4), b = clip("b.mp4", 4), missing = m_folder.path() / "none.mp4";
    std::vector<std::string> changed;
    QObject::connect(&m_pool, &DecodePool::changed, &m_pool, [&](const auto& files) { changed = files; });
    const FileStamp stampOfA = readStamp(a), stampOfB = readStamp(b);
    clip("b.mp4", 5);
    m_pool.checkForChanges({{a, stampOfA}, {b, stampOfB}, {missing, {}}});
    ASSERT_TRUE(QTest::qWaitFor([&] { return !changed.empty(); }));
    EXPECT_EQ(changed, std::vector{b});
    m_pool.setJobs({{b, {64, 64}, {4}}});
    ASSERT_TRUE(waitFor(1));
    EXPECT_EQ(shownNumber(m_arrived[0].image), 4) << "opened anew";
}

TEST_F(DecodePoolTest, DecodesNothingTwiceThatIsAskedForAgainMeanwhile) {
    const std::string a = clip("a.mp4", 100);
    std::vector<int> all(100);
    for (int n = 0; n < 100; ++n) all[static_cast<std::size_t>(n)] = n;
    m_pool.setJobs({{a, {64, 64}, all}});
    while (m_arrived.size() < 100) {
        QTest::qWait(1);
        std::set<int> here;
        for (const DecodedFrame& frame : m_arrived) here.insert(frame.key.frame);
        std::vector<int> missing;
        for (const int n : all)
            if (!here.contains(n)) missing.push_back(n);
        m_pool.setJobs({{a, {64, 64}, missing}});
    }
    QTest::qWait(50);
    EXPECT_EQ(m_arrived.size(), 100u);
}

TEST_F(DecodePoolTest, DropsWhatIsNoLongerWanted) {
    const std::string a = clip("a.mp4", 100), b = clip("b.mp4", 100);
    std::vector<int> all(100);
    for (int n = 0; n < 100; ++n) all[static_cast<std::size_t>(n)] = n;
    std::vector<DecodeJob> flood;
    for (int i = 0; i < 50; ++i) flood.push_back({a, {64 + 2 * i, 64}, all});
    m_pool.setJobs(flood);
    m_pool.setJobs({{b, {64, 64}, {5}}});
    ASSERT_TRUE(QTest::qWaitFor([&] {
        return std::any_of(m_arrived.begin(), m_arrived.end(),
                           [&](const auto& frame) { return frame.key.file == b; });
    }));
    // How many frames were under way is up to the machine; that the other 5,000 are dropped is not.
    QTest::qWait(50);
    const std::size_t underWay = m_arrived.size();
    EXPECT_LT(underWay, flood.size() * all.size());
    QTest::qWait(200);
    EXPECT_EQ(m_arrived.size(), underWay) << "nothing of the flood goes on";
}

TEST(ShownSize, EnlargesSmallClipsByWholeFactorsOnly) {
    EXPECT_EQ(displaySize({32, 32}, {300, 200}), QSize(192, 192));
    EXPECT_EQ(displaySize({640, 360}, {320, 320}), QSize(320, 180));
    EXPECT_EQ(displaySize({256, 256}, {341, 341}), QSize(340, 341)) << "an even width";
    EXPECT_EQ(displaySize({}, {10, 10}), QSize());
}

}  // namespace
}  // namespace dailies::ui
