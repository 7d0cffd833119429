#include "core/video/clip_timing.h"

#include "core/base/files.h"
#include "core/video/clip_file.h"
#include "tests/core/video/numbered_frames.h"

#include <gtest/gtest.h>

namespace dailies::video {
namespace {

TEST(ClipTiming, ShowsTheFrameWhoseIntervalHoldsTheTime) {
    const ClipTiming clip = ClipTiming::constantRate(24, 24);
    EXPECT_EQ(clip.frameAt(0), 0);
    EXPECT_EQ(clip.frameAt(0.04), 0);
    EXPECT_EQ(clip.frameAt(0.0417), 1);
    EXPECT_EQ(clip.frameAt(0.999), 23);
    EXPECT_EQ(clip.frameAt(-5), 0) << "before its beginning";
    EXPECT_EQ(clip.frameAt(5), 23) << "after its end";
    EXPECT_DOUBLE_EQ(clip.duration(), 1);
}

TEST(ClipTiming, FramesOfEveryRateComeBackFromTheirOwnTimes) {
    for (const double fps : {1.0, 8.0, 23.976, 24.0, 29.97, 60.0, 240.0}) {
        const ClipTiming clip = ClipTiming::constantRate(5000, fps);
        for (int n = 0; n < 5000; ++n) ASSERT_EQ(clip.frameAt(clip.secondsOf(n)), n) << fps;
    }
}

TEST(ClipTiming, HoldsEachFrameOfAVariableRateAsLongAsItsFileSays) {
    const ClipTiming clip = ClipTiming::variableRate({0, 0.1, 0.5, 0.6}, 5);
    EXPECT_EQ(clip.frameAt(0.05), 0);
    EXPECT_EQ(clip.frameAt(0.3), 1);
    EXPECT_EQ(clip.frameAt(0.55), 2);
    EXPECT_EQ(clip.frameAt(9), 3);
    EXPECT_DOUBLE_EQ(clip.duration(), 0.8) << "the last frame stays for the average interval";
}

TEST(ClipTiming, GoesOnAtItsAverageRateWhenItIsExtended) {
    const ClipTiming clip = ClipTiming::variableRate({0, 0.1, 0.5, 0.6}, 5).extendedTo(1.4);
    EXPECT_EQ(clip.frames(), 7);
    EXPECT_DOUBLE_EQ(clip.secondsOf(5), 1.0);
    EXPECT_EQ(clip.frameAt(1.25), 6);
    EXPECT_EQ(ClipTiming::constantRate(24, 24).extendedTo(0.5).frames(), 24) << "never shorter";
    EXPECT_EQ(ClipTiming::constantRate(24, 24).extendedTo(1.0000001).frames(), 24)
        << "rounding adds no frame";
    EXPECT_EQ(ClipTiming().extendedTo(3).frames(), 0);
}

TEST(ClipTiming, ReadsRoundedTimesAsSteadyAndVariableOnesAsTheyAre) {
    const TemporaryFolder folder;
    const auto rounded = folder.path() / "a.mkv", slowing = folder.path() / "b.mp4";
    makeWithFfmpeg(rounded, numberedFrames(30), "-c:v libx264");
    const ClipTiming steady = timingOf(ClipReader(rounded));
    EXPECT_TRUE(steady.isConstantRate()) << "Matroska rounds 41.67 ms to 42";
    EXPECT_EQ(steady.frames(), 30);

    makeWithFfmpeg(slowing, numberedFrames(30), "-c:v libx264 -fps_mode vfr -vf setpts='(N*N/60+N)/24/TB'");
    const ClipTiming varying = timingOf(ClipReader(slowing));
    EXPECT_FALSE(varying.isConstantRate());
    for (int n = 0; n < varying.frames(); ++n) EXPECT_EQ(varying.frameAt(varying.secondsOf(n)), n);
}

}  // namespace
}  // namespace dailies::video
