#include "trainer/data/bucket_choice.h"

#include "core/base/error.h"

#include <gmock/gmock.h>

namespace dailies::trainer {
namespace {

std::vector<config::Bucket> buckets(std::vector<std::string> texts) {
    config::TrainConfig::Data data;
    data.buckets = std::move(texts);
    return config::bucketsOf(data);
}

/// "33x480x832@16 ×3", or the reason.
std::string chosen(const VideoInfo& video, const std::vector<std::string>& texts, std::int64_t stride = 1) {
    config::TrainConfig::Data data;
    data.frame_stride = stride;
    const auto all = buckets(texts);
    const auto choice = chooseBucket(video, all, data);
    if (const auto* reason = std::get_if<std::string>(&choice)) return *reason;
    const auto& found = std::get<ChosenBucket>(choice);
    return all[found.bucket].text() + " ×" + std::to_string(found.clips);
}

VideoInfo aVideo(double seconds, double fps, int width, int height) {
    return {static_cast<int>(seconds * fps) + 1, width, height, fps, seconds};
}

TEST(Buckets, AreReadAsTheyAreWritten) {
    EXPECT_EQ(buckets({"33x480x832@16", "1x256x256"}),
              (std::vector<config::Bucket>{{33, 480, 832, 16}, {1, 256, 256, 0}}));
    EXPECT_EQ(buckets({"8x32x32@23.976"})[0].text(), "8x32x32@23.976");
    for (const auto* wrong :
         {"", "8x32", "8x32x32x3", "8x32xa", "0x32x32", "8x32x32@", "8x32x32@0", "8x-1x32", "8x32x32@1e9"})
        EXPECT_THROW(buckets({wrong}), InputError) << wrong;
    EXPECT_THROW(buckets({"8x32x32", "8x32x32"}), InputError) << "twice";
}

TEST(BucketChoice, KeepsTheShapeOfTheVideo) {
    const std::vector<std::string> texts = {"16x256x256@8", "16x192x320@8", "16x320x192@8"};
    EXPECT_EQ(chosen(aVideo(2, 24, 1920, 1080), texts), "16x192x320@8 ×1");
    EXPECT_EQ(chosen(aVideo(2, 24, 1080, 1920), texts), "16x320x192@8 ×1");
    EXPECT_EQ(chosen(aVideo(2, 24, 1000, 1000), texts), "16x256x256@8 ×1");
}

TEST(BucketChoice, KeepsAsMuchOfTheLengthAsFitsAndThenTheMostPixels) {
    const std::vector<std::string> texts = {"8x64x64@8", "32x64x64@8", "32x128x128@8", "1x64x64"};
    EXPECT_EQ(chosen(aVideo(5, 24, 500, 500), texts), "32x128x128@8 ×1");
    EXPECT_EQ(chosen(aVideo(5, 24, 100, 100), texts), "32x64x64@8 ×1") << "128 would enlarge it";
    EXPECT_EQ(chosen(aVideo(3, 24, 500, 500), texts), "8x64x64@8 ×3");
    EXPECT_EQ(chosen({1, 500, 500, 0, 0}, texts), "1x64x64 ×1") << "a picture";
    EXPECT_EQ(chosen(aVideo(0.5, 24, 500, 500), texts), "1x64x64 ×1") << "a video too short for any other";
}

TEST(BucketChoice, CutsAVideoIntoAllItsClips) {
    EXPECT_EQ(chosen(aVideo(4, 24, 64, 64), {"8x64x64@8"}), "8x64x64@8 ×4") << "0, 1, 2, 3 s to 3.9 s";
    EXPECT_EQ(chosen({40, 64, 64, 24, 39.0 / 24}, {"8x64x64"}), "8x64x64 ×5");
    EXPECT_EQ(chosen({40, 64, 64, 24, 39.0 / 24}, {"8x64x64"}, 3), "8x64x64 ×1") << "22 frames, then 24 on";
    EXPECT_EQ(chosen({8, 64, 64, 24, 7.0 / 24}, {"8x64x64"}), "8x64x64 ×1");
}

TEST(BucketChoice, SaysWhyNoBucketTakesAVideo) {
    EXPECT_EQ(chosen({7, 64, 64, 24, 6.0 / 24}, {"8x64x64"}), "too short for every bucket");
    EXPECT_EQ(chosen(aVideo(0.5, 24, 64, 64), {"8x64x64@8"}), "too short for every bucket");
    EXPECT_EQ(chosen(aVideo(2, 24, 50, 64), {"8x64x64@8"}), "too small for every bucket");
    EXPECT_EQ(chosen(aVideo(2, 24, 60, 64), {"8x64x64@8"}), "8x64x64@8 ×2")
        << "enlarged by less than a tenth";
    EXPECT_EQ(chosen(aVideo(9, 5, 64, 64), {"8x64x64@8"}), "frame rate below the buckets'");
    EXPECT_EQ(chosen(aVideo(9, 23.976, 64, 64), {"8x64x64@24"}), "8x64x64@24 ×27");
}

}  // namespace
}  // namespace dailies::trainer
