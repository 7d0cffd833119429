#include "core/video/clip_file.h"
#include "tests/app/command_line_fixture.h"
#include "tests/core/video/numbered_frames.h"

#include <gmock/gmock.h>

// `clips`: folders of videos become runs.

namespace {

using namespace dailies;
namespace fs = std::filesystem;
using testing::HasSubstr;

class ClipsCommand : public test::CommandLine {
protected:
    void film(const std::string& name) {
        const fs::path file = place(name);
        fs::create_directories(file.parent_path());
        video::writeClip(file, video::numberedFrames(4, 32, 16), {.fps = 8});
    }
};

TEST_F(ClipsCommand, MakesColumnsOfFoldersAndASheetShowsThem) {
    film("out/wan/a cat-0.mp4");
    film("out/ltx/a cat-0.mp4");
    film("out/ltx/a dog-0.mp4");
    const Json added = m_dailies.json({"clips", place("out")});
    EXPECT_EQ(added.at("experiment"), "out");
    EXPECT_EQ(added.at("added"), 3);
    ASSERT_EQ(added.at("columns").size(), 2u);
    EXPECT_EQ(added.at("columns")[0].at("name"), "ltx");
    EXPECT_EQ(added.at("columns")[0].at("clips"), 2);
    EXPECT_EQ(m_dailies.json({"clips", place("out")}).at("added"), 0) << "the second time";
    const auto sheet = m_dailies.run({"contact-sheet", place("sheet.png"), "wan", "ltx"});
    EXPECT_EQ(sheet.status, 0) << sheet.err;
    EXPECT_TRUE(fs::exists(place("sheet.png")));
}

TEST_F(ClipsCommand, TakesPromptsFromATable) {
    film("all/1.mp4");
    film("all/2.mp4");
    const auto table = write("p.csv", "file,prompt,model\nall/1.mp4,a cat,Wan\nall/2.mp4,a cat,LTX\n");
    const auto answer =
        m_dailies.run({"clips", place("all"), "--captions", table, "--experiment", "mine", "--no-window"});
    EXPECT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.out, HasSubstr("LTX: 1 clip\n"));
    EXPECT_EQ(m_dailies.json({"runs", "--experiment", "mine"}).size(), 2u);
}

TEST_F(ClipsCommand, SaysWhatIsNoVideoAndWhereThereIsNone) {
    film("m/a.mp4");
    write("m/b.mp4", "not a video");
    const auto answer = m_dailies.run({"clips", place("m"), "--no-window"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.err, HasSubstr("1 videos: cannot be read"));
    const auto nowhere = m_dailies.run({"clips", place("nowhere")});
    EXPECT_EQ(nowhere.status, 2);
    EXPECT_THAT(nowhere.err, HasSubstr("There is no folder"));
    fs::create_directories(place("empty"));
    EXPECT_THAT(m_dailies.run({"clips", place("empty")}).err, HasSubstr("Videos end in .mp4"));
}

}  // namespace
