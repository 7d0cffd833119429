#include "ui/wall/review_data.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "core/tracking/sampled_run.h"
#include "core/tracking/scored_run.h"
#include "tests/support/demo_store.h"
#include "tests/ui/wall/numbered_store.h"
#include "ui/wall/wall_scene.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

/// A sweep of one run that is newer than all others.
std::string addSweep(const NumberedStore& numbered, const std::string& name,
                     const std::map<std::string, std::string>& tags, bool withClip = false) {
    tracking::Store store(numbered.file);
    tracking::SweepRecord sweep;
    sweep.id = std::string(31, 'd') + std::to_string(store.sweeps().size());
    sweep.name = name;
    sweep.experimentId = store.ensureExperiment("numbers");
    sweep.createdMs = 2000;
    tracking::Run run;
    run.id = std::string(31, 'e') + std::to_string(store.sweeps().size());
    run.name = "run of " + name;
    run.startMs = 2000;
    for (const auto& [key, value] : tags) run.tags[key] = value;
    store.createSweep(sweep, {run});
    if (withClip) {
        events::Clip clip;
        clip.step = 100;
        clip.prompt = "a cat";
        clip.path = "clips/0.mp4";
        store.ingest(run.id, {events::Event{1, 1, 2000, clip}}, 1);
    }
    return sweep.id;
}

class ReviewDataTest : public testing::Test {
protected:
    ReviewData load(const std::filesystem::path& file, std::vector<std::string> runIds = {}) {
        ReviewRequest request;
        request.storeFile = file;
        request.runIds = std::move(runIds);
        return loadReview(request, {});
    }

    TemporaryFolder m_folder;
};

TEST_F(ReviewDataTest, ShowsTheNewestSweepAsLaunched) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    const ReviewData data = load(store.file);
    ASSERT_EQ(data.runs.size(), 2u);
    EXPECT_EQ(data.runs[0].name, "lr=0.001");
    EXPECT_THAT(data.rows, testing::ElementsAre(ReviewRow{"a cat", 7}, ReviewRow{"a dog", 7}));
    EXPECT_THAT(data.steps, testing::ElementsAre(100, 200, 300));
    EXPECT_EQ(data.title(), "numbers");
    EXPECT_EQ(data.differingParams(data.runs[1]), "lr=0.01");
}

TEST_F(ReviewDataTest, PassesOverNewerSweepsThatHaveNothingToShow) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    const std::string waiting = addSweep(numbered, "waiting", {});
    addSweep(numbered, "scores", {{tracking::tag::kScoredRun, numbered.runIds[0]}});
    const std::string samples =
        addSweep(numbered, "samples", {{tracking::tag::kSampledRun, numbered.runIds[0]}}, true);
    EXPECT_EQ(load(numbered.file).title(), "numbers");

    tracking::Store store(numbered.file);
    store.deleteRuns(numbered.runIds);
    EXPECT_EQ(load(numbered.file).sweepId, samples) << "what was sampled again is better than nothing";
    store.deleteRuns(store.findRuns("run of samples"));
    const ReviewData data = load(numbered.file);
    EXPECT_EQ(data.sweepId, waiting) << "its clips will be the first";
    EXPECT_EQ(data.sweeps.size(), 4u);
}

TEST_F(ReviewDataTest, KnowsTheSamplingRunsOfItsSweepByTheirTags) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    addSweep(numbered, "samples", {{tracking::tag::kSampledRun, numbered.runIds[0]}}, true);
    addSweep(numbered, "elsewhere", {{tracking::tag::kSampledRun, std::string(32, '9')}}, true);
    const ReviewData data = load(numbered.file);
    EXPECT_EQ(data.title(), "numbers");
    ASSERT_EQ(data.runs.size(), 3u) << "not those of runs that are not on the wall";
    EXPECT_EQ(data.runs[2].name, "run of samples");
    EXPECT_TRUE(data.resamples.contains(data.runs[2].id));
    EXPECT_EQ(data.nameOf(data.runs[2]), "lr=0.001 · resample") << "nothing that is recorded differs";
    const WallScene scene = makeScene(data, 300, {});
    EXPECT_EQ(scene.columns.size(), 2u);
    EXPECT_EQ(load(numbered.file, {numbered.runIds[0]}).runs.size(), 1u)
        << "runs that a person chose stand alone";
}

TEST_F(ReviewDataTest, ShowsChosenRunsInTheirOrder) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    const ReviewData data = load(store.file, {store.runIds[1], store.runIds[0]});
    ASSERT_EQ(data.runs.size(), 2u);
    EXPECT_EQ(data.runs[0].name, "lr=0.01");
    EXPECT_TRUE(data.sweepId.empty());
}

