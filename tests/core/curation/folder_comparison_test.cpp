#include "core/curation/folder_comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace dailies::curation {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

ClipRecord clip(const std::string& id, double motion) {
    ClipRecord clip;
    clip.id = id;
    clip.lastFrame = 95;
    clip.end = 4;
    clip.fps = 24;
    clip.crop = {0, 0, 640, 480};
    clip.scores = {.motion = motion, .luma = 100, .contrast = 50, .sharpness = 100};
    return clip;
}

class Comparison : public testing::Test {
protected:
    Comparison() {
        before.clips = {clip("a", 1), clip("b", 2), clip("c", 3)};
        after = before;
    }

    CuratedFolder before, after;
};

TEST_F(Comparison, OfTheSameFindsNothing) {
    const auto same = compareFolders(before, after);
    EXPECT_EQ(same.before.kept, 3U);
    EXPECT_EQ(same.after.keptSeconds, 12);
    EXPECT_THAT(same.rules, IsEmpty());
    EXPECT_THAT(same.gained, IsEmpty());
    EXPECT_THAT(same.lost, IsEmpty());
    EXPECT_EQ(same.otherCaptions, 0U);
}

TEST_F(Comparison, NamesRulesAndWhatTheyMadeOfWhichClips) {
    after.config.verdict.min_motion = 1.5;
    before.corrections["c"] = Correction::Drop;
    after.clips[1].caption = "A boat.";
    const auto other = compareFolders(before, after);
    EXPECT_THAT(other.rules, ElementsAre("verdict.min_motion: 0.15 → 1.5"));
    EXPECT_THAT(other.gained, ElementsAre("c"));
    EXPECT_THAT(other.lost, ElementsAre("a"));
    EXPECT_THAT(other.lostFor, ElementsAre(Pair("static", 1U)));
    EXPECT_EQ(other.otherCaptions, 1U);
    EXPECT_EQ(other.after.captioned, 1U);
    EXPECT_THAT(other.text(), HasSubstr("before: 2 of 3 clips kept (8 s), 0 with a caption\n"
                                        "after:  2 of 3 clips kept (8 s), 1 with a caption\n"
                                        "  verdict.min_motion: 0.15 → 1.5\n"
                                        "+ 1 clip kept now\n- 1 clip kept before\n    static: 1\n"));
    EXPECT_EQ(other.toJson().at("lost"), Json({"a"}));
}

TEST_F(Comparison, TellsClipsThatAreCutElsewhere) {
    after.clips = {clip("a", 1), clip("b1", 2), clip("b2", 2), clip("c", 3)};
    const auto other = compareFolders(before, after);
    EXPECT_THAT(other.gained, ElementsAre("b1", "b2"));
    EXPECT_THAT(other.lostFor, ElementsAre(Pair("cut elsewhere", 1U)));
}

}  // namespace
}  // namespace dailies::curation
