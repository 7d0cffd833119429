#include "ui/playback/playhead.h"

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
        m_playhead.setTiming(video::ClipTiming::constantRate(5, 50));
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
    m_playhead.setLoopMode(LoopMode::Once);
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
    m_playhead.setTiming(video::ClipTiming::constantRate(5, 60));
    QElapsedTimer clock;
    clock.start();
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 50; }));
    EXPECT_GE(clock.elapsed(), 800) << "never faster than its rate";
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
    m_playhead.setLoopMode(LoopMode::Once);
    m_playhead.step(1);
    EXPECT_EQ(m_playhead.frame(), 4);
}

TEST_F(PlayheadTest, KeepsItsPlaceInTimeWhenTheClipsChange) {
    m_playhead.setTiming(video::ClipTiming::constantRate(48, 24));
    m_playhead.seek(24);
    m_playhead.setLoopIn(12);
    m_playhead.setTiming(video::ClipTiming::constantRate(16, 8));
    EXPECT_EQ(m_playhead.frame(), 8) << "one second";
    EXPECT_EQ(m_playhead.loopIn(), 4) << "half a second";
    m_playhead.setTiming(video::ClipTiming::constantRate(2, 8));
    EXPECT_EQ(m_playhead.frame(), 1) << "the end of a shorter clip";
    m_playhead.play();
    m_playhead.setTiming({});
    EXPECT_FALSE(m_playhead.isPlaying());
    m_playhead.play();
    EXPECT_FALSE(m_playhead.isPlaying()) << "there is nothing to play";
}

TEST_F(PlayheadTest, PlaysBetweenItsLoopPoints) {
    m_playhead.setLoopIn(1);
    m_playhead.setLoopOut(3);
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 7; }));
    m_playhead.pause();
    m_shown.resize(7);
    EXPECT_THAT(m_shown, testing::ElementsAre(1, 2, 3, 1, 2, 3, 1)) << "from outside it goes to the in point";

    m_playhead.clearLoopPoints();
    EXPECT_EQ(m_playhead.loopIn(), 0);
    EXPECT_EQ(m_playhead.loopOut(), 4);
}

TEST_F(PlayheadTest, AnInPointBehindTheOutPointTakesThatAway) {
    m_playhead.setLoopOut(2);
    m_playhead.setLoopIn(3);
    EXPECT_EQ(m_playhead.loopIn(), 3);
    EXPECT_EQ(m_playhead.loopOut(), 4);
    m_playhead.setLoopOut(1);
    EXPECT_EQ(m_playhead.loopIn(), 0);
}

TEST_F(PlayheadTest, PlaysToAndFroWithoutShowingTheEndsTwice) {
    m_playhead.setLoopMode(LoopMode::PingPong);
    m_playhead.play();
    ASSERT_TRUE(QTest::qWaitFor([&] { return m_shown.size() >= 13; }));
    m_playhead.pause();
    m_shown.resize(13);
    EXPECT_THAT(m_shown, testing::ElementsAre(1, 2, 3, 4, 3, 2, 1, 0, 1, 2, 3, 4, 3));
}

TEST_F(PlayheadTest, ForeseesTheFramesThatItWillShow) {
    const auto foreseen = [&](int count) {
        std::vector<int> frames;
        for (int ticks = 1; ticks <= count; ++ticks) frames.push_back(m_playhead.frameAfter(ticks));
        return frames;
    };
    m_playhead.seek(3);
    EXPECT_THAT(foreseen(4), testing::ElementsAre(4, 0, 1, 2));
    m_playhead.setLoopMode(LoopMode::PingPong);
    EXPECT_THAT(foreseen(7), testing::ElementsAre(4, 3, 2, 1, 0, 1, 2));
    m_playhead.setLoopMode(LoopMode::Once);
    EXPECT_THAT(foreseen(2), testing::ElementsAre(4, 4));
    m_playhead.seek(4);
    EXPECT_EQ(m_playhead.frameAfter(1), -1) << "played once it ends there";
    m_playhead.setLoopMode(LoopMode::PingPong);
    m_playhead.setLoopIn(4);
    EXPECT_THAT(foreseen(2), testing::ElementsAre(4, 4)) << "a loop of one frame";
}

TEST_F(PlayheadTest, HoldsEachFrameOfAVariableRateForItsOwnTime) {
    m_playhead.setTiming(video::ClipTiming::variableRate({0, 0.02, 0.22, 0.24}, 12));
    EXPECT_DOUBLE_EQ(m_playhead.tickSeconds(), 0.02);
    m_playhead.seek(1);
    EXPECT_DOUBLE_EQ(m_playhead.tickSeconds(), 0.2);
    m_playhead.setSpeed(2);
    EXPECT_DOUBLE_EQ(m_playhead.tickSeconds(), 0.1);
}

TEST_F(PlayheadTest, SkipsFramesOnlyWhenAShuttleIsFasterThanTheScreen) {
    m_playhead.setTiming(video::ClipTiming::constantRate(100, 24));
    m_playhead.setSpeed(2);
    EXPECT_EQ(m_playhead.frameAfter(1), 1) << "48 pictures a second";
    m_playhead.setSpeed(8);
    EXPECT_EQ(m_playhead.frameAfter(1), 4) << "192 would be wanted";
    EXPECT_NEAR(m_playhead.tickSeconds(), 4 / 192.0, 1e-9);
}

TEST_F(PlayheadTest, ForeseesFurtherStepsInTheDirectionOfTheLast) {
    m_playhead.seek(3);
    m_playhead.step(-1);
    EXPECT_EQ(m_playhead.frameAfter(1), 1);
    m_playhead.step(1);
    EXPECT_EQ(m_playhead.frameAfter(1), 4);
    m_playhead.step(-1);
    m_playhead.toggle();
    EXPECT_EQ(m_playhead.direction(), 1) << "playing goes forwards all the same";
}

TEST_F(PlayheadTest, StepsBySeconds) {
    m_playhead.setTiming(video::ClipTiming::constantRate(60, 24));
    m_playhead.stepSeconds(1);
    EXPECT_EQ(m_playhead.frame(), 24);
    m_playhead.stepSeconds(1);
    m_playhead.stepSeconds(1);
    EXPECT_EQ(m_playhead.frame(), 12) << "around the end";
    m_playhead.setLoopMode(LoopMode::Once);
    m_playhead.stepSeconds(-1);
    EXPECT_EQ(m_playhead.frame(), 0);
}

}  // namespace
}  // namespace dailies::ui
