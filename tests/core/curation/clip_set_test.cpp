#include "core/curation/clip_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dailies::curation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Clips of which each rule drops some, many of them near its limit.
std::vector<ClipRecord> randomClips(std::size_t count) {
    std::mt19937 random(7);
    const auto around = [&](double limit) {
        const double far = std::uniform_real_distribution(0.0, 4.0)(random);
        return random() % 3 == 0 ? limit : limit * far;
    };
    std::vector<ClipRecord> clips(count);
    for (std::size_t i = 0; i < count; ++i) {
        auto& clip = clips[i];
        clip.id = "clip-" + std::to_string(i);
        clip.lastFrame = static_cast<int>(around(48)) + 1;
        clip.end = around(2) + 0.1;
        clip.crop = {0, 0, 400, static_cast<int>(around(256))};
        clip.scores = {around(0.15), around(0.25), around(127), around(4),
                       around(0.1),  around(0.1),  around(5)};
        if (random() % 5 == 0) clip.duplicateOf = "clip-0";
        if (random() % 4 != 0) clip.scorerValues["aesthetic"] = around(5) - 4;
        if (random() % 2 != 0) clip.scorerValues["text/words"] = around(3);
    }
    return clips;
}

TEST(ClipSet, JudgesAllClipsAsEachIsJudgedAlone) {
    const ClipSet set(randomClips(4000));
    std::vector<Correction> corrections(set.size(), Correction::None);
    for (std::size_t i = 0; i < corrections.size(); i += 7)
        corrections[i] = i % 2 ? Correction::Keep : Correction::Drop;
    VerdictRules none{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false};
    VerdictRules restless;
    restless.max_motion = 0.4;
    VerdictRules scored;
    scored.scores = {
        {"aesthetic", {.min = -1, .max = 9}}, {"text/words", {.max = 3}}, {"nobody's", {.min = 1}}};
    for (const auto& rules : {VerdictRules(), none, restless, scored}) {
        const auto judged = set.judge(rules, corrections);
        ASSERT_EQ(judged.reasons.size(), set.size());
        std::size_t kept = 0;
        double keptSeconds = 0, seconds = 0;
        std::map<std::string, std::size_t> dropped;
        for (std::size_t i = 0; i < set.size(); ++i) {
            const auto alone = verdictOf(set[i], rules, corrections[i]);
            ASSERT_EQ(namesOf(judged.reasons[i], set.scoreKeys()), alone.reasons) << set[i].id;
            ASSERT_EQ(judged.reasons[i] == 0, alone.keep);
            kept += alone.keep;
            seconds += set[i].duration();
            if (alone.keep) keptSeconds += set[i].duration();
            for (const auto& reason : alone.reasons) ++dropped[reason];
        }
        EXPECT_EQ(judged.kept, kept);
        EXPECT_DOUBLE_EQ(judged.seconds, seconds);
        EXPECT_DOUBLE_EQ(judged.keptSeconds, keptSeconds);
        for (std::size_t r = 0; r < set.reasons(); ++r)
            EXPECT_EQ(judged.dropped[r], dropped[nameOf(static_cast<Reason>(r), set.scoreKeys())])
                << nameOf(static_cast<Reason>(r), set.scoreKeys());
    }
}

TEST(ClipSet, EachThresholdDropsWhatIsBeyondItAndNothingAtIt) {
    for (const auto& threshold : thresholds()) {
        VerdictRules rules{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false};
        setLimit(rules, threshold, 20);
        EXPECT_EQ(limitOf(rules, threshold), 20);
        ClipRecord clip;
        clip.lastFrame = 19;
        clip.end = 20;
        clip.crop = {0, 0, 20, 20};
        clip.scores = {20, 20, 20, 20, 20, 20, 20};
        EXPECT_THAT(verdictOf(clip, rules).reasons, IsEmpty()) << nameOf(threshold.reason);
        const bool least = threshold.side == Threshold::Side::Least;
        setLimit(rules, threshold, least ? 21 : 19);
        EXPECT_THAT(verdictOf(clip, rules).reasons, ElementsAre(nameOf(threshold.reason)));
    }
}

TEST(ClipSet, AScorersNumberIsAMeasureWithTwoThresholds) {
    std::vector<ClipRecord> clips(3);
    clips[0].scorerValues["dark/share"] = -2;
    clips[2].scorerValues["dark/share"] = 3;
    const ClipSet set(clips);
    EXPECT_THAT(set.scoreKeys(), ElementsAre("dark/share"));
    const auto measure = static_cast<Measure>(kMeasures);
    EXPECT_EQ(set.column(measure)[2], 3);
    EXPECT_TRUE(std::isnan(set.column(measure)[1]));
    const std::vector<Correction> uncorrected(3, Correction::None);
    for (const auto& threshold : set.thresholds()) {
        if (threshold.measure != measure) continue;
        VerdictRules rules{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false};
        EXPECT_EQ(limitOf(rules, threshold), std::nullopt);
        setLimit(rules, threshold, 0);  // a limit like any other
        EXPECT_EQ(limitOf(rules, threshold), 0);
        const bool least = threshold.side == Threshold::Side::Least;
        const auto judged = set.judge(rules, uncorrected);
        EXPECT_EQ(judged.kept, 2u);
        EXPECT_EQ(judged.dropped[static_cast<std::size_t>(threshold.reason)], 1u);
        EXPECT_THAT(namesOf(judged.reasons[least ? 0 : 2], set.scoreKeys()), ElementsAre("score/dark/share"));
        EXPECT_EQ(judged.reasons[1], 0u) << "nobody scored it";
        setLimit(rules, threshold, std::nullopt);
        EXPECT_THAT(rules.scores, IsEmpty());
    }
}

TEST(ClipSet, ClipsAreAlikeByHashesAndByScorers) {
    std::vector<ClipRecord> clips(6);
    for (std::size_t i = 0; i < clips.size(); ++i) clips[i].id = "abcdef"[i];
    clips[0].duplicateOf = clips[3].duplicateOf = "c";
    clips[4].nearestTo = {{"meaning", "a"}, {"looks", "f"}};
    clips[4].scorerValues = {{"meaning/nearest", 0.95}, {"looks/nearest", 0.3}};
    clips[5].nearestTo["meaning"] = "gone";
    const ClipSet set(clips);
    EXPECT_THAT(set.alike(0), ElementsAre(0, 2, 3, 4))
        << "its original, that one's other copy, what is like it";
    EXPECT_THAT(set.alike(2), ElementsAre(0, 2, 3));
    EXPECT_THAT(set.alike(4), ElementsAre(0, 4, 5));
    EXPECT_THAT(set.alike(5), ElementsAre(5)) << "what is most like it is not much like it";
    EXPECT_THAT(set.alike(1), ElementsAre(1));
}

TEST(ClipSet, CorrectionsGoBeforeRules) {
    ClipRecord clip;
    clip.id = "a";
    const VerdictRules strict, none{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, false};
    EXPECT_FALSE(verdictOf(clip, strict).keep);
    EXPECT_TRUE(verdictOf(clip, strict, Correction::Keep).keep);
    EXPECT_THAT(verdictOf(clip, strict, Correction::Keep).reasons, IsEmpty());
    EXPECT_THAT(verdictOf(clip, none, Correction::Drop).reasons, ElementsAre("by hand"));
    const ClipSet set({clip});
    EXPECT_THAT(set.columnOf({{"a", Correction::Drop}, {"gone", Correction::Keep}}),
                ElementsAre(Correction::Drop));
}

}  // namespace
}  // namespace dailies::curation
