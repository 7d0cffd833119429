#include "trainer/denoising/character.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/core/video/numbered_frames.h"
#include "tests/trainer/data/shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/types.h>

namespace dailies::trainer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::int64_t kFrames = 6;

/// Reads the reference picture and the pose video of a clip of six frames.
class ReadGuide : public testing::Test {
protected:
    ReadGuide() { config.data.height = config.data.width = 16; }

    std::string fileOf(const std::string& name, const std::string& bytes) {
        writeFileAtomically(folder.path() / name, bytes);
        return (folder.path() / name).string();
    }
    std::string picture(const std::string& filter) {
        const auto file = (folder.path() / "reference.png").string();
        video::runFfmpeg("-f lavfi -i " + filter + " -frames:v 1 " + file);
        return file;
    }
    CharacterGuide read(const GuideFiles& files) {
        CharacterGuide guide;
        readGuide(files, config, kFrames, guide);
        return guide;
    }
    std::string refusal(const GuideFiles& files) {
        try {
            read(files);
            return "";
        } catch (const InputError& error) {
            return error.full();
        }
    }

    TemporaryFolder folder;
    config::TrainConfig config;
};

TEST_F(ReadGuide, ScalesAndCropsToTheSizeOfTheClip) {
    // a grey square between black margins: squeezed into a square, the margins would stay
    const auto guide = read(
        {picture("color=gray:s=32x32,pad=96:32:32:0:black"), fileOf("poses.mp4", videoBytes(9, 64, 48))});
    ASSERT_EQ(guide.reference.rgb.size(), 16U * 16U * 3U);
    EXPECT_EQ(guide.reference.frames, 1);
    EXPECT_THAT(guide.reference.rgb, testing::Each(AllOf(testing::Gt(110), testing::Lt(146))));
    ASSERT_EQ(guide.poses.at(0).frames, kFrames) << "the first of a longer video";
    EXPECT_EQ(guide.poses[0].height, 16);
    EXPECT_EQ(guide.poses[0].width, 16);
    for (int frame = 0; frame < kFrames; ++frame)
        EXPECT_NEAR(frameNumber(*guide.poses[0].frame(frame)), frame, 0.6);
}

TEST_F(ReadGuide, KeepsWhatNoFileReplaces) {
    CharacterGuide guide;
    guide.reference = {1, 1, 1, {7, 8, 9}};
    readGuide({"", fileOf("poses.mp4", videoBytes(kFrames))}, config, kFrames, guide);
    EXPECT_THAT(guide.reference.rgb, testing::ElementsAre(7, 8, 9));
    EXPECT_EQ(guide.poses.at(0).frames, kFrames);
}

TEST_F(ReadGuide, ReadsOneDrawingOfEachTypeFromAFolder) {
    config.model.guidance_types = {"depth", "dwpose"};
    std::filesystem::create_directories(folder.path() / "motion/dwpose");
    writeFileAtomically(folder.path() / "motion/depth.mp4", videoBytes(9, 64, 48));
    for (int frame = 0; frame < 7; ++frame)
        video::runFfmpeg(
            "-f lavfi -i color=0x0000ff:s=32x32 -frames:v 1 " +
            (folder.path() / "motion/dwpose" / ("000" + std::to_string(frame) + ".png")).string());
    const auto guide = read({"", (folder.path() / "motion").string()});
    ASSERT_EQ(guide.poses.size(), 2U);
    EXPECT_NEAR(frameNumber(*guide.poses[0].frame(3)), 3, 0.6);
    EXPECT_EQ(guide.poses[1].frames, kFrames);
    EXPECT_GT(guide.poses[1].rgb[2], 250) << "blue pictures";
    CharacterGuide whole = guide;
    whole.reference = {1, 16, 16, std::vector<std::uint8_t>(16 * 16 * 3)};
    EXPECT_EQ(stacked({characterOf(whole, /*dropped=*/false)}, {}, at::kCPU).poses.sizes(),
              at::IntArrayRef({1, kFrames, 16, 16, 6}));
    std::filesystem::remove(folder.path() / "motion/depth.mp4");
    EXPECT_THAT(refusal({"", (folder.path() / "motion").string()}),
                AllOf(HasSubstr("sampling.pose_files: "), HasSubstr("motion/depth")));
}

