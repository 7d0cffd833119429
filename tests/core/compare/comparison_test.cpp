#include "core/compare/comparison.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::compare {
namespace {

using sweep::Goal;
using testing::ElementsAre;
using namespace std::string_literals;

/// Runs to compare, kept alive beside the subject that points to them.
class Runs {
public:
    tracking::Run& add(const std::string& id) {
        auto& run = *m_runs.emplace_back(std::make_unique<tracking::Run>());
        run.id = id;
        run.name = "run " + id;
        run.startMs = 1'763'700'000'000;
        run.status = tracking::RunStatus::Finished;
        return run;
    }

    Comparison compare(std::size_t reference = 0, const Goals& goals = {}, const BestPoints& best = {}) {
        ComparisonInput subject{.best = best, .goals = goals, .reference = reference};
        for (const auto& run : m_runs) subject.runs.push_back(run.get());
        return compareRuns(subject);
    }

private:
    std::vector<std::unique_ptr<tracking::Run>> m_runs;
};

const Row* find(const Comparison& comparison, SectionKind kind, const std::string& key,
                const std::string& nameEnd = "") {
    for (const auto& section : comparison.sections)
        for (const auto& group : section.groups)
            for (const auto& row : group.rows)
                if (section.kind == kind && row.key == key && row.name.ends_with(nameEnd)) return &row;
    return nullptr;
}

std::vector<std::string> shownKeys(const Comparison& comparison, const LineFilter& filter) {
    std::vector<std::string> keys;
    for (const auto& line : linesOf(comparison, filter))
        if (line.kind == Line::Kind::Row) keys.push_back(line.row->key);
    return keys;
}

TEST(Comparison, WritesLargeRatiosAsPeopleDo) {
    Runs runs;
    runs.add("a").params = {{"optimizer.lr", "0.0003"}};
    runs.add("b").params = {{"optimizer.lr", "0.045"}};
    EXPECT_EQ(find(runs.compare(), SectionKind::Config, "optimizer.lr")->cells[1].change, "×150");
}

TEST(Comparison, ShowsOnlyTheKeysInWhichRunsDiffer) {
    Runs runs;
    runs.add("a").params = {{"optimizer.lr", "0.01"}, {"steps", "1600"}};
    runs.add("b").params = {{"optimizer.lr", "0.033"}, {"steps", "1600"}};
    const auto comparison = runs.compare();
    EXPECT_THAT(shownKeys(comparison, {}), ElementsAre("optimizer.lr"));
    EXPECT_THAT(shownKeys(comparison, {.differencesOnly = false, .words = "config"}),
                ElementsAre("steps", "optimizer.lr"));
}

TEST(Comparison, TellsRatiosToTheReferenceAndTheSchemasUnits) {
    Runs runs;
    runs.add("a").params = {{"optimizer.lr", "0.01"}, {"data.width", "32"}};
    runs.add("b").params = {{"optimizer.lr", "0.033"}, {"data.width", "64"}};
    const auto comparison = runs.compare();
    const Row* lr = find(comparison, SectionKind::Config, "optimizer.lr");
    ASSERT_TRUE(lr);
    EXPECT_EQ(lr->name, "lr");
    EXPECT_EQ(lr->cells[1].change, "×3.3");
    EXPECT_EQ(lr->cells[0].change, "");
    EXPECT_EQ(find(comparison, SectionKind::Config, "data.width")->unit, "px");
    EXPECT_NE(lr->doc.find("Peak learning rate"), std::string::npos);
    const auto swapped = runs.compare(1);
    EXPECT_EQ(find(swapped, SectionKind::Config, "data.width")->cells[0].change, "×0.5");
}

TEST(Comparison, ARunsOwnFolderInAPathMakesNoDifference) {
    Runs runs;
    runs.add("a1").params = {{"model.init", "/w/runs/a1/init"}, {"data.folder", "/data/a1x"}, {"b", "a1"}};
    runs.add("b2").params = {{"model.init", "/w/runs/b2/init"}, {"data.folder", "/data/b2x"}, {"b", "a1"}};
    const auto comparison = runs.compare();
    EXPECT_THAT(shownKeys(comparison, {}), ElementsAre("data.folder"));
    EXPECT_EQ(find(comparison, SectionKind::Config, "model.init")->cells[1].text, "/w/runs/${run}/init");
}

TEST(Comparison, NumbersThatTheTrainerFoundHaveFourDigits) {
    Runs runs;
    const std::string memory = std::string(tracking::tag::kFact) + "planned_memory_gib",
                      driver = std::string(tracking::tag::kFact) + "driver";
    runs.add("a").tags = {{memory, "0.18802905082702637"}, {driver, "12.10"}};
    runs.add("b").tags = {{memory, "0.18640685081481934"}, {driver, "12.10"}};
    const auto comparison = runs.compare();
    EXPECT_EQ(find(comparison, SectionKind::Environment, memory)->cells[0].text, "0.188");
    EXPECT_EQ(find(comparison, SectionKind::Environment, memory)->cells[1].text, "0.1864");
    EXPECT_EQ(find(comparison, SectionKind::Environment, driver)->cells[0].text, "12.10");
}

TEST(Comparison, TakesDifferentSpellingsOfANumberAsTheSame) {
    Runs runs;
    runs.add("a").params = {{"optimizer.lr", "0.01"}, {"x", "nan"}, {"y", "01"}};
    runs.add("b").params = {{"optimizer.lr", "1e-2"}, {"x", "nan"}, {"y", "1"}};
    EXPECT_TRUE(shownKeys(runs.compare(), {}).empty());
}

TEST(Comparison, ARunWithoutAParamDoesNotMakeItDifferNorHasItAnEmptyOne) {
    Runs runs;
    runs.add("a").params = {{"model.family", "dit"}, {"data.folder", ""}, {"optimizer.lr", "0.1"}};
    runs.add("b").params = {{"model.family", "dit"}, {"optimizer.lr", "0.2"}};
    auto comparison = runs.compare();
    const Row* folder = find(comparison, SectionKind::Config, "data.folder");
    EXPECT_FALSE(folder->differs);
    EXPECT_TRUE(folder->cells[0].present);
    EXPECT_FALSE(folder->cells[1].present);
    EXPECT_FALSE(folder->cells[1].differs);
    EXPECT_EQ(folder->cells[1].change, "");

    runs.add("imported").params = {{"batch_size", "8"}};
    for (const std::size_t reference : {0, 2}) {
        comparison = runs.compare(reference);
        EXPECT_THAT(shownKeys(comparison, {}), ElementsAre("optimizer.lr")) << reference;
        const Row* lr = find(comparison, SectionKind::Config, "optimizer.lr");
        EXPECT_EQ(lr->cells[1].differs, reference == 0) << "from a reference that has it";
        EXPECT_FALSE(lr->cells[2].differs);
    }
}

TEST(Comparison, GivesNoRatioWhereItWouldMislead) {
    Runs runs;
    runs.add("a").params = {{"seed", "1"}, {"zero", "0"}, {"sign", "-1"}, {"near", "100"}, {"odd", "1"}};
    runs.add("b").params = {{"seed", "7"}, {"zero", "0.5"}, {"sign", "2"}, {"near", "101"}, {"odd", "inf"}};
    const auto comparison = runs.compare();
    const auto change = [&](const char* key) {
        return find(comparison, SectionKind::Config, key)->cells[1].change;
    };
    EXPECT_EQ(change("seed"), "");
    EXPECT_EQ(change("zero"), "+0.5");
    EXPECT_EQ(change("sign"), "+3");
    EXPECT_EQ(change("near"), "+1");
    EXPECT_EQ(change("odd"), "");
}

TEST(Comparison, GroupsNestedKeysAsTheSchemaDoesAndUnknownOnesBehind) {
    Runs runs;
    runs.add("a").params = {{"zeta", "1"},
                            {"optimizer.lr", "0.1"},
                            {"model.width", "8"},
                            {"steps", "10"},
                            {"custom.deep.key", "x"}};
    runs.add("b");
    const auto comparison = runs.compare();
    std::vector<std::string> titles;
    for (const auto& group : comparison.sections[0].groups) titles.push_back(group.title);
    EXPECT_THAT(titles, ElementsAre("", "model", "optimizer", "custom"));
    EXPECT_EQ(find(comparison, SectionKind::Config, "custom.deep.key")->name, "deep.key");
}

TEST(Comparison, MarksTheBestByTheSweepsGoalElseByTheMetricsName) {
    Runs runs;
    runs.add("a").metrics = {{"loss", {100, 0, 0.3}}, {"adherence", {100, 0, 0.8}}, {"score", {100, 0, 1}}};
    runs.add("b").metrics = {{"loss", {100, 0, 0.2}}, {"adherence", {100, 0, 0.9}}, {"score", {100, 0, 2}}};
    const auto comparison = runs.compare(0, {{"score", Goal::Minimize}});
    const auto bestOf = [&](const char* key) {
        const Row* row = find(comparison, SectionKind::Metrics, key);
        return std::pair(row->cells[0].best, row->cells[1].best);
    };
    EXPECT_EQ(bestOf("loss"), std::pair(false, true));
    EXPECT_EQ(bestOf("adherence"), std::pair(false, true));
    EXPECT_EQ(bestOf("score"), std::pair(true, false));
    EXPECT_EQ(find(comparison, SectionKind::Metrics, "loss")->cells[1].change, "−0.1");
    EXPECT_EQ(find(comparison, SectionKind::Metrics, "loss")->cells[1].note, "step 100");
}

TEST(Comparison, NeverCallsANaNTheBestAndNothingBestWhenAllAreEqual) {
    const double nan = std::numeric_limits<double>::quiet_NaN();
    Runs runs;
    runs.add("a").metrics = {{"loss", {1, 0, nan}}, {"same", {1, 0, 2}}, {"lost", {1, 0, nan}}};
    runs.add("b").metrics = {{"loss", {1, 0, 5}}, {"same", {1, 0, 2}}, {"lost", {1, 0, nan}}};
    runs.add("c").metrics = {{"same", {1, 0, 2}}};
    const auto comparison = runs.compare();
    const Row* loss = find(comparison, SectionKind::Metrics, "loss");
    EXPECT_FALSE(loss->cells[0].best);
    EXPECT_TRUE(loss->cells[1].best);
    EXPECT_FALSE(loss->cells[2].present);
    EXPECT_EQ(loss->cells[0].text, "NaN");
    EXPECT_EQ(loss->cells[1].change, "");
    for (const char* key : {"same", "lost"})
        for (const Cell& cell : find(comparison, SectionKind::Metrics, key)->cells)
            EXPECT_FALSE(cell.best) << key;
}

TEST(Comparison, CallsNoneTheBestWhereNothingSaysWhichWayIsBetter) {
    Runs runs;
    runs.add("a").metrics = {{"grad_norm", {1, 0, 1}}, {"lr", {1, 0, 0.1}}};
    runs.add("b").metrics = {{"grad_norm", {1, 0, 2}}, {"lr", {1, 0, 0.2}}};
    const auto comparison = runs.compare();
    for (const char* key : {"grad_norm", "lr"})
        for (const Cell& cell : find(comparison, SectionKind::Metrics, key)->cells)
            EXPECT_FALSE(cell.best) << key;
}

TEST(Comparison, SeesDifferencesBehindTheShownDigits) {
    Runs runs;
    runs.add("a").metrics = {{"loss", {1, 0, 0.123451}}};
    runs.add("b").metrics = {{"loss", {1, 0, 0.123452}}};
    const auto comparison = runs.compare();
    EXPECT_TRUE(find(comparison, SectionKind::Metrics, "loss")->differs);
    EXPECT_EQ(find(comparison, SectionKind::Metrics, "loss")->cells[1].change, "+1e-06");
}

TEST(Comparison, ShowsTheBestPointWithItsStepBelowTheLast) {
    Runs runs;
    runs.add("a").metrics = {{"loss", {900, 0, 0.5}}};
    runs.add("b").metrics = {{"loss", {900, 0, 0.4}}};
    const BestPoints best{{{"a", "loss"}, {300, 0, 0.1}}, {{"b", "loss"}, {900, 0, 0.4}}};
    const auto comparison = runs.compare(0, {}, best);
    const Row* row = find(comparison, SectionKind::Metrics, "loss", "lowest");
    ASSERT_TRUE(row);
    EXPECT_EQ(row->cells[0].note, "step 300");
    EXPECT_TRUE(row->cells[0].best);
    EXPECT_FALSE(row->cells[1].best);
}

TEST(Comparison, ComparesWhatTheRunsRanOn) {
    Runs runs;
    runs.add("a").tags = {{"dailies.trainer", "0.1.0"}, {"dailies.fact.torch", "2.13.0"}};
    runs.add("b").tags = {{"dailies.trainer", "0.2.0"}, {"dailies.fact.torch", "2.13.0"}};
    const auto comparison = runs.compare();
    EXPECT_THAT(shownKeys(comparison, {}), ElementsAre("dailies.trainer"));
    EXPECT_THAT(shownKeys(comparison, {.differencesOnly = false, .words = "torch"}),
                ElementsAre("dailies.fact.torch"));
}

TEST(Comparison, FindsKeysUnitsAndValues) {
    Runs runs;
    runs.add("a").params = {{"optimizer.lr", "0.01"}, {"data.width", "32"}, {"model.activation", "gelu"}};
    runs.add("b").params = {{"optimizer.lr", "0.02"}, {"data.width", "64"}, {"model.activation", "relu2"}};
    const auto comparison = runs.compare();
    EXPECT_THAT(shownKeys(comparison, {.words = "GELU"}), ElementsAre("model.activation"));
    EXPECT_THAT(shownKeys(comparison, {.words = "px 64"}), ElementsAre("data.width"));
    EXPECT_TRUE(shownKeys(comparison, {.words = "nothing like it"}).empty());
    EXPECT_TRUE(linesOf(comparison, {.words = "nothing like it"}).empty()) << "no titles without rows";
}

TEST(Comparison, OfNothingOrOneRunHasNoDifferences) {
    EXPECT_TRUE(linesOf(compareRuns({}), {}).empty());
    Runs runs;
    runs.add("a").params = {{"steps", "1"}};
    EXPECT_TRUE(linesOf(runs.compare(), {}).empty());
    EXPECT_FALSE(linesOf(runs.compare(), {.differencesOnly = false}).empty());
}

TEST(Goal, FollowsTheNameWhereNoSweepSaysOtherwise) {
    for (const char* lower : {"loss", "val/Loss", "fvd", "step_seconds", "lpips_mean"})
        EXPECT_EQ(goalOf(lower), Goal::Minimize) << lower;
    for (const char* higher : {"adherence", "samples_per_second", "psnr"})
        EXPECT_EQ(goalOf(higher), Goal::Maximize) << higher;
}

TEST(Goal, ReadsGoalsFromSweepFilesAndSkipsUnreadableOnes) {
    const std::string yaml =
        "name: s\nexperiment: e\nmethod: grid\nmetric: {name: loss, goal: maximize}\n"
        "parameters:\n  optimizer.lr: {values: [0.1]}\n";
    std::vector<tracking::SweepRecord> sweeps(2);
    sweeps[0].yaml = "][";
    sweeps[1].yaml = yaml;
    const Goals goals = goalsOf(sweeps);
    EXPECT_EQ(goalOf("loss", goals), Goal::Maximize);
}

TEST(Comparison, OfARunThatWasExtendedTellsItsStepsItsTrainingTimeAndThePause) {
    Runs runs;
    auto& plain = runs.add("a");
    auto& extended = runs.add("b");
    plain.params = {{"steps", "1600"}};
    plain.endMs = plain.startMs + 60'000;
    extended.params = {{"steps", "1700"}};
    extended.endMs = extended.startMs + 3'664'000;
    extended.pausedMs = 3'600'000;
    const auto comparison = runs.compare();
    EXPECT_THAT(shownKeys(comparison, {}), ElementsAre("steps", "duration", "wall_time"));
    const auto texts = [&](const char* key) {
        const Row* row = find(comparison, SectionKind::Environment, key);
        return std::pair(row->cells[0].text, row->cells[1].text);
    };
    EXPECT_EQ(texts("duration"), std::pair("1 min 00 s"s, "1 min 04 s"s));
    EXPECT_EQ(texts("wall_time"), std::pair("1 min 00 s"s, "1 h 01 min"s));
    extended.pausedMs = 0;
    EXPECT_FALSE(find(runs.compare(), SectionKind::Environment, "wall_time"))
        << "the same as the duration where no run paused";
}

}  // namespace
}  // namespace dailies::compare
