#include "ui/playback/frame_request_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace dailies::ui {
namespace {

constexpr QSize kQueueBox{64, 64};

class FrameRequestQueueTest : public testing::Test {
protected:
    std::optional<DecodeJob> take() {
        return m_queue.take([this](const std::string& file) { return m_busy.contains(file); });
    }
    bool shouldContinue(const DecodeJob& job, int frame) {
        return m_queue.shouldContinue(job, frame,
                                      [this](const std::string& file) { return m_busy.contains(file); });
    }

    FrameRequestQueue m_queue;
    std::set<std::string> m_busy;
};

TEST_F(FrameRequestQueueTest, GivesTheMostUrgentJobFirst) {
    m_queue.replace(
        {{"late", kQueueBox, {9}, 0.5}, {"now", kQueueBox, {1}, 0}, {"soon", kQueueBox, {4}, 0.1}});
    EXPECT_EQ(take()->file, "now");
    EXPECT_EQ(take()->file, "soon");
    EXPECT_EQ(take()->file, "late");
    EXPECT_FALSE(take());
}

TEST_F(FrameRequestQueueTest, PassesOverAClipThatIsBeingRead) {
    m_queue.replace({{"a", kQueueBox, {1}, 0}, {"b", kQueueBox, {1}, 0.1}});
    m_busy = {"a"};
    EXPECT_EQ(take()->file, "b");
    EXPECT_FALSE(take());
    m_busy = {};
    EXPECT_EQ(take()->file, "a");
}

TEST_F(FrameRequestQueueTest, ForgetsWhatIsNoLongerAskedFor) {
    m_queue.replace({{"a", kQueueBox, {1, 2, 3}, 0.1}});
    m_queue.replace({{"b", kQueueBox, {7}, 0.1}});
    EXPECT_EQ(take()->file, "b");
    EXPECT_FALSE(take());
}

TEST_F(FrameRequestQueueTest, DropsAFrameThatHasCome) {
    m_queue.replace({{"a", kQueueBox, {1, 2, 3}, 0.1}, {"b", kQueueBox, {2}, 0.2}});
    m_queue.drop({"a", 2, kQueueBox});
    m_queue.drop({"b", 2, kQueueBox});
    EXPECT_THAT(take()->frames, testing::ElementsAre(1, 3));
    EXPECT_FALSE(take()) << "a job without frames is none";
}

TEST_F(FrameRequestQueueTest, AJobGoesOnUntilItsFramesAreNotAskedForAnyMore) {
    m_queue.replace({{"a", kQueueBox, {1, 2, 3}, 0.1}});
    const DecodeJob job = *take();
    m_busy = {"a"};
    EXPECT_TRUE(shouldContinue(job, 2));
    m_queue.replace({{"a", kQueueBox, {3, 4}, 0.1}});
    EXPECT_FALSE(shouldContinue(job, 2)) << "the play head has jumped over it";
    EXPECT_TRUE(shouldContinue(job, 3));
}

TEST_F(FrameRequestQueueTest, EveryAskerReplacesItsOwnJobsOnly) {
    const int wall = 0, stage = 0;
    m_queue.replace({{"a", kQueueBox, {1, 2}, 0.1}}, &wall);
    m_queue.replace({{"b", kQueueBox, {1}, 0.2}}, &stage);
    const DecodeJob job = *take();
    EXPECT_EQ(job.file, "a");
    m_queue.replace({}, &stage);
    EXPECT_TRUE(shouldContinue(job, 2)) << "another one's clips left";
    EXPECT_FALSE(take());
    m_queue.replace({}, &wall);
    EXPECT_FALSE(shouldContinue(job, 2)) << "its own left";
}

TEST_F(FrameRequestQueueTest, AJobGivesWayToItsOwnClipsPictureUnderThePlayHead) {
    m_queue.replace({{"a", kQueueBox, {1, 2, 3}, 0.1}});
    const DecodeJob group = *take();
    m_busy = {"a"};
    m_queue.replace({{"a", kQueueBox, {9}, 0}, {"a", kQueueBox, {2, 3}, 0.1}});
    EXPECT_FALSE(shouldContinue(group, 2));
}

TEST_F(FrameRequestQueueTest, AJobGivesWayToAPictureUnderThePlayHead) {
    m_queue.replace({{"a", kQueueBox, {1, 2}, 0.1}});
    const DecodeJob ahead = *take();
    m_busy = {"a"};
    m_queue.replace({{"a", kQueueBox, {2}, 0.1}, {"b", kQueueBox, {5}, 0}});
    EXPECT_FALSE(shouldContinue(ahead, 2));
    m_busy = {"a", "b"};
    EXPECT_TRUE(shouldContinue(ahead, 2)) << "someone reads it already";
}

}  // namespace
}  // namespace dailies::ui
