#include "trainer/data/posed_video.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "tests/core/video/numbered_frames.h"
#include "trainer/data/video_folder.h"

#include <gmock/gmock.h>

#include <set>

namespace dailies::trainer {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Frames whose brightness tells their number.
void writeCounted(const fs::path& file, int frames, int width = 32, int height = 32, int step = 2) {
    std::vector<video::Frame> pictures;
    for (int t = 0; t < frames; ++t)
        pictures.push_back({width, height,
                            std::vector<std::uint8_t>(static_cast<std::size_t>(width * height * 3),
                                                      static_cast<std::uint8_t>(20 + step * t))});
    fs::create_directories(file.parent_path());
    video::writeClip(file, pictures, {.crf = 1});
}

/// Which frame it is.
double numberOf(const std::uint8_t* frame, int step = 2) {
    return (*frame - 20.0) / step;
}

class PosedFolder : public testing::Test {
protected:
    PosedFolder() {
        data.source = "folder";
        data.folder = (folder.path() / "dance").string();
        data.poses = (folder.path() / "dance_dwpose").string();
        data.frames = 4;
        data.height = data.width = 16;
    }
    void write(const std::string& name, int frames) const { write(name, frames, frames); }
    void write(const std::string& name, int frames, int poses, int poseWidth = 32) const {
        writeCounted(fs::path(data.folder) / name, frames);
        writeCounted(fs::path(data.poses) / name, poses, poseWidth);
    }
    std::string refusal() const {
        try {
            VideoFolder videos(data);
        } catch (const InputError& error) {
            return error.full();
        }
        return "";
    }

    TemporaryFolder folder;
    config::TrainConfig::Data data;
};

TEST_F(PosedFolder, GivesEachClipThePosesOfItsFramesAndAnotherFrameAsReference) {
    write("deep/a.mp4", 80);
    for (const std::int64_t cacheBytes : {std::int64_t{0}, VideoFolder::kCacheBytes}) {
        VideoFolder videos(data, cacheBytes);
        EXPECT_TRUE(videos.hasPoses());
        ASSERT_EQ(videos.size(), 20);
        std::set<int> references;
        for (const std::int64_t clip : {0, 7, 19}) {
            const auto example = videos.example(clip);
            ASSERT_TRUE(example.guide);
            ASSERT_EQ(example.guide->poses.at(0).frames, 4);
            EXPECT_EQ(example.guide->poses.at(0).height, 16);
            for (int t = 0; t < 4; ++t)
                EXPECT_NEAR(numberOf(example.guide->poses.at(0).frame(t)), numberOf(example.clip.frame(t)),
                            1);
            const auto reference = numberOf(example.guide->reference.frame(0));
            const auto first = static_cast<double>(clip * 4);
            EXPECT_TRUE(reference < first - 28 || reference > first + 3 + 28) << reference;
            references.insert(static_cast<int>(reference));
            EXPECT_EQ(videos.example(clip).guide->reference.rgb, example.guide->reference.rgb);
            EXPECT_EQ(videos.withoutPixels(clip).guide->poses.at(0).rgb, example.guide->poses.at(0).rgb)
                << "whose latents are known";
        }
        EXPECT_EQ(references.size(), 3U);
    }
}

TEST_F(PosedFolder, AnimatesAClipOfTheCaptionLongerWhereItsVideoGoesOn) {
    write("anna.mp4", 12);
    const VideoFolder videos(data);
    const auto guide = videos.guideOf("anna", 2, 6);
    ASSERT_TRUE(guide);
    ASSERT_EQ(guide->poses.at(0).frames, 6);
    EXPECT_NEAR(numberOf(guide->poses.at(0).frame(0)), 6, 1) << "the third clip, a little earlier";
    EXPECT_EQ(videos.guideOf("anna", 2, 6)->reference.rgb, guide->reference.rgb);
    EXPECT_FALSE(videos.guideOf("anna", 1, 13)) << "longer than the video";
    EXPECT_FALSE(videos.guideOf("bob", 1, 4));
}

TEST_F(PosedFolder, LeavesOutVideosWhosePosesDoNotFitAndNamesThem) {
    write("good.mp4", 8);
    write("short.mp4", 8, 7);
    write("wide.mp4", 8, 8, 64);
    writeCounted(fs::path(data.folder) / "lonely.mp4", 8);
    VideoFolder videos(data);
    EXPECT_EQ(videos.size(), 2);
    EXPECT_EQ(videos.facts().used, 1);
    EXPECT_THAT(videos.takeProblems(),
                testing::UnorderedElementsAre(
                    AllOf(HasSubstr("dance_dwpose/short.mp4: has 7 frames of poses"), HasSubstr("has 8")),
                    AllOf(HasSubstr("dance_dwpose/wide.mp4: is 64 × 32 pixels"), HasSubstr("is 32 × 32")),
                    HasSubstr("dance_dwpose/lonely.mp4")));
}

TEST_F(PosedFolder, IsRefusedWithoutTheFolderOfPoses) {
    writeCounted(fs::path(data.folder) / "a.mp4", 8);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("data.poses: "), HasSubstr("is no folder")));
    fs::create_directories(data.poses);
    EXPECT_THAT(refusal(), AllOf(HasSubstr("no usable video"), HasSubstr("dance_dwpose/a.mp4")));
}

TEST_F(PosedFolder, TakesPosesThatWereWrittenAsMp4AndInAnotherSize) {
    writeCounted(fs::path(data.folder) / "a.mov", 8);
    writeCounted(fs::path(data.poses) / "a.mp4", 8, 64, 64);
    VideoFolder videos(data);
    EXPECT_EQ(videos.size(), 2);
    EXPECT_EQ(videos.example(0).guide->poses.at(0).width, 16);
}

