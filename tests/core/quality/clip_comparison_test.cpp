#include "core/quality/clip_comparison.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/core/quality/painted_picture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dailies::quality {
namespace {

class ClipComparisonTest : public testing::Test {
protected:
    /// A flat clip of these levels of grey; H.264 keeps those within a level.
    std::filesystem::path clip(const std::string& name, const std::vector<int>& levels, double fps = 8) {
        std::vector<video::Frame> frames;
        for (const int level : levels)
            frames.push_back(frameOf(painted(32, 32, [=](int, int) { return grey(level); })));
        return video::writeClip(m_folder.path() / name, frames, {.fps = fps, .crf = 1});
    }

    TemporaryFolder m_folder{"comparison"};
};

TEST_F(ClipComparisonTest, MeasuresEveryFrameThatBothHave) {
    const auto a = clip("a.mp4", {100, 100, 100, 100, 100});
    const auto b = clip("b.mp4", {100, 120, 100, 140});
    std::vector<FrameComparison> frames;
    int calls = 0;
    compareClips({a}, {b}, 2, [&](const auto& known) {
        frames = known;
        ++calls;
    });
    ASSERT_EQ(frames.size(), 4u);
    EXPECT_EQ(calls, 2) << "as it goes";
    EXPECT_GT(frames[0].psnr, 45);
    EXPECT_NEAR(frames[1].psnr, 20 * std::log10(255 / 20.0), 0.8);
    EXPECT_GT(frames[0].ssim, 0.99);
    EXPECT_LT(frames[3].ssim, 0.97);
    EXPECT_TRUE(std::isnan(frames[0].motion)) << "nothing comes before it";
    EXPECT_NEAR(frames[1].motion, 20, 1.5);
    EXPECT_NEAR(frames[1].referenceMotion, 0, 1);
    EXPECT_NEAR(frames[1].flicker, 20, 1.5);
    EXPECT_NEAR(frames[1].referenceFlicker, 0, 1);
    EXPECT_TRUE(std::isnan(frames[3].flicker)) << "nothing comes after it";
}

TEST_F(ClipComparisonTest, PairsWhatIsShownAtTheSameTimeWhereRatesDiffer) {
    const auto slow = clip("a.mp4", {100, 150, 200}, 8),
               fast = clip("b.mp4", {100, 100, 150, 150, 200, 200}, 16);
    std::vector<FrameComparison> ticks;
    compareClips({slow}, {fast}, 8, [&](const auto& known) { ticks = known; });
    ASSERT_EQ(ticks.size(), 6u) << "the faster one's frames";
    for (const FrameComparison& tick : ticks) EXPECT_GT(tick.psnr, 45);
    EXPECT_TRUE(std::isnan(ticks[1].referenceMotion));
    EXPECT_NEAR(ticks[2].referenceMotion, 50, 2);
    EXPECT_NEAR(ticks[3].referenceMotion, 50, 2) << "of the slow clip's own frame, while it is shown";
    EXPECT_NEAR(ticks[3].motion, 0, 1);
}

TEST_F(ClipComparisonTest, RespectsTheFramesByWhichAClipIsShifted) {
    const auto a = clip("a.mp4", {100, 110, 120, 130}), b = clip("b.mp4", {90, 100, 110, 120});
    std::vector<FrameComparison> ticks;
    const auto take = [&](const auto& known) { ticks = known; };
    compareClips({a}, {b, 1}, 8, take);
    ASSERT_EQ(ticks.size(), 3u) << "until the shifted one has ended";
    for (const FrameComparison& tick : ticks) EXPECT_GT(tick.psnr, 45);
    compareClips({b}, {a, -1}, 8, take);
    ASSERT_EQ(ticks.size(), 4u);
    EXPECT_TRUE(std::isnan(ticks[0].psnr)) << "it has not begun";
    EXPECT_GT(ticks[1].psnr, 45);
}

TEST_F(ClipComparisonTest, SaysWhichFileCannotBeRead) {
    const auto a = clip("a.mp4", {100});
    EXPECT_THROW(compareClips({a}, {m_folder.path() / "none.mp4"}, 8, [](const auto&) {}), Error);
}

TEST_F(ClipComparisonTest, StopsWhenAsked) {
    const auto a = clip("a.mp4", {100, 110});
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(compareClips(
                     {a}, {a}, 1, [](const auto&) { FAIL(); }, stop.get_token()),
                 Cancelled);
}

}  // namespace
}  // namespace dailies::quality
