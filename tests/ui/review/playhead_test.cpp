#include "ui/review/playhead.h"

#include <QElapsedTimer>
#include <QTest>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace dailies::ui {
namespace {

class PlayheadTest : public testing::Test {
protected:
    PlayheadTest() {
        m_playhead.setLength(5);
        m_playhead.setRate(200);
        QObject::connect(&m_playhead, &Playhead::frameChanged, &m_playhead,
                         [this](int frame) { m_shown.push_back(frame); });
    }

    Playhead m_playhead;
    std::vector<int> m_shown;
};

TEST_F(PlayheadTest, ShowsEveryFrameInOrderAndLoops) {
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 12; }));
    m_playhead.pause();
    m_shown.resize(12);
    EXPECT_THAT(m_shown, testing::ElementsAre(1, 2, 3, 4, 0, 1, 2, 3, 4, 0, 1, 2));
}

TEST_F(PlayheadTest, StopsAtTheEndWithoutLoopAndStartsOverWhenPlayedAgain) {
    m_playhead.setLooping(false);
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return !m_playhead.isPlaying(); }));
    EXPECT_EQ(m_playhead.frame(), 4);
    m_playhead.play();
    EXPECT_EQ(m_playhead.frame(), 0);
    EXPECT_TRUE(m_playhead.isPlaying());
}

TEST_F(PlayheadTest, WaitsForMissingPicturesInsteadOfSkippingThem) {
    int available = 2;
    m_playhead.setReadyCheck([&](int frame) { return frame <= available; });
    m_playhead.play();
    QTest::qWait(100);
    EXPECT_EQ(m_playhead.frame(), 2);
    EXPECT_TRUE(m_playhead.isPlaying());
    available = 4;
    m_playhead.framesArrived();
    EXPECT_EQ(m_playhead.frame(), 3) << "goes on at once with the very next frame";
    EXPECT_EQ(m_playhead.lateFrames(), 1);
}

TEST_F(PlayheadTest, KeepsItsRateOverManyFrames) {
    m_playhead.setRate(100);
    QElapsedTimer clock;
    clock.start();
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 50; }));
    EXPECT_GE(clock.elapsed(), 480) << "never faster than its rate";
}

TEST_F(PlayheadTest, ShuttlesFasterOnEachPressAndBackAtNormalSpeed) {
    m_playhead.shuttle(1);
    EXPECT_EQ(m_playhead.speed(), 1);
    m_playhead.shuttle(1);
    m_playhead.shuttle(1);
    EXPECT_EQ(m_playhead.speed(), 4);
    m_playhead.shuttle(-1);
    EXPECT_EQ(m_playhead.speed(), 1);
    EXPECT_EQ(m_playhead.direction(), -1);
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 3; }));
    EXPECT_EQ(m_shown[0], 4);
    EXPECT_EQ(m_shown[1], 3);
}

TEST_F(PlayheadTest, StepsOneFrameAndPauses) {
    m_playhead.play();
    m_playhead.step(1);
    EXPECT_FALSE(m_playhead.isPlaying());
    EXPECT_EQ(m_playhead.frame(), 1);
    m_playhead.step(-2);
    EXPECT_EQ(m_playhead.frame(), 4) << "wraps around while looping";
    m_playhead.setLooping(false);
    m_playhead.step(1);
    EXPECT_EQ(m_playhead.frame(), 4);
}

TEST_F(PlayheadTest, StaysWithinClipsThatBecomeShorter) {
    m_playhead.seek(4);
    m_playhead.setLength(2);
    EXPECT_EQ(m_playhead.frame(), 1);
    m_playhead.play();
    m_playhead.setLength(0);
    EXPECT_FALSE(m_playhead.isPlaying());
    m_playhead.play();
    EXPECT_FALSE(m_playhead.isPlaying()) << "there is nothing to play";
}

}  // namespace
}  // namespace dailies::ui
