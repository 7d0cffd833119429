#include "ui/playback/frame_cache.h"

#include "ui/playback/playhead.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::ui {
namespace {

constexpr QSize kCacheBox{100, 100};
constexpr std::size_t kPicture = 100 * 100 * 4 + 500;  ///< with what the cache needs around it

DecodedFrame picture(const std::string& file, int frame) {
    DecodedFrame made;
    made.key = {file, frame, kCacheBox};
    made.image = QImage(kCacheBox, QImage::Format_RGB32);
    made.image.fill(frame);
    return made;
}

/// A clip of 100 frames at 10 a second.
PlaybackState place(const std::string& file, int frame, int direction = 1, LoopMode mode = LoopMode::Loop) {
    return {file, kCacheBox, frame, 0, 99, direction, 10, 1, mode};
}

class FrameCacheTest : public testing::Test {
protected:
    void insert(const std::string& file, int first, int last) {
        for (int frame = first; frame <= last; ++frame) m_cache.insert(picture(file, frame));
    }

    std::vector<int> framesOf(const std::string& file) {
        std::vector<int> frames;
        for (int frame = 0; frame < 100; ++frame)
            if (m_cache.find({file, frame, kCacheBox})) frames.push_back(frame);
        return frames;
    }

    FrameCache m_cache{20 * kPicture};
};

TEST_F(FrameCacheTest, GivesBackWhatWasPutInByFileFrameAndSize) {
    m_cache.insert(picture("a", 1));
    ASSERT_NE(m_cache.find({"a", 1, kCacheBox}), nullptr);
    EXPECT_EQ(m_cache.find({"a", 1, kCacheBox})->image.pixel(5, 5) & 0xffffff, 1u);
    EXPECT_EQ(m_cache.find({"a", 2, kCacheBox}), nullptr);
    EXPECT_EQ(m_cache.find({"b", 1, kCacheBox}), nullptr);
    EXPECT_EQ(m_cache.find({"a", 1, {50, 50}}), nullptr);
}

TEST_F(FrameCacheTest, StaysUnderItsLimit) {
    m_cache.setShown({place("a", 50)});
    insert("a", 0, 99);
    EXPECT_LE(m_cache.bytes(), m_cache.limit());
    m_cache.setLimit(5 * kPicture);
    EXPECT_LE(m_cache.bytes(), m_cache.limit());
}

TEST_F(FrameCacheTest, DropsClipsThatAreNotOnScreenFirstAndOfTheseTheOneLookedAtLongestAgo) {
    m_cache.setShown({place("seen", 0)});
    insert("old", 0, 5);
    insert("older", 0, 5);
    insert("seen", 0, 7);
    m_cache.find({"old", 0, kCacheBox});
    insert("seen", 8, 13);
    EXPECT_TRUE(framesOf("older").empty());
    EXPECT_EQ(framesOf("old").size(), 6u);
    EXPECT_EQ(framesOf("seen").size(), 14u);
}

TEST_F(FrameCacheTest, KeepsOfALoopThatDoesNotFitAPartThatDoes) {
    // Playing 0 … 99 round and round, each frame inserted as it comes.
    int decoded = 0;
    for (int round = 0; round < 3; ++round)
        for (int frame = 0; frame < 100; ++frame) {
            m_cache.setShown({place("a", frame)});
            if (m_cache.find({"a", frame, kCacheBox})) continue;
            m_cache.insert(picture("a", frame));
            ++decoded;
        }
    EXPECT_LT(decoded, 300 - 2 * 8) << "dropping what was used longest ago would decode all 300";
}

TEST_F(FrameCacheTest, DropsTheFrameThatComesRoundLast) {
    m_cache.setShown({place("a", 50)});
    insert("a", 30, 49);
    m_cache.insert(picture("a", 50));
    EXPECT_THAT(framesOf("a"), testing::Not(testing::Contains(41))) << "behind what stays for stepping back";
    EXPECT_THAT(framesOf("a"), testing::IsSupersetOf({30, 40, 42, 49, 50}));

    m_cache.setShown({place("a", 50, 1, LoopMode::PingPong)});
    m_cache.insert(picture("a", 51));
    EXPECT_THAT(framesOf("a"), testing::Not(testing::Contains(30)))
        << "to and fro comes to the beginning last";

    m_cache.setShown({place("a", 31, -1, LoopMode::PingPong)});
    m_cache.insert(picture("a", 41));
    EXPECT_THAT(framesOf("a"), testing::Not(testing::Contains(51))) << "and backwards to the end";
}

TEST_F(FrameCacheTest, DropsWhatIsOutsideOfTheLoopPointsFirst) {
    insert("a", 10, 29);
    m_cache.setShown({{"a", kCacheBox, 25, 20, 90, 1, 10, 1, LoopMode::Loop}});
    m_cache.insert(picture("a", 30));
    m_cache.insert(picture("a", 31));
    EXPECT_THAT(framesOf("a"), testing::Not(testing::Contains(10)));
    EXPECT_THAT(framesOf("a"), testing::Not(testing::Contains(11)));
    EXPECT_THAT(framesOf("a"), testing::IsSupersetOf({20, 25, 31}));
}

TEST_F(FrameCacheTest, KeepsTheFrameUnderThePlayHeadAndTheNextEvenWhenTheyAreLargerThanItsLimit) {
    FrameCache tiny(kPicture / 2);
    tiny.setShown({place("a", 4)});
    tiny.insert(picture("a", 4));
    tiny.insert(picture("a", 5));
    EXPECT_NE(tiny.find({"a", 4, kCacheBox}), nullptr) << "or the wall would ask for it for ever";
    EXPECT_NE(tiny.find({"a", 5, kCacheBox}), nullptr);
    tiny.insert(picture("a", 6));
    EXPECT_EQ(tiny.find({"a", 6, kCacheBox}), nullptr);
}

TEST_F(FrameCacheTest, ForgetsAFileThatHasChangedInEverySize) {
    insert("a", 0, 3);
    insert("b", 0, 3);
    DecodedFrame small = picture("a", 0);
    small.key.box = {10, 10};
    m_cache.insert(small);
    m_cache.forget("a");
    EXPECT_TRUE(framesOf("a").empty());
    EXPECT_EQ(m_cache.find(small.key), nullptr);
    EXPECT_EQ(framesOf("b").size(), 4u);
}

TEST_F(FrameCacheTest, ForgetsErrorsAlone) {
    m_cache.insert(picture("good", 0));
    DecodedFrame bad;
    bad.key = {"bad", 0, kCacheBox};
    bad.error = "truncated";
    m_cache.insert(bad);
    ASSERT_NE(m_cache.find(bad.key), nullptr);
    m_cache.forgetErrors();
    EXPECT_EQ(m_cache.find(bad.key), nullptr);
    EXPECT_NE(m_cache.find({"good", 0, kCacheBox}), nullptr);
}

}  // namespace
}  // namespace dailies::ui
