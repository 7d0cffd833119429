#include "core/exchange/add_clips.h"
#include "core/exchange/clip_captions.h"
#include "core/judging/judgement_records.h"
#include "core/video/clip_file.h"
#include "tests/core/exchange/exchange_fixture.h"
#include "tests/core/video/numbered_frames.h"

#include <fstream>

namespace dailies::exchange {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class ClipFolders : public ExchangeTest {
protected:
    /// An empty file of that name: finding clips does not read them.
    void touch(const std::string& name) { write(name, "x"); }

    void film(const std::string& name, int frames = 6) {
        fs::create_directories(place(name).parent_path());
        video::writeClip(place(name), video::numberedFrames(frames, 32, 16), {.fps = 8});
    }

    std::vector<std::string> setNames(const std::vector<fs::path>& folders) {
        std::vector<std::string> names;
        for (const auto& set : findClips(folders).sets) names.push_back(set.name);
        return names;
    }

    /// "model: prompt/seed@step" of every clip found.
    std::vector<std::string> told(const std::vector<fs::path>& folders, const fs::path& captions = {}) {
        std::vector<std::string> lines;
        for (const auto& set : findClips(folders, captions).sets)
            for (const auto& clip : set.clips)
                lines.push_back(set.name + ": " + clip.prompt + "/" + std::to_string(clip.seed) + "@" +
                                std::to_string(clip.step));
        return lines;
    }
};

TEST_F(ClipFolders, EachSubfolderIsAColumn) {
    for (const char* name : {"out/wan/a cat-0.mp4", "out/wan/a dog-0.mp4", "out/ltx/deep/a cat-0.webm"})
        touch(name);
    EXPECT_THAT(told({place("out")}), ElementsAre("ltx: a cat/0@0", "wan: a cat/0@0", "wan: a dog/0@0"));
}

TEST_F(ClipFolders, SubfoldersThatAreStepsAreOneColumn) {
    for (const char* name : {"run/checkpoint-500/cat.mp4", "run/checkpoint-1000/cat.mp4"}) touch(name);
    EXPECT_THAT(told({place("run")}), UnorderedElementsAre("run: cat/0@500", "run: cat/0@1000"));
}

TEST_F(ClipFolders, AFolderOfVideosAloneIsAColumnAndSoIsOneBelowIt) {
    for (const char* name : {"flat/cat.mp4", "nested/samples/cat.mp4"}) touch(name);
    EXPECT_THAT(setNames({place("flat"), place("nested")}), ElementsAre("flat", "nested"));
    EXPECT_THAT(setNames({fs::path(place("flat").string() + "/")}), ElementsAre("flat"));
}

TEST_F(ClipFolders, FoldersOfTheSameNameGetNamesOfTheirOwn) {
    for (const char* name : {"a/samples/x.mp4", "b/samples/x.mp4", "b/more/x.mp4"}) touch(name);
    EXPECT_THAT(setNames({place("a/samples"), place("b/samples")}), ElementsAre("samples", "b/samples"));
}

TEST_F(ClipFolders, VideosByThemselvesAreTheColumnOfTheirFolder) {
    for (const char* name : {"x/a.mp4", "x/b.mp4", "x/c.mp4"}) touch(name);
    EXPECT_THAT(told({place("x/b.mp4"), place("x/a.mp4")}), ElementsAre("x: a/0@0", "x: b/0@0"));
}

TEST_F(ClipFolders, PromptsComeFromATableThenFromBesideThenFromTheName) {
    for (const char* name : {"m/1.mp4", "m/2.mp4", "m/a_red-ball.mp4"}) touch(name);
    write("m/2.txt", "  A cat\n on a mat \n");
    EXPECT_THAT(told({place("m")}),
                ElementsAre("m: sample 1/0@0", "m: A cat on a mat/0@0", "m: a red ball/0@0"));
    write("m/prompts.csv", "file,caption,seed\n1.mp4,\"A dog, running\",7\n2.mp4,,\n");
    EXPECT_THAT(told({place("m")}),
                ElementsAre("m: A dog, running/7@0", "m: A cat on a mat/0@0", "m: a red ball/0@0"));
    const auto other =
        write("other.jsonl",
              "{\"file_name\": \"m/1.mp4\", \"text\": \"From elsewhere\", \"step\": 20}\nnot json\n");
    EXPECT_THAT(told({place("m")}, other), testing::Contains("m: From elsewhere/0@20"));
}

TEST_F(ClipFolders, ATableThatNamesModelsMakesThemTheColumns) {
    for (const char* name : {"all/1.mp4", "all/2.mp4", "all/3.mp4"}) touch(name);
    write("all/metadata.csv", "path,prompt,model\n1.mp4,a cat,Wan\n2.mp4,a cat,LTX\n3,a dog,LTX\n");
    EXPECT_THAT(told({place("all")}), ElementsAre("LTX: a cat/0@0", "LTX: a dog/0@0", "Wan: a cat/0@0"));
}

TEST_F(ClipFolders, ATableWithoutVideosIsRefusedWhenItIsNamedAndElsePassedOver) {
    touch("m/1.mp4");
    const auto losses = write("m/metadata.csv", "step,loss\n1,2\n");
    EXPECT_THAT(told({place("m")}), ElementsAre("m: sample 1/0@0"));
    EXPECT_THAT(complaint([&] { findClips({place("m")}, losses); }),
                HasSubstr("has no column that names videos. Name one of its columns file, path or video."));
}

TEST_F(ClipFolders, ClipsOfOnePromptAreToldApart) {
    for (const char* name : {"m/a.mp4", "m/b.mp4", "m/c.mp4"}) touch(name);
    write("m/captions.csv", "video,prompt,seed\na.mp4,same,1\nb.mp4,same,\nc.mp4,same,1\n");
    EXPECT_THAT(told({place("m")}), UnorderedElementsAre("m: same/1@0", "m: same/0@0", "m: same/2@0"));
}

TEST_F(ClipFolders, WhatIsHiddenOrNoVideoIsPassedOver) {
    for (const char* name : {"m/a.mp4", "m/.b.mp4", "m/.cache/c.mp4", "m/notes.txt", "m/weights.safetensors"})
        touch(name);
    fs::create_directory_symlink(place("m"), place("m/loop"));
    EXPECT_THAT(told({place("m")}), ElementsAre("m: a/0@0"));
}

TEST_F(ClipFolders, HostileNamesDoNoHarm) {
    touch("m/a.mp4");
    std::ofstream(place("m") / "\x1b[2J.mp4") << "x";
    std::ofstream(place("m") / "bad\xff.mp4") << "x";
    const auto found = findClips({place("m")});
    ASSERT_EQ(found.sets.size(), 1u);
    EXPECT_EQ(found.sets[0].clips.size(), 1u);
    ASSERT_EQ(found.skipped.size(), 1u);
    EXPECT_THAT(found.skipped[0].why, HasSubstr("not valid text"));
}

TEST_F(ClipFolders, NothingToShowIsSaidWithWhatToDo) {
    fs::create_directories(place("empty"));
    EXPECT_THAT(complaint([&] { findClips({place("empty")}); }), HasSubstr("Videos end in .mp4"));
    EXPECT_THAT(complaint([&] { findClips({place("nowhere")}); }), HasSubstr("There is no folder"));
}

TEST_F(ClipFolders, BecomeRunsWhoseClipsArePlayedWhereTheyLie) {
    film("out/wan/a cat-0.mp4");
    film("out/ltx/a cat-0.mp4", 9);
    const auto added = addClips(m_store, {place("out")});
    EXPECT_EQ(added.experiment, "out");
    EXPECT_EQ(added.clips, 2);
    EXPECT_EQ(added.added, 2);
    const auto run = runNamed("ltx");
    EXPECT_EQ(run.status, tracking::RunStatus::Finished);
    EXPECT_EQ(run.experiment, "out");
    EXPECT_GT(run.startMs, 1'600'000'000'000);
    const auto clips = m_store.clips({run.id});
    ASSERT_EQ(clips.size(), 1u);
    EXPECT_EQ(clips[0].localPath, fs::canonical(place("out/ltx/a cat-0.mp4")));
    EXPECT_EQ(clips[0].frames, 9);
    EXPECT_EQ(clips[0].width, 32);
    EXPECT_EQ(clips[0].height, 16);
    EXPECT_EQ(clips[0].fps, 8);
}

TEST_F(ClipFolders, OpenedAgainTheyHaveWhatIsThereNow) {
    film("m/a.mp4");
    film("m/b.mp4");
    const auto first = addClips(m_store, {place("m")});
    judging::record(m_store, {{first.runIds[0], "a.mp4"}, "ana", 1, judging::Stars{5}});
    const auto same = addClips(m_store, {place("m")});
    EXPECT_EQ(same.runIds, first.runIds);
    EXPECT_EQ(same.added + same.changed + same.removed, 0);
    fs::remove(place("m/b.mp4"));
    film("m/a.mp4", 12);
    film("m/c.mp4");
    const auto later = addClips(m_store, {place("m")});
    EXPECT_EQ(later.added, 1);
    EXPECT_EQ(later.changed, 1);
    EXPECT_EQ(later.removed, 1);
    EXPECT_EQ(m_store.clips(later.runIds).size(), 2u);
    EXPECT_EQ(m_store.runs().size(), 1u);
    EXPECT_EQ(judging::judgedClips(m_store).size(), 1u) << "what people said stays";
}

TEST_F(ClipFolders, AnArchivedRunComesBackWhenItsFolderIsOpened) {
    film("m/a.mp4");
    const auto first = addClips(m_store, {place("m")});
    m_store.deleteRuns(first.runIds);
    addClips(m_store, {place("m")});
    EXPECT_FALSE(m_store.run(first.runIds[0])->deleted);
}

TEST_F(ClipFolders, AVideoThatCannotBeReadIsCountedAndStaysOnTheWall) {
    film("m/a.mp4");
    touch("m/b.mp4");
    const auto added = addClips(m_store, {place("m")});
    EXPECT_EQ(added.clips, 2);
    ASSERT_EQ(added.skipped.size(), 1u);
    EXPECT_EQ(added.skipped[0].why, "cannot be read");
}

TEST_F(ClipFolders, PurgingTheirRunLeavesTheVideos) {
    film("m/a.mp4");
    const auto added = addClips(m_store, {place("m")});
    m_store.deleteRuns(added.runIds);
    m_store.purgeRuns(added.runIds);
    EXPECT_TRUE(fs::exists(place("m/a.mp4")));
}

TEST_F(ClipFolders, StoppedTheyLeaveTheStoreAsItWas) {
    film("m/a.mp4");
    std::stop_source stop;
    stop.request_stop();
    EXPECT_THROW(addClips(m_store, {place("m")}, {}, {}, stop.get_token()), Cancelled);
    EXPECT_THAT(m_store.runs(), IsEmpty());
}

}  // namespace
}  // namespace dailies::exchange
