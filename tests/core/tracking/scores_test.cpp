#include "tests/core/tracking/store_fixture.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>

namespace dailies::tracking {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

/// A run with clips, and one whose job gives them to scorers.
class Scores : public StoreTest {
protected:
    Scores() {
        m_store.createRun(m_run);
        m_store.createRun(m_scoring);
        m_store.ingest(m_run.id, {clip(1, 100, "cat"), clip(1, 100, "dog"), clip(1, 200, "cat")}, 1);
    }

    void score(const events::Score& score) { m_store.ingest(m_scoring.id, {at(1, score)}, m_seq); }
    void score(std::int64_t step, const std::string& prompt, double value) {
        score({m_run.id, step, pathOf(step, prompt), "aesthetic", {{"score/aesthetic", value}}, ""});
    }
    static std::string pathOf(std::int64_t step, const std::string& prompt) {
        return "clips/step-" + std::to_string(step) + "/" + prompt + ".mp4";
    }
    std::map<std::int64_t, double> curve(const std::string& metric = "score/aesthetic") const {
        std::map<std::int64_t, double> values;
        for (const auto& point : m_store.history(m_run.id, metric)) values[point.step] = point.value;
        return values;
    }

    Store m_store{file()};
    tracking::Run m_run = aRun();
    tracking::Run m_scoring = aRun("aesthetic of lr=0.01");
};

TEST_F(Scores, AreMetricsOfTheRunWhoseClipsTheyAreOf) {
    score(100, "cat", 4);
    score(100, "dog", 7);
    score(200, "cat", 6);
    EXPECT_EQ(curve(), (std::map<std::int64_t, double>{{100, 5.5}, {200, 6}})) << "the mean over the clips";
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("score/aesthetic").value, 6);
    EXPECT_FALSE(m_store.run(m_scoring.id)->metrics.contains("score/aesthetic"));
    const auto scores = m_store.scores({m_run.id});
    ASSERT_THAT(scores, SizeIs(3));
    EXPECT_EQ(scores[0].path, pathOf(100, "cat"));
    EXPECT_EQ(scores[0].value, 4);
    EXPECT_THAT(m_store.curves({{m_run.id, "score/aesthetic"}}, std::nullopt, 10)[0].buckets, SizeIs(2))
        << "charts know them as well";
}

TEST_F(Scores, GivenAgainTakeThePlaceOfThoseBefore) {
    score(100, "cat", 4);
    score({m_run.id, 100, pathOf(100, "cat"), "aesthetic", {{"score/aesthetic/light", 3}}, ""});
    EXPECT_THAT(curve(), IsEmpty());
    EXPECT_EQ(curve("score/aesthetic/light").at(100), 3);
    EXPECT_FALSE(m_store.run(m_run.id)->metrics.contains("score/aesthetic"));
    EXPECT_THAT(m_store.scores({m_run.id}), SizeIs(1));
}

TEST_F(Scores, OfAStepAsAWholeStandBesideThoseOfItsClips) {
    score(100, "cat", 4);
    score({m_run.id, 100, "", "aesthetic", {{"score/aesthetic/frechet", 12.5}}, ""});
    EXPECT_EQ(curve().at(100), 4);
    EXPECT_EQ(curve("score/aesthetic/frechet").at(100), 12.5);
}

TEST_F(Scores, ThatCouldNotBeGivenSayWhyAndCountForNothing) {
    score(100, "cat", 4);
    score({m_run.id, 100, pathOf(100, "dog"), "aesthetic", {}, "It wants \x1b[31m16 frames."});
    EXPECT_EQ(curve().at(100), 4);
    const auto scores = m_store.scores({m_run.id});
    ASSERT_THAT(scores, SizeIs(2));
    EXPECT_FALSE(scores[1].value);
    EXPECT_THAT(scores[1].problem, testing::HasSubstr("16 frames."));
    EXPECT_THAT(scores[1].problem, testing::Not(testing::HasSubstr("\x1b")));
}

TEST_F(Scores, CannotChangeWhatIsNoScore) {
    m_store.ingest(m_run.id, {metrics(1, 100, {{"loss", 0.5}})}, 2);
    score({m_run.id, 100, "", "aesthetic", {{"loss", 0}, {"score/other", 1}}, ""});
    score({"nobody", 100, "", "aesthetic", {{"score/aesthetic", 1}}, ""});
    EXPECT_EQ(m_store.run(m_run.id)->metrics.at("loss").value, 0.5);
    EXPECT_THAT(m_store.scores({m_run.id}), IsEmpty());
}

TEST_F(Scores, ArriveWithMetricsOfTheSameBatch) {
    m_store.ingest(m_scoring.id,
                   {metrics(1, 100, {{"seconds", 1}}),
                    at(1, events::Score{m_run.id, 100, "", "fvd", {{"score/fvd", 9}}, ""}),
                    metrics(1, 200, {{"seconds", 2}})},
                   3);
    EXPECT_THAT(m_store.history(m_scoring.id, "seconds"), SizeIs(2));
    EXPECT_EQ(curve("score/fvd").at(100), 9);
    EXPECT_EQ(SQLite::Database(file()).execAndGet("SELECT COUNT(*) FROM metrics").getInt(), 3);
}

TEST_F(Scores, GoWithTheClipsThatAResumeRetracts) {
    score(100, "cat", 4);
    score(200, "cat", 6);
    m_store.ingest(m_run.id, {at(2, events::Resume{100})}, 2);
    EXPECT_EQ(curve(), (std::map<std::int64_t, double>{{100, 4}}));
    EXPECT_THAT(m_store.scores({m_run.id}), SizeIs(1));
}

TEST_F(Scores, OfARunThatIsPurgedArePurgedWithIt) {
    score(100, "cat", 4);
    m_store.deleteRuns({m_run.id});
    m_store.purgeRuns({m_run.id});
    EXPECT_EQ(SQLite::Database(file()).execAndGet("SELECT COUNT(*) FROM dailies_scores").getInt(), 0);
}

}  // namespace
}  // namespace dailies::tracking
