#include "core/judging/judgement_records.h"

#include "core/base/error.h"
#include "core/judging/seen_clips.h"
#include "core/tracking/schema.h"
#include "tests/core/judging/judged_store.h"

#include <gmock/gmock.h>

namespace dailies::judging {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

class Judgements : public JudgedStore {
protected:
    ClipReview review(const ClipKey& clip) const {
        const auto all = readReviews(m_store, {clip.runId});
        const auto found = all.find(clip);
        return found == all.end() ? ClipReview() : found->second;
    }

    std::vector<std::pair<std::int64_t, double>> ratings() const {
        std::vector<std::pair<std::int64_t, double>> points;
        for (const auto& point : m_store.history(m_run.id, mirror::kRating))
            points.emplace_back(point.step, point.value);
        return points;
    }
};

TEST_F(Judgements, StarsAreKeptByAuthorAndTheNewestCounts) {
    judge(key(100, "cat"), Stars{2});
    judge(key(100, "cat"), Stars{4});
    judge(key(100, "cat"), Stars{1}, "bo");
    const ClipReview cat = review(key(100, "cat"));
    EXPECT_EQ(cat.of("ana").stars, 4);
    EXPECT_EQ(cat.of("bo").stars, 1);
    EXPECT_EQ(cat.rating(), 2.5);
    judge(key(100, "cat"), Stars{0}, "bo");
    EXPECT_EQ(review(key(100, "cat")).rating(), 4) << "0 takes the rating away";
}

TEST_F(Judgements, TheRunsMetricIsTheMeanOfItsClipsAtEachStep) {
    judge(key(200, "cat"), Stars{5});
    judge(key(200, "dog"), Stars{2});
    judge(key(100, "dog"), Stars{3});
    EXPECT_THAT(ratings(), ElementsAre(Pair(100, 3), Pair(200, 3.5)));
    judge(key(200, "dog"), Rejection{});
    EXPECT_THAT(ratings(), ElementsAre(Pair(100, 3), Pair(200, 2.5))) << "a rejected clip counts as none";
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at(mirror::kRating).value, 2.5)
        << "the latest value, which a sweep goes by";
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at(mirror::kRating).step, 200);
    EXPECT_EQ(tagOf(mirror::kRatingTag), "2.67 of 5 (3 clips)");
    EXPECT_EQ(tagOf(mirror::kRejectedTag), "1 of 3 clips");
    EXPECT_EQ(tagOf(mirror::kAuthorsTag), "ana");
}

TEST_F(Judgements, WhatIsTakenBackWasNeverSaid) {
    judge(key(100, "cat"), Stars{2});
    const auto last = judge(key(100, "cat"), Stars{5});
    setRetracted(m_store, last, true);
    EXPECT_EQ(review(key(100, "cat")).of("ana").stars, 2) << "the earlier rating counts again";
    EXPECT_THAT(ratings(), ElementsAre(Pair(100, 2)));
    setRetracted(m_store, last, false);
    EXPECT_THAT(ratings(), ElementsAre(Pair(100, 5)));
    EXPECT_THROW(setRetracted(m_store, 999, true), Error);
}

TEST_F(Judgements, TheFirstOneTakenBackLeavesNothingBehind) {
    const auto only = judge(key(100, "cat"), Stars{2});
    setRetracted(m_store, only, true);
    EXPECT_THAT(readReviews(m_store, {m_run.id}), IsEmpty());
    EXPECT_THAT(ratings(), IsEmpty());
    EXPECT_FALSE(m_store.run(m_run.id)->metrics.contains(mirror::kRating));
    EXPECT_EQ(tagOf(mirror::kRatingTag), "");
}

TEST_F(Judgements, PointsOfTheTrainerStayAsTheyAre) {
    m_store.ingest(m_run.id, {metrics(1, 150, {{"loss", 0.5}}), metrics(1, 160, {{"loss", 0.4}})}, 100);
    judge(key(200, "cat"), Stars{5});
    judge(key(200, "cat"), Stars{1});
    m_store.ingest(m_run.id, {metrics(1, 210, {{"loss", 0.3}})}, 200);
    EXPECT_THAT(m_store.history(m_run.id, "loss"), SizeIs(3));
    EXPECT_THAT(ratings(), ElementsAre(Pair(200, 1)));
    const auto curves = m_store.curves({{m_run.id, mirror::kRating}}, std::nullopt, 100);
    EXPECT_THAT(curves, SizeIs(1)) << "what charts read";
}

TEST_F(Judgements, AResumeRetractsClipsAndKeepsWhatPeopleSaidOfThem) {
    judge(key(200, "cat"), Stars{4});
    markSeen(m_store, "ana", {key(100, "cat"), key(200, "cat")}, 1);
    m_store.ingest(m_run.id, {at(2, events::Resume{150})}, 300);
    EXPECT_EQ(review(key(200, "cat")).of("ana").stars, 4);
    EXPECT_THAT(ratings(), ElementsAre(Pair(200, 4)));
    EXPECT_THAT(seenClips(m_store, "ana", {m_run.id}), ElementsAre(key(100, "cat")))
        << "what is made again has not been seen";
}