TEST_F(PosedFolder, ReadsTheListsOfAnimateAnyone) {
    write("a.mp4", 8);
    write("b.mp4", 8);
    const auto list = folder.path() / "dance_meta.json";
    writeFileAtomically(list,
                        Json{{{"video_path", "dance/b.mp4"}, {"kps_path", data.poses + "/b.mp4"}},
                             {{"video_path", data.folder + "/a.mp4"}, {"kps_path", "dance_dwpose/a.mp4"}},
                             {{"video_path", "dance/gone.mp4"}, {"kps_path", "dance_dwpose/a.mp4"}},
                             {{"video_path", "dance/a.mp4"}}}
                            .dump());
    data.folder = list.string();
    data.poses.clear();
    VideoFolder videos(data);
    EXPECT_THAT(videos.parts(), ElementsAre("dance/b.mp4 2", "dance/a.mp4 2"));
    EXPECT_EQ(videos.example(0).guide->poses.at(0).frames, 4);
    EXPECT_THAT(videos.takeProblems(),
                testing::UnorderedElementsAre(HasSubstr("gone.mp4"),
                                              HasSubstr("a.mp4: the list names no poses of it")));
    for (const auto& [text, message] : {std::pair{"{}", "is no JSON list"},
                                        {R"([{"kps_path": "a.mp4"}])", "has no video_path in entry 1"},
                                        {R"([{"video_path": 7}])", "has no text as video_path of entry 1"},
                                        {"[", "dance_meta.json"}}) {
        writeFileAtomically(list, text);
        EXPECT_THAT(refusal(), AllOf(HasSubstr("data.folder: "), HasSubstr(message)));
    }
}

/// Videos as Champ keeps them: a folder of pictures for each, and one for each kind of drawing.
class ChampFolder : public PosedFolder {
protected:
    void writePerson(const std::string& name, const std::vector<std::string>& kinds, int frames = 8) const {
        for (const auto& kind : kinds) {
            const auto pictures = fs::path(data.folder) / name / kind;
            fs::create_directories(pictures);
            video::runFfmpeg("-f lavfi -i color=black:s=32x32,format=gray,geq=lum='20+2*N' -frames:v " +
                             std::to_string(frames) + " -start_number 0 '" +
                             (pictures / "%04d.png").string() + "'");
        }
    }
    const std::vector<std::string> types = {"depth", "dwpose"};
};

TEST_F(ChampFolder, GivesEachClipTheDrawingsOfEveryType) {
    writePerson("anna", {"images", "depth", "dwpose", "mask"});
    writePerson("bob [2]", {"images", "depth", "dwpose"});
    writeFileAtomically(fs::path(data.folder) / "anna.txt", "a woman who dances");
    writePerson("half", {"images", "dwpose"});
    writePerson("pictures", {"images"});  // of no video
    data.poses.clear();
    VideoFolder videos(data, VideoFolder::kCacheBytes, types);
    EXPECT_THAT(videos.captions(), ElementsAre("a woman who dances", "bob [2]"));
    ASSERT_EQ(videos.size(), 4);
    const auto second = videos.example(1);
    EXPECT_NEAR(numberOf(second.clip.frame(0)), 4, 1);
    ASSERT_EQ(second.guide->poses.size(), 2U);
    for (const auto& drawing : second.guide->poses)
        for (int t = 0; t < 4; ++t) EXPECT_NEAR(numberOf(drawing.frame(t)), 4 + t, 1);
    EXPECT_THAT(videos.takeProblems(), ElementsAre(HasSubstr("half/depth")));
}

TEST_F(ChampFolder, TakesVideosWithAFolderForEachType) {
    writeCounted(fs::path(data.folder) / "a.mp4", 8);
    for (const auto& type : types) writeCounted(fs::path(data.poses) / type / "a.mp4", 8);
    VideoFolder videos(data, VideoFolder::kCacheBytes, types);
    ASSERT_EQ(videos.size(), 2);
    EXPECT_EQ(videos.example(1).guide->poses.size(), 2U);
    const auto list = folder.path() / "meta.json";
    writeFileAtomically(list,
                        Json{{{"video_path", "dance/a.mp4"},
                              {"kps_path", data.poses + "/dwpose/a.mp4"},
                              {"depth_path", data.poses + "/depth/a.mp4"}},
                             {{"video_path", "dance/a.mp4"}, {"kps_path", data.poses + "/dwpose/a.mp4"}}}
                            .dump());
    data.folder = list.string();
    data.poses.clear();
    VideoFolder listed(data, VideoFolder::kCacheBytes, types);
    EXPECT_EQ(listed.size(), 2);
    EXPECT_THAT(listed.takeProblems(), ElementsAre(HasSubstr("names not all drawings of its poses")));
}

TEST(ReferenceFrame, LiesAwayFromTheClipWhereTheVideoIsLongEnough) {
    for (std::uint64_t key = 0; key < 200; ++key) {
        const auto far = referenceFrame(100, 40, 43, key);
        EXPECT_TRUE((far >= 0 && far <= 10) || (far >= 73 && far < 100)) << far;
        const auto near = referenceFrame(10, 4, 7, key);
        EXPECT_TRUE((near >= 0 && near < 4) || (near > 7 && near < 10)) << near;
        const auto within = referenceFrame(4, 0, 3, key);
        EXPECT_TRUE(within >= 0 && within < 4) << within;
    }
}

}  // namespace
}  // namespace dailies::trainer
