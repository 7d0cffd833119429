#include "ui/runs/run_table_model.h"

#include "core/tracking/training_run.h"
#include "tests/ui/wait_until.h"
#include "ui/runs/run_actions.h"
#include "ui/theme/run_colors.h"

#include <QItemSelectionModel>
#include <QSignalSpy>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dailies::ui {
namespace {

using namespace std::string_literals;

tracking::Run makeRun(const std::string& id, const std::string& lr,
                      std::optional<double> loss = std::nullopt) {
    tracking::Run run;
    run.id = id;
    run.name = "lr=" + lr;
    run.experiment = "shapes";
    run.status = tracking::RunStatus::Running;
    run.startMs = 1000;
    run.params = {{"optimizer.lr", lr}, {"model.width", "64"}, {"steps", "200"}};
    run.tags[tracking::tag::kSweepName] = "shapes-lr";
    if (loss) {
        run.metrics["loss"] = {100, 2000, *loss};
    }
    return run;
}

class RunTableTest : public testing::Test {
protected:
    void show(std::vector<tracking::Run> runs) {
        m_model.setRuns(makeRunSet(std::move(runs)));
        settle();
    }
    void update(const tracking::Run& run) {
        m_model.updateRuns({std::make_shared<const tracking::Run>(run)});
        settle();
    }
    void settle() {
        ASSERT_TRUE(waitUntil([&] { return m_model.isSettled(); }));
    }
    void sortBy(const std::string& columnId, Qt::SortOrder order) {
        m_model.sortBy(columnId, order);
        settle();
    }
    QStringList names() const {
        QStringList result;
        for (int row = 0; row < m_model.rowCount(); ++row) {
            result << m_model.index(row, 0).data().toString();
        }
        return result;
    }
    QString cell(int row, const std::string& columnId) const {
        const int column = m_model.columnOfId(columnId);
        return column < 0 ? QStringLiteral("no such column") : m_model.index(row, column).data().toString();
    }
    RunTableModel m_model;
};

TEST_F(RunTableTest, ShowsOnlyTheParamsThatDifferUntilAskedForAll) {
    show({makeRun("a", "0.1"), makeRun("b", "0.01")});
    EXPECT_GE(m_model.columnOfId("param:optimizer.lr"), 0);
    EXPECT_EQ(m_model.columnOfId("param:model.width"), -1);
    m_model.setColumns({.differsOnly = false});
    EXPECT_GE(m_model.columnOfId("param:model.width"), 0);
}

TEST_F(RunTableTest, AnImportedRunWithOtherParamsMakesNoneDiffer) {
    auto imported = makeRun("c", "0.1");
    imported.params = {{"batch_size", "8"}, {"scheduler", "cosine"}};
    show({makeRun("a", "0.1"), makeRun("b", "0.01"), imported});
    EXPECT_EQ(m_model.shownKeys().variedParams(), std::vector<std::string>{"optimizer.lr"});
    EXPECT_EQ(m_model.columnOfId("param:model.width"), -1) << "the same in both runs that have it";
    EXPECT_EQ(m_model.columnOfId("param:scheduler"), -1);
    auto second = imported;
    second.id = "d";
    second.params["scheduler"] = "linear";
    show({makeRun("a", "0.1"), makeRun("b", "0.01"), imported, second});
    EXPECT_GE(m_model.columnOfId("param:scheduler"), 0) << "two of them differ in it";
}

TEST_F(RunTableTest, OnlyParamsThatDifferAmongTheRunsOnShowHaveAColumn) {
    auto wide = makeRun("b", "0.01");
    wide.params["model.width"] = "128";
    wide.experiment = "wide";
    auto wideToo = makeRun("c", "0.01");
    wideToo.params["model.width"] = "128";
    wideToo.params["steps"] = "400";
    wideToo.experiment = "wide";
    show({wideToo, wide, makeRun("a", "0.1")});
    EXPECT_GE(m_model.columnOfId("param:model.width"), 0);
    EXPECT_GE(m_model.columnOfId("param:optimizer.lr"), 0);
    m_model.setExperiment("wide");
    settle();
    EXPECT_EQ(m_model.columnOfId("param:model.width"), -1) << "128 in both runs that are shown";
    EXPECT_EQ(m_model.columnOfId("param:optimizer.lr"), -1);
    EXPECT_GE(m_model.columnOfId("param:steps"), 0);
    EXPECT_EQ(m_model.shownKeys().variedParams(), std::vector<std::string>{"steps"});
    auto widened = makeRun("b", "0.02");
    widened.params["model.width"] = "128";
    widened.experiment = "wide";
    update(widened);
    EXPECT_GE(m_model.columnOfId("param:optimizer.lr"), 0) << "follows live runs";
    m_model.setMatcher(RunMatcher::ofWords("no such run"));
    settle();
    EXPECT_GE(m_model.columnOfId("param:optimizer.lr"), 0) << "no columns are lost while nothing matches";
    m_model.setMatcher({});
    m_model.setExperiment({});
    settle();
    EXPECT_GE(m_model.columnOfId("param:model.width"), 0);
}

TEST_F(RunTableTest, AJobThatSamplesOrScoresMakesNoParamDiffer) {
    auto sampling = makeRun("s", "0.1");
    sampling.params = {{"checkpoint.run", "lr=0.1"}, {"sampling.guidance", "3"}};
    sampling.tags[tracking::tag::kSampledRun] = "a";
    auto scoring = makeRun("t", "0.1");
    scoring.params = {{"scoring.scorer", "aesthetic"}};
    scoring.tags[tracking::tag::kScoredRun] = "a";
    show({scoring, sampling, makeRun("a", "0.1"), makeRun("b", "0.01")});
    EXPECT_EQ(m_model.shownKeys().variedParams(), std::vector<std::string>{"optimizer.lr"});
    EXPECT_EQ(m_model.columnOfId("param:model.width"), -1);
    EXPECT_EQ(m_model.columnOfId("param:sampling.guidance"), -1);
    m_model.setColumns({.shown = {"param:sampling.guidance"}});
    EXPECT_GE(m_model.columnOfId("param:sampling.guidance"), 0) << "but can be asked for";
    m_model.setMatcher(RunMatcher::ofWords("checkpoint.run"));
    settle();
    EXPECT_EQ(m_model.rowCount(), 1);
    EXPECT_EQ(m_model.columnOfId("param:optimizer.lr"), -1);
}

TEST_F(RunTableTest, GivesANewMetricItsColumnWhenItsFirstValueArrives) {
    show({makeRun("a", "0.1")});
    EXPECT_EQ(m_model.columnOfId("metric:loss"), -1);
    update(makeRun("a", "0.1", 0.25));
    EXPECT_EQ(cell(0, "metric:loss"), "0.25");
}

TEST_F(RunTableTest, PutsNewRunsAboveAndKeepsTheSelectionOfThoseThatStay) {
    show({makeRun("b", "0.01"), makeRun("a", "0.1")});
    QItemSelectionModel selection(&m_model);
    selection.select(m_model.index(1, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    show({makeRun("c", "0.001"), makeRun("b", "0.01"), makeRun("a", "0.1")});
    EXPECT_EQ(names(), (QStringList{"lr=0.001", "lr=0.01", "lr=0.1"}));
    ASSERT_EQ(selection.selectedRows().size(), 1);
    EXPECT_EQ(selection.selectedRows().front().data(RunTableModel::IdRole).toString(), "a");
}

TEST_F(RunTableTest, DropsRunsThatWereDeleted) {
    show({makeRun("b", "0.01"), makeRun("a", "0.1")});
    show({makeRun("a", "0.1")});
    EXPECT_EQ(names(), QStringList{"lr=0.1"});
    EXPECT_EQ(m_model.rowOf("b"), -1);
}

TEST_F(RunTableTest, AnUpdateTouchesItsOwnRowAlone) {
    show({makeRun("c", "1", 3), makeRun("b", "2", 2), makeRun("a", "3", 1)});
    QSignalSpy changed(&m_model, &QAbstractItemModel::dataChanged);
    QSignalSpy moved(&m_model, &QAbstractItemModel::layoutChanged);
    QSignalSpy reset(&m_model, &QAbstractItemModel::modelReset);
    update(makeRun("b", "2", 9));
    ASSERT_EQ(changed.size(), 1);
    EXPECT_EQ(changed.front().at(0).toModelIndex().row(), 1);
    EXPECT_EQ(changed.front().at(1).toModelIndex().row(), 1);
    EXPECT_EQ(moved.size() + reset.size(), 0);
}

TEST_F(RunTableTest, SaysSlurmsTruthAndTheReason) {
    tracking::Run run = makeRun("a", "0.1");
    run.status = tracking::RunStatus::Failed;
    run.tags[tracking::tag::kSlurmState] = "TIMEOUT";
    run.tags[tracking::tag::kReason] = "It ran longer than its time limit.";
    show({run});
    EXPECT_EQ(cell(0, "status"), "Timed out · It ran longer than its time limit.");
}

TEST_F(RunTableTest, ShowsHowFarARunIs) {
    show({makeRun("a", "0.1", 0.5)});
    EXPECT_EQ(cell(0, "status"), "Running 50 %");
}

TEST_F(RunTableTest, MakesHostileNamesHarmlessAndShort) {
    tracking::Run run = makeRun("a", "0.1");
    run.name = "\x1b[31mred \0 \xe2\x80\xae rtl \xf0\x9f\x98\x80 "s + std::string(10'000, 'x');
    run.params["key\n" + std::string(10'000, 'k')] = "line\nbreak\t\x1b]0;title\a";
    show({run, makeRun("b", "0.2")});
    for (int row = 0; row < m_model.rowCount(); ++row) {
        for (int column = 0; column < m_model.columnCount(); ++column) {
            for (const int role : {int(Qt::DisplayRole), int(Qt::AccessibleTextRole)}) {
                const QString text = m_model.index(row, column).data(role).toString();
                EXPECT_FALSE(text.contains(QChar(0x1b)) || text.contains(QChar(0)) ||
                             text.contains(QChar(0x202e)));
            }
            EXPECT_FALSE(m_model.index(row, column).data().toString().contains(u'\n'));
        }
    }
    EXPECT_LT(cell(0, "name").size(), 1000);
}

TEST_F(RunTableTest, SortsParamsAsNumbersAndTextsAsPeopleCount) {
    auto ten = makeRun("e", "adam");
    ten.name = "run 10";
    auto nine = makeRun("f", "0.5");
    nine.name = "Run 9";
    show({makeRun("a", "0.1"), makeRun("b", "0.01"), makeRun("c", "1e-3"), makeRun("d", "10"), ten, nine});
    sortBy("param:optimizer.lr", Qt::AscendingOrder);
    EXPECT_EQ(names(), (QStringList{"lr=1e-3", "lr=0.01", "lr=0.1", "Run 9", "lr=10", "run 10"}));
    sortBy("name", Qt::DescendingOrder);
    EXPECT_EQ(names().mid(0, 2), (QStringList{"run 10", "Run 9"}));
}

TEST_F(RunTableTest, KeepsRunsWithoutAValueLastInBothDirections) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    show({makeRun("a", "0.1", 0.5), makeRun("d", "10"), makeRun("b", "0.01", std::nan("")),
          makeRun("e", "5", kInfinity), makeRun("c", "1e-3", 0.1)});
    sortBy("metric:loss", Qt::AscendingOrder);
    EXPECT_EQ(names(), (QStringList{"lr=1e-3", "lr=0.1", "lr=5", "lr=0.01", "lr=10"}));
    sortBy("metric:loss", Qt::DescendingOrder);
    EXPECT_EQ(names(), (QStringList{"lr=5", "lr=0.1", "lr=1e-3", "lr=0.01", "lr=10"}));
}

TEST_F(RunTableTest, FollowsLiveValuesInTheOrder) {
    show({makeRun("a", "0.1", 0.5), makeRun("b", "0.01", 0.4)});
    sortBy("metric:loss", Qt::AscendingOrder);
    EXPECT_EQ(names().front(), "lr=0.01");
    update(makeRun("a", "0.1", 0.1));
    EXPECT_EQ(names().front(), "lr=0.1");
}

TEST_F(RunTableTest, WantsEveryWordSomewhereInTheRun) {
    show({makeRun("a", "0.1"), makeRun("b", "0.01")});
    m_model.setMatcher(RunMatcher::ofWords("running optimizer.lr=0.01"));
    settle();
    EXPECT_EQ(names(), QStringList{"lr=0.01"});
    m_model.setMatcher(RunMatcher::ofWords("SHAPES-LR"));
    settle();
    EXPECT_EQ(m_model.rowCount(), 2);
    m_model.setMatcher(RunMatcher::ofWords("no such thing"));
    settle();
    EXPECT_EQ(m_model.rowCount(), 0);
}

TEST_F(RunTableTest, FiltersByMlflowsLanguage) {
    show({makeRun("a", "0.1", 0.5), makeRun("b", "0.01", 0.4)});
    m_model.setMatcher(
        RunMatcher::ofQuery(query::parseFilter("params.optimizer.lr > 0.05 and metrics.loss < 1")));
    settle();
    EXPECT_EQ(names(), QStringList{"lr=0.1"});
}

TEST_F(RunTableTest, TellsAQueryFromWords) {
    for (const char* text :
         {"params.lr > 1", "metrics.loss", "loss < 3", "status = 'RUNNING'", "tags.x IS NULL"}) {
        EXPECT_TRUE(looksLikeQuery(text)) << text;
    }
    for (const char* text : {"lr=0.01", "shapes running", "", "what is this", "train/loss"}) {
        EXPECT_FALSE(looksLikeQuery(text)) << text;
    }
}

TEST_F(RunTableTest, GroupsByAParamWithMeansAndFoldsThem) {
    auto other = makeRun("c", "1", 5);
    other.params["model.width"] = "128";
    show({makeRun("a", "1", 1), makeRun("b", "2", 3), other});
    m_model.setGrouping({Grouping::By::Param, "model.width"});
    settle();
    EXPECT_EQ(names(), (QStringList{"64 (2)", "lr=1", "lr=2", "128 (1)", "lr=1"}));
    EXPECT_EQ(cell(0, "metric:loss"), "2 ± 1.4");
    EXPECT_EQ(cell(3, "metric:loss"), "5");
    m_model.toggleGroup(0);
    settle();
    EXPECT_EQ(names(), (QStringList{"64 (2)", "128 (1)", "lr=1"}));
    EXPECT_EQ(m_model.shownRuns().size(), 3U) << "folded runs are still charted";
    EXPECT_EQ(m_model.shownRuns().front().group, "64");
    EXPECT_EQ(m_model.runsOfGroup(0), (std::vector<std::string>{"a", "b"}));
}

TEST_F(RunTableTest, GroupsOnShowTogetherHaveColoursOfTheirOwn) {
    std::vector<tracking::Run> runs;
    for (int i = 0; i < 10; ++i) {
        runs.push_back(makeRun(std::string(1, static_cast<char>('a' + i)), std::to_string(i)));
    }
    show(runs);
    m_model.setGrouping({Grouping::By::Param, "optimizer.lr"});
    settle();
    std::set<QString> seen;
    for (const auto& charted : m_model.shownRuns()) {
        seen.insert(runColor(charted.group).name());  // as the charts draw them
    }
    EXPECT_EQ(seen.size(), 10U);
}

TEST_F(RunTableTest, KeepsPinnedRunsOnTopInAnyOrderAndOutsideOfGroups) {
    show({makeRun("a", "0.1", 0.5), makeRun("b", "0.01", 0.9), makeRun("c", "1", 0.1)});
    m_model.setPinned({"b"});
    sortBy("metric:loss", Qt::AscendingOrder);
    EXPECT_EQ(names(), (QStringList{"lr=0.01", "lr=1", "lr=0.1"}));
    EXPECT_TRUE(m_model.isPinned(0));
    m_model.setGrouping({Grouping::By::Status});
    settle();
    EXPECT_EQ(names(), (QStringList{"lr=0.01", "Running (2)", "lr=1", "lr=0.1"}));
}

TEST_F(RunTableTest, ShowsAndSortsByTheBestValueOfAMetric) {
    show({makeRun("a", "0.1", 0.5), makeRun("b", "0.01", 0.9)});
    m_model.setColumns({.best = {"loss"}});
    settle();
    EXPECT_EQ(cell(0, "metric:loss"), "…") << "not read yet";
    m_model.setBest("loss", {{"a", 0.4}, {"b", 0.2}});
    sortBy("metric:loss", Qt::AscendingOrder);
    EXPECT_EQ(names(), (QStringList{"lr=0.01", "lr=0.1"}));
    EXPECT_EQ(cell(0, "metric:loss"), "0.2");
    EXPECT_EQ(m_model.headerData(m_model.columnOfId("metric:loss"), Qt::Horizontal, Qt::DisplayRole),
              "min loss");
}

TEST_F(RunTableTest, KeepsTheOrderAndTheChoiceOfColumns) {
    auto run = makeRun("a", "0.1", 0.5);
    run.metrics["adherence"] = {1, 1, 0.5};
    run.tags["note"] = "good";
    show({run});
    m_model.setColumns({.shown = {"tag:note"}, .hidden = {"sweep"}, .order = {"metric:adherence", "status"}});
    EXPECT_EQ(m_model.columnOfId("sweep"), -1);
    EXPECT_EQ(cell(0, "tag:note"), "good");
    EXPECT_LT(m_model.columnOfId("metric:adherence"), m_model.columnOfId("status"));
    EXPECT_EQ(m_model.columnOfId("name"), 0);
}

TEST_F(RunTableTest, CopesWithTenThousandMetricKeys) {
    auto run = makeRun("a", "0.1");
    for (int i = 0; i < 10'000; ++i) {
        run.metrics["metric" + std::to_string(i)] = {1, 1, 1.0 * i};
    }
    show({run, makeRun("b", "1")});
    EXPECT_LT(m_model.columnCount(), 40) << "a wall of columns comes only when asked for";
    EXPECT_GT(allColumns(m_model.keys()).size(), 20'000U);
    m_model.setColumns({.shown = {"metric:metric9999"}});
    settle();
    EXPECT_EQ(cell(0, "metric:metric9999"), "9999");
}

TEST_F(RunTableTest, CopiesRowsWithWholeNumbersAndWithoutBreakingCells) {
    auto run = makeRun("a", "0.1", 0.123456789);
    run.name = "tab\there";
    show({run});
    const QStringList lines = rowsAsTsv(m_model, {"a"}).split(u'\n');
    ASSERT_EQ(lines.size(), 3);
    EXPECT_EQ(lines[0].count(u'\t'), lines[1].count(u'\t'));
    EXPECT_TRUE(lines[1].startsWith("tab here\t"));
    EXPECT_TRUE(lines[1].contains("0.123456789"));
}

TEST(MetricOrder, PutsLossAndAdherenceFirst) {
    EXPECT_EQ(metricOrder({"grad_norm", "adherence", "val_loss", "loss", "loss"}),
              (std::vector<std::string>{"loss", "adherence", "val_loss", "grad_norm"}));
}

TEST(RunKeys, ForgetsTheKeysOfRunsThatGo) {
    RunKeys keys;
    const auto first = makeRun("a", "0.1", 1), second = makeRun("b", "0.2");
    keys.add(first);
    keys.add(second);
    EXPECT_EQ(keys.variedParams(), std::vector<std::string>{"optimizer.lr"});
    keys.remove(first);
    EXPECT_TRUE(keys.metrics().empty());
    EXPECT_EQ(keys.experiments(), std::vector<std::string>{"shapes"});
}

TEST_F(RunTableTest, TheDurationOfARunThatWasExtendedIsItsTrainingTimeAndTheTooltipHasTheWallTime) {
    auto extended = makeRun("a", "0.1");
    extended.status = tracking::RunStatus::Finished;
    extended.endMs = extended.startMs + 3'664'000;
    extended.pausedMs = 3'600'000;
    auto plain = makeRun("b", "0.1");
    plain.status = tracking::RunStatus::Finished;
    plain.endMs = plain.startMs + 80'000;
    show({extended, plain});
    sortBy("duration", Qt::DescendingOrder);
    const int column = m_model.columnOfId("duration");
    EXPECT_EQ(cell(0, "duration"), "1 min 20 s");
    EXPECT_EQ(cell(1, "duration"), "1 min 04 s");
    EXPECT_EQ(m_model.index(0, column).data(Qt::ToolTipRole).toString(), "");
    EXPECT_EQ(m_model.index(1, column).data(Qt::ToolTipRole).toString(),
              "Training time. Wall time: 1 h 01 min");
}

}  // namespace
}  // namespace dailies::ui