TEST_F(ReadGuide, RefusesShortAndDamagedFilesByName) {
    EXPECT_THAT(
        refusal({"", fileOf("short.mp4", videoBytes(4))}),
        AllOf(HasSubstr("sampling.pose_files: "), HasSubstr("short.mp4 has 4 frames, and the clip 6."),
              HasSubstr("Name a longer video, or ask for a shorter clip.")));
    const auto whole = videoBytes(12);
    EXPECT_THAT(refusal({"", fileOf("cut.mp4", whole.substr(0, whole.size() / 3))}),
                AllOf(HasSubstr("sampling.pose_files"), HasSubstr("cut.mp4")));
    EXPECT_THAT(refusal({(folder.path() / "gone.png").string(), ""}),
                AllOf(HasSubstr("sampling.reference_files"), HasSubstr("gone.png")));
    EXPECT_THAT(refusal({fileOf("words.png", "no picture at all"), ""}), HasSubstr("words.png"));
}

TEST(CharacterOf, KeepsThePosesButNotTheReferenceWhenDropped) {
    CharacterGuide guide;
    guide.reference = {1, 1, 2, {0, 51, 102, 153, 204, 255}};
    guide.poses = {{1, 1, 1, {255, 0, 51}}};
    const auto both =
        stacked({characterOf(guide, /*dropped=*/false), characterOf(guide, /*dropped=*/true)}, {}, at::kCPU);
    ASSERT_EQ(both.reference.sizes(), at::IntArrayRef({2, 1, 2, 4}));
    EXPECT_TRUE(at::equal(both.reference[0].select(-1, 0), at::ones({1, 2})));
    EXPECT_EQ(both.reference[1].count_nonzero().item<std::int64_t>(), 0);
    EXPECT_TRUE(at::equal(both.poses[0], both.poses[1]));
    EXPECT_TRUE(at::allclose(both.poses[0].flatten(), at::tensor({1.0F, 0.0F, 0.2F})));
    EXPECT_TRUE(at::equal(withoutReference(both).reference[0], both.reference[1]))
        << "guidance compares with what training drops";
}

TEST(Character, IsReadFromTheLatentsAndTheEmbeddingThatItsGuideHas) {
    CharacterGuide guide;
    guide.reference = {1, 2, 2, std::vector<std::uint8_t>(12, 9)};
    guide.poses = {{1, 1, 1, {255, 0, 51}}};
    guide.latents = floatArray({1, 1, 1, 2}, {3, -1});
    guide.embedding = floatArray({1, 3}, {1, 2, 3});
    const ValueScale scale{{1, 1}, {2, 4}};
    const auto both = stacked({characterOf(guide, /*dropped=*/false), characterOf(guide, /*dropped=*/true)},
                              scale, at::kCPU);
    EXPECT_TRUE(at::allclose(both.reference[0].flatten(), at::tensor({1.0F, 1.0F, -0.5F})));
    EXPECT_EQ(both.reference[1].count_nonzero().item<std::int64_t>(), 0);
    ASSERT_EQ(both.embedding.sizes(), at::IntArrayRef({2, 1, 3}));
    EXPECT_TRUE(at::equal(both.embedding[0].flatten(), at::tensor({1.0F, 2.0F, 3.0F})));
    EXPECT_EQ(both.embedding[1].count_nonzero().item<std::int64_t>(), 0) << "as guidance compares with";
    EXPECT_TRUE(at::equal(withoutReference(both).embedding[0], both.embedding[1]));
    EXPECT_EQ(joined(both, both).embedding.size(0), 4);
    EXPECT_EQ(eachTensor(both, [](const at::Tensor& x) { return x + 1; }).embedding[1].sum().item<double>(),
              3);
}

}  // namespace
}  // namespace dailies::trainer
