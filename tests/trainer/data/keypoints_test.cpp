#include "trainer/data/keypoints.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/video/clip_file.h"
#include "trainer/data/drawn_poses.h"
#include "trainer/data/video_folder.h"

#include <gmock/gmock.h>

#include <array>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

using Colour = std::array<int, 3>;

/// The points of a body that has neck and right shoulder alone, on a line at a quarter of the height.
std::vector<double> shoulder(double width, double height, double confidence = 1, std::size_t points = 18) {
    std::vector<double> numbers(points * 3);
    const auto put = [&](std::size_t point, double x, double y) {
        numbers[3 * point] = x * width;
        numbers[3 * point + 1] = y * height;
        numbers[3 * point + 2] = confidence;
    };
    put(kNeck, 0.5, 0.25);
    put(kRightShoulder, 0.25, 0.25);
    return numbers;
}

/// A hand in the box from 0.6 to 0.8 of the sides, below the middle.
std::vector<double> hand(double width, double height, double confidence) {
    std::vector<double> numbers;
    for (int i = 0; i < 21; ++i)
        for (const double number :
             {width * (0.6 + 0.2 * (i % 5) / 4.0), height * (0.6 + 0.2 * (i / 5) / 4.0), confidence})
            numbers.push_back(number);
    return numbers;
}

Json frameOf(const std::vector<Json>& people, int width = 0, int height = 0) {
    Json frame{{"people", people}};
    if (width > 0) frame.update({{"canvas_width", width}, {"canvas_height", height}});
    return frame;
}

class KeypointFiles : public testing::Test {
protected:
    fs::path write(const std::string& name, const Json& json) const {
        const auto file = folder.path() / name;
        fs::create_directories(file.parent_path());
        writeFileAtomically(file, json.dump());
        return file;
    }
    static Colour at(const RgbClip& clip, int frame, int x, int y) {
        const auto* pixel = clip.frame(frame) + (y * clip.width + x) * 3;
        return {pixel[0], pixel[1], pixel[2]};
    }
    /// In small frames the edge is nowhere far.
    static bool isLimb(const Colour& colour) {
        return colour[0] > 145 && colour[0] <= 153 && colour[1] == 0 && colour[2] == 0;
    }
    std::string refusal(const fs::path& file) const {
        try {
            DrawnPoses poses(file);
        } catch (const Error& error) {
            return error.full();
        }
        return "";
    }

    const TemporaryFolder folder;
    const Colour kBlack{0, 0, 0}, kLimb{153, 0, 0};
};

TEST_F(KeypointFiles, AreDrawnAsDWPoseDrawsThem) {
    const Json person{{"pose_keypoints_2d", shoulder(512, 256)}};
    const auto file = write("a.json", {frameOf({person}, 512, 256), frameOf({}, 512, 256)});
    DrawnPoses poses(file);
    EXPECT_EQ(poses.frames(), 2);
    const auto clip = poses.clip({0, 1}, 256, 512);
    EXPECT_EQ(at(clip, 0, 192, 64), kLimb) << "the limb, 0.6 times red";
    EXPECT_EQ(at(clip, 0, 256, 64), (Colour{255, 85, 0})) << "the neck";
    EXPECT_EQ(at(clip, 1, 192, 64), kBlack) << "nobody is in that frame";
    const auto square = poses.clip({0}, 256, 256);
    EXPECT_EQ(at(square, 0, 64, 64), kLimb) << "as a video would be cropped: in the middle";
}

TEST_F(KeypointFiles, OfOpenPoseAreAFileAFrameInTheOrderOfTheirNames) {
    for (int i : {2, 0, 1})
        write("run/run_00" + std::to_string(i) + "_keypoints.json",
              frameOf({{{"pose_keypoints_2d", shoulder(i == 1 ? 64 : 32, 64, 0.9, 25)}}}));
    DrawnPoses poses(folder.path() / "run", {}, 64, 64);
    ASSERT_EQ(poses.frames(), 3);
    const auto clip = poses.clip({0, 1, 2}, 64, 64);
    EXPECT_TRUE(isLimb(at(clip, 1, 24, 16)));
    EXPECT_EQ(at(clip, 0, 24, 16), kBlack) << "there the shoulder is further to the left";
    EXPECT_TRUE(isLimb(at(clip, 0, 12, 16)));
}

TEST_F(KeypointFiles, FadeWithTheirConfidenceAsMimicMotionDrawsThem) {
    const auto unsure = write("unsure.json", frameOf({{{"pose_keypoints_2d", shoulder(1, 1, 0.5)}}}));
    EXPECT_EQ(at(DrawnPoses(unsure, {.fades = true}).clip({0}, 256, 256), 0, 96, 64), (Colour{38, 0, 0}))
        << "0.6 times red, by half and half";
    EXPECT_EQ(at(DrawnPoses(unsure).clip({0}, 256, 256), 0, 96, 64), kLimb);
    const auto least = write("least.json", {frameOf({{{"pose_keypoints_2d", shoulder(1, 1, 0.29)}}}),
                                            frameOf({{{"pose_keypoints_2d", shoulder(1, 1, 0.3)}}})});
    EXPECT_EQ(at(DrawnPoses(least).clip({0, 1}, 256, 256), 0, 96, 64), kBlack);
    EXPECT_EQ(at(DrawnPoses(least).clip({0, 1}, 256, 256), 1, 96, 64), kLimb);
}

