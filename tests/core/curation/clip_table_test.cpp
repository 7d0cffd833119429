#include "core/curation/clip_table.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/curation/clip_list.h"
#include "core/curation/curated_origin.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

namespace fs = std::filesystem;

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Json lineOf(int number, bool isKept) {
    ClipRecord clip;
    clip.id = "0123456789ab-" + std::to_string(number);
    clip.source = "/films/a, b.mp4";
    clip.firstFrame = 10 * number;
    clip.lastFrame = 10 * number + 47;
    clip.fps = 23.976;
    clip.width = 1920;
    clip.height = 1080;
    clip.crop = {0, 140, 1920, 800};
    clip.hashes = {1, 2};
    clip.caption = number == 0 ? "a \"red\" ball, rolling" : "=cmd()";
    Json line = toJson(clip);
    line["score/aesthetic"] = 4.25;
    line["verdict"] = isKept ? "keep" : "drop";
    line["reasons"] = isKept ? Json::array() : Json{"static", "dark"};
    if (number == 0) line["file"] = "clips/" + clip.id + ".mp4";
    return line;
}

class ClipTable : public testing::Test {
protected:
    ClipTable() {
        fs::create_directories(set());
        std::string list;
        for (int i = 0; i < 3; ++i) list += lineOf(i, i < 2).dump() + "\n";
        writeFileAtomically(set() / kClipListFile, list);
    }
    fs::path set() const { return m_folder.path() / "set"; }
    fs::path file() const { return m_folder.path() / "table"; }
    std::vector<std::string> lines() const {
        std::vector<std::string> all;
        for (auto& line : split(readFile(file()), '\n'))
            if (!line.empty()) all.emplace_back(trim(line));
        return all;
    }

private:
    TemporaryFolder m_folder;
};

TEST_F(ClipTable, AsCsvBeginsWithWhatOpenSoraReads) {
    const auto written = writeClipTable(set(), file());
    EXPECT_EQ(written.clips, 2U);
    EXPECT_EQ(written.withoutFile, 1U);
    EXPECT_THAT(written.text(), StartsWith("2 clips, 1 of them without a file of their own"));
    const auto all = lines();
    ASSERT_EQ(all.size(), 3U);
    EXPECT_THAT(all[0],
                StartsWith("path,text,num_frames,height,width,aspect_ratio,fps,resolution,id,source,"));
    EXPECT_THAT(all[0], HasSubstr(",score/aesthetic,verdict,reasons"));
    EXPECT_THAT(all[0], Not(HasSubstr("hashes")));
    EXPECT_THAT(
        all[1],
        StartsWith((set() / "clips/0123456789ab-0.mp4").string() +
                   ",\"a \"\"red\"\" ball, rolling\",48,800,1920,0.4166666666666667,23.976,1536000,"));
    EXPECT_THAT(all[1], HasSubstr(",\"/films/a, b.mp4\",0,47,"));
    EXPECT_THAT(all[1], HasSubstr(",4.25,keep,"));
    EXPECT_THAT(all[2], StartsWith(",'=cmd(),48,")) << "no formula for a spreadsheet";
    writeClipTable(set(), file(), {.text = CsvEscaping::Raw});
    EXPECT_THAT(lines()[2], StartsWith(",=cmd(),48,"));
}

TEST_F(ClipTable, AsLinesHasTheKeysOfMusubiTuner) {
    writeClipTable(set(), file(), {.format = ClipTableFormat::JsonLines, .dropped = true});
    const auto all = lines();
    ASSERT_EQ(all.size(), 3U);
    const auto first = parseJson(all[0], "line"), last = parseJson(all[2], "line");
    EXPECT_EQ(first.at("video_path"), (set() / "clips/0123456789ab-0.mp4").string());
    EXPECT_EQ(first.at("caption"), "a \"red\" ball, rolling");
    EXPECT_EQ(first.at("num_frames"), 48);
    EXPECT_EQ(first.at("score/aesthetic"), 4.25);
    EXPECT_EQ(last.at("verdict"), "drop");
    EXPECT_EQ(last.at("reasons"), Json({"static", "dark"}));
}

TEST_F(ClipTable, OfACopyNamesTheFilesOfItsCluster) {
    saveCuratedOrigin(set(), {.cluster = "lab", .folder = "/data/sets/harbour", .files = {}});
    writeClipTable(set(), file());
    EXPECT_THAT(lines()[1], StartsWith("/data/sets/harbour/clips/0123456789ab-0.mp4,"));
}

TEST_F(ClipTable, OfWhatIsNoListLeavesTheFileAsItWas) {
    writeFileAtomically(file(), "older");
    EXPECT_THROW(writeClipTable(set() / "nothing", file()), InputError);
    writeFileAtomically(set() / kClipListFile,
                        lineOf(0, true).dump() + "\n{\"id\": 3, \"verdict\": \"keep\"}\n");
    EXPECT_THROW(writeClipTable(set(), file()), InputError);
    EXPECT_THAT(lines(), ElementsAre("older"));
    EXPECT_THROW(writeClipTable(set(), set()), Error) << "a folder";
}

}  // namespace
}  // namespace dailies::curation