TEST_F(ReviewDataTest, FindsTheNearestEarlierClip) {
    const NumberedStore store = makeNumberedStore(m_folder.path(), 200);
    const ReviewData data = load(store.file);
    const ReviewRow cat{"a cat", 7};
    EXPECT_EQ(data.clip(store.runIds[0], cat, 300)->step, 300);
    EXPECT_EQ(data.clip(store.runIds[1], cat, 300)->step, 200);
    EXPECT_EQ(data.clip(store.runIds[1], cat, 50), nullptr);
    EXPECT_EQ(data.clip("unknown", cat, 300), nullptr);

    const WallScene scene = makeScene(data, 300, {});
    EXPECT_FALSE(scene.tile(0, 0).earlier);
    EXPECT_TRUE(scene.tile(1, 0).earlier);
}

TEST_F(ReviewDataTest, OrdersBestFirstByTheMeaningOfTheMetric) {
    const NumberedStore store = makeNumberedStore(m_folder.path());
    ReviewData data = load(store.file);
    EXPECT_THAT(data.order(""), testing::ElementsAre(0, 1));
    EXPECT_THAT(data.order("loss"), testing::ElementsAre(1, 0)) << "the sweep minimizes it";
    EXPECT_THAT(data.order("adherence"), testing::ElementsAre(1, 0)) << "more is better";
    data.runs[1].metrics["adherence"].value = std::nan("");
    EXPECT_THAT(data.order("adherence"), testing::ElementsAre(0, 1)) << "a run that diverged comes last";
    data.runs[0].metrics.erase("loss");
    EXPECT_THAT(data.order("loss"), testing::ElementsAre(1, 0)) << "as does one without a value";
    EXPECT_FALSE(data.higherIsBetter("val/fvd"));
    EXPECT_TRUE(data.higherIsBetter("samples_per_second"));
}

TEST_F(ReviewDataTest, IsEmptyForAStoreThatDoesNotExistYet) {
    const ReviewData data = load(m_folder.path() / "none.db");
    EXPECT_TRUE(data.runs.empty());
    EXPECT_TRUE(data.rows.empty());
}

TEST_F(ReviewDataTest, SaysWhichFileIsNoStore) {
    const auto file = m_folder.path() / "broken.db";
    writeFileAtomically(file, std::string(5000, 'x'));
    try {
        load(file);
        FAIL() << "that is no database";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), testing::HasSubstr("broken.db"));
    }
}

TEST_F(ReviewDataTest, TellsWaitingMissingAndArrivedClipsApart) {
    test::DemoOptions options;
    options.mixedStates = true;
    options.samples = 4;
    const test::DemoStore demo = test::makeDemoStore(m_folder.path(), options);
    const ReviewData data = load(demo.file);
    const WallScene scene = makeScene(data, data.steps.back(), {});
    EXPECT_EQ(scene.tile(0, 0).note, "Waiting in the queue");
    EXPECT_FALSE(scene.tile(1, 0).earlier);
    EXPECT_FALSE(scene.tile(1, 0).file.empty());
    // The run that goes on sampled step 400, which has not been copied: step 200 is shown, marked.
    EXPECT_EQ(scene.tile(2, 0).step, 200);
    EXPECT_TRUE(scene.tile(2, 0).earlier);
    EXPECT_TRUE(scene.columns[1].best) << "adherence is maximized";
    EXPECT_THAT(scene.describe(2, 0).toStdString(), testing::HasSubstr("earlier step"));
}

TEST_F(ReviewDataTest, StarsARunThatLeadsAndNoneOfSeveralThatAreEquallyGood) {
    const NumberedStore numbered = makeNumberedStore(m_folder.path());
    ReviewData data = load(numbered.file);
    const auto stars = [&](const std::vector<double>& values) {
        for (std::size_t i = 0; i < data.runs.size(); ++i)
            data.runs[i].metrics["adherence"] = {300, 0, values[i]};
        std::string starred;
        for (const auto& column : makeScene(data, data.steps.back(), "adherence").columns)
            starred += column.best ? '*' : '-';
        return starred;
    };
    EXPECT_EQ(stars({0, 0}), "--") << "tied at 0";
    EXPECT_EQ(stars({std::nan(""), std::nan("")}), "--");
    EXPECT_EQ(stars({0.5, 0.75}), "*-") << "the best stands first";
}

}  // namespace
}  // namespace dailies::ui