TEST_F(KeypointFiles, DrawHandsAndFacesAndTellWhereHandsAreSure) {
    Json person{{"pose_keypoints_2d", shoulder(1, 1)},
                {"hand_right_keypoints_2d", hand(1, 1, 0.9)},
                {"hand_left_keypoints_2d", nullptr},
                {"face_keypoints_2d", {0.5, 0.125, 1.0}}};
    const auto sure = write("sure.json", frameOf({person}));
    person["hand_right_keypoints_2d"] = hand(1, 1, 0.4);
    const auto unsure = write("unsure.json", frameOf({person}));
    const auto clip = DrawnPoses(sure).clip({0}, 256, 256);
    EXPECT_EQ(at(clip, 0, 128, 32), (Colour{255, 255, 255})) << "the face";
    EXPECT_EQ(at(clip, 0, 154, 154), (Colour{0, 0, 255})) << "the wrist";
    const auto mask = DrawnPoses(sure).sureHands({0}, 256, 256).value();
    EXPECT_EQ(at(mask, 0, 180, 180), (Colour{255, 255, 255}));
    EXPECT_EQ(at(mask, 0, 128, 64), kBlack);
    EXPECT_EQ(at(DrawnPoses(unsure).sureHands({0}, 256, 256).value(), 0, 180, 180), kBlack);
}

TEST_F(KeypointFiles, OfSeveralPeopleTheLargestIsDrawnAndThatIsSaid) {
    std::vector<double> small = shoulder(1, 1);
    for (std::size_t i = 1; i < small.size(); i += 3)
        if (small[i] > 0) small[i] = 0.75;
    std::vector<double> large = shoulder(1, 1);
    large[3 * kRightElbow] = 0.25, large[3 * kRightElbow + 1] = 0.7, large[3 * kRightElbow + 2] = 1;
    const auto file =
        write("two.json", frameOf({{{"pose_keypoints_2d", small}}, {{"pose_keypoints_2d", large}}}));
    DrawnPoses poses(file);
    EXPECT_THAT(poses.note(), HasSubstr("1 frame has several people; the largest of them is drawn"));
    const auto clip = poses.clip({0}, 256, 256);
    EXPECT_EQ(at(clip, 0, 96, 64), kLimb);
    EXPECT_EQ(at(clip, 0, 96, 192), kBlack);
}

TEST_F(KeypointFiles, ThatAreNoneAreRefusedByName) {
    EXPECT_THAT(refusal(write("a.json", {{"hands", 2}})),
                AllOf(HasSubstr("a.json"), HasSubstr("list of people")));
    EXPECT_THAT(refusal(write("b.json", frameOf({{{"pose_keypoints_2d", {1, 2}}}}))),
                HasSubstr("its pose_keypoints_2d are not three numbers a point"));
    EXPECT_THAT(refusal(write("c.json", frameOf({{{"pose_keypoints_2d", {1, 2, 1}}}}))),
                HasSubstr("a body has 1 points, expected 18 or 25"));
    EXPECT_THAT(refusal(write("d.json", {frameOf({}), frameOf({})})),
                HasSubstr("there is nobody in any of its 2 frames"));
    EXPECT_THAT(refusal(write("e.json", frameOf({{{"pose_keypoints_2d", shoulder(64, 64)}}}))),
                HasSubstr("its points are pixels, but nothing says of which size"));
    writeFileAtomically(folder.path() / "f.json", "{\"people\": [");
    EXPECT_THAT(refusal(folder.path() / "f.json"), HasSubstr("f.json"));
}

TEST_F(KeypointFiles, BesideVideosAreTheirPosesAndMasks) {
    config::TrainConfig::Data data;
    data.source = "folder";
    data.folder = (folder.path() / "dance").string();
    data.poses = (folder.path() / "poses").string();
    data.loss_masks = "hands";
    data.frames = 4;
    data.height = data.width = 64;
    const std::vector<std::uint8_t> grey(std::size_t{3} * 64 * 64, 99);
    fs::create_directories(data.folder);
    for (const char* name : {"a.mp4", "b.mp4", "c.mp4"})
        video::writeClip(fs::path(data.folder) / name, std::vector<video::Frame>(4, {64, 64, grey}), {});
    const Json person{{"pose_keypoints_2d", shoulder(64, 64)}, {"hand_left_keypoints_2d", hand(64, 64, 1)}};
    write("poses/a.json",
          Json::array({frameOf({person}), frameOf({person}), frameOf({person}), frameOf({})}));
    write("poses/b.json", Json::array({frameOf({person}), frameOf({person})}));
    write("poses/c.json", Json::array({frameOf({}), frameOf({}), frameOf({}), frameOf({})}));
    VideoFolder videos(data, VideoFolder::kCacheBytes, {}, {.fades = true});
    ASSERT_EQ(videos.size(), 1);
    const auto guide = videos.example(0).guide.value();
    EXPECT_TRUE(isLimb(at(guide.poses.at(0), 0, 24, 16)));
    EXPECT_EQ(at(guide.poses.at(0), 3, 24, 16), kBlack);
    EXPECT_EQ(at(guide.lossMask, 0, 44, 44), (Colour{255, 255, 255}));
    EXPECT_EQ(at(guide.lossMask, 3, 44, 44), kBlack);
    const auto problems = videos.takeProblems();
    EXPECT_THAT(problems, testing::UnorderedElementsAre(
                              AllOf(HasSubstr("b.json: has 2 frames of poses"), HasSubstr("b.mp4 has 4")),
                              HasSubstr("c.json: there is nobody in any of its 4 frames")));
}

}  // namespace
}  // namespace dailies::trainer