TEST_F(Judgements, NotesSayWhichFramesTheyMeanAndCarryDrawings) {
    Note note{
        newId(), 3, 5, "  the left hand melts ", {Stroke{"#ff0000", 0.01, {{0.25, 0.5}, {0.75, 0.125}}}},
        "",      0};
    judge(key(200, "dog"), WrittenNote{note});
    judge(key(200, "dog"), WrittenNote{{newId(), 1, 1, "flicker", {}, "", 0}}, "bo");
    auto notes = review(key(200, "dog")).notes;
    ASSERT_THAT(notes, SizeIs(2));
    EXPECT_EQ(notes[0].text, "flicker") << "in the order of their frames";
    EXPECT_EQ(notes[1].text, "the left hand melts");
    EXPECT_EQ(notes[1].strokes, note.strokes);
    EXPECT_EQ(notes[1].author, "ana");
    EXPECT_TRUE(notes[1].covers(5));
    EXPECT_FALSE(notes[1].covers(6));
    EXPECT_EQ(tagOf(mirror::kNotesTag),
              "- step 200, dog, seed 1, frame 2: flicker — bo\n"
              "- step 200, dog, seed 1, frame 4–6: the left hand melts — ana\n");

    note.text = "both hands melt";
    judge(key(200, "dog"), WrittenNote{note});
    EXPECT_THAT(review(key(200, "dog")).notes, SizeIs(2)) << "changed, not added";
    const auto removal = judge(key(200, "dog"), RemovedNote{note.id});
    EXPECT_THAT(review(key(200, "dog")).notes, SizeIs(1));
    setRetracted(m_store, removal, true);
    EXPECT_EQ(review(key(200, "dog")).notes.at(1).text, "both hands melt");
}

TEST_F(Judgements, NonsenseIsRefusedInWords) {
    EXPECT_THROW(judge(key(100, "cat"), Stars{6}), InputError);
    EXPECT_THROW(judge(key(100, "cat"), Stars{-1}), InputError);
    EXPECT_THROW(judge(key(100, "cat"), WrittenNote{{newId(), 0, 0, " \n", {}, "", 0}}), InputError);
    EXPECT_THROW(judge(key(100, "cat"), WrittenNote{{newId(), 4, 2, "backwards", {}, "", 0}}), InputError);
    EXPECT_THROW(judge({newId(), "clips/a.mp4"}, Stars{3}), Error) << "no such run";
    EXPECT_THAT(readReviews(m_store, {m_run.id}), IsEmpty());
}

TEST_F(Judgements, TagsAreHarmlessTextAndSortedForMlflow) {
    judge(key(100, "cat"), Tags{{"warped hands", " flicker ", ""}});
    judge(key(200, "dog"), Tags{{"a\x1b[31mred"}}, "bo");
    EXPECT_THAT(review(key(100, "cat")).tags(), ElementsAre("flicker", "warped hands"));
    EXPECT_THAT(tagOf(mirror::kTagsTag),
                AllOf(HasSubstr("flicker, warped hands"), testing::Not(HasSubstr("\x1b"))));
}

TEST_F(Judgements, LeaveWithTheirRunForEver) {
    judge(key(100, "cat"), Stars{5});
    markSeen(m_store, "ana", {key(100, "cat")}, 1);
    m_store.deleteRuns({m_run.id});
    m_store.purgeRuns({m_run.id});
    EXPECT_THAT(readReviews(m_store, {m_run.id}), IsEmpty());
    EXPECT_THAT(seenClips(m_store, "ana", {m_run.id}), IsEmpty());
}

TEST_F(Judgements, AStoreFromBeforeJudgementsIsReadAsOneWithout) {
    const auto older = m_folder.path() / "older.db";
    {
        SQLite::Database db(older, SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
        db.exec(tracking::kMlflowTables);
        db.exec(tracking::kDailiesMigrations[0]);
        db.exec(tracking::kDailiesMigrations[1]);
        db.exec("UPDATE dailies_schema SET version = 2");
    }
    const tracking::Store store(older, tracking::Store::Mode::ReadOnly);
    EXPECT_THAT(readReviews(store, {m_run.id}), IsEmpty());
    EXPECT_THAT(seenClips(store, "ana", {m_run.id}), IsEmpty());
}

TEST_F(Judgements, EachPersonHasSeenTheirOwn) {
    markSeen(m_store, "ana", {key(100, "cat")}, 5000);
    markSeen(m_store, "ana", {key(100, "cat")}, 9000);
    EXPECT_THAT(seenClips(m_store, "ana", {m_run.id}), ElementsAre(key(100, "cat")));
    EXPECT_THAT(seenClips(m_store, "bo", {m_run.id}), IsEmpty());
    markUnseen(m_store, "ana", {key(100, "cat")});
    EXPECT_THAT(seenClips(m_store, "ana", {m_run.id}), IsEmpty());
}

}  // namespace
}  // namespace dailies::judging
