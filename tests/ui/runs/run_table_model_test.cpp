#include "ui/runs/run_table_model.h"

#include "ui/runs/run_filter.h"

#include <QItemSelectionModel>
#include <gtest/gtest.h>

#include <cmath>

namespace dailies::ui {
namespace {

tracking::Run makeRun(const std::string& id, const std::string& lr,
                      std::optional<double> loss = std::nullopt) {
    tracking::Run run;
    run.id = id;
    run.name = "lr=" + lr;
    run.status = tracking::RunStatus::Running;
    run.startMs = 1000;
    run.params = {{"optimizer.lr", lr}, {"model.width", "64"}, {"steps", "200"}};
    run.tags[tracking::tag::kSweepName] = "shapes-lr";
    if (loss) {
        run.metrics["loss"] = {100, 2000, *loss};
    }
    return run;
}

int columnNamed(const RunTableModel& model, const QString& name) {
    for (int column = 0; column < model.columnCount(); ++column) {
        if (model.headerData(column, Qt::Horizontal, Qt::DisplayRole).toString() == name) {
            return column;
        }
    }
    return -1;
}

QStringList names(const QAbstractItemModel& model) {
    QStringList result;
    for (int row = 0; row < model.rowCount(); ++row) {
        result << model.index(row, 0).data().toString();
    }
    return result;
}

TEST(RunTable, ShowsOnlyTheParamsThatDifferUntilAskedForAll) {
    RunTableModel model;
    model.setRuns(shareRuns({makeRun("a", "0.1"), makeRun("b", "0.01")}));
    EXPECT_GE(columnNamed(model, "lr"), 0);
    EXPECT_EQ(columnNamed(model, "width"), -1);
    model.setDiffersOnly(false);
    EXPECT_GE(columnNamed(model, "width"), 0);
}

TEST(RunTable, GivesANewMetricItsColumnWhenItsFirstValueArrives) {
    RunTableModel model;
    model.setRuns(shareRuns({makeRun("a", "0.1")}));
    EXPECT_EQ(columnNamed(model, "loss"), -1);
    model.updateRuns(shareRuns({makeRun("a", "0.1", 0.25)}));
    const int column = columnNamed(model, "loss");
    ASSERT_GE(column, 0);
    EXPECT_EQ(model.index(0, column).data().toString(), "0.25");
}

TEST(RunTable, PutsNewRunsAboveAndKeepsTheSelectionOfThoseThatStay) {
    RunTableModel model;
    model.setRuns(shareRuns({makeRun("b", "0.01"), makeRun("a", "0.1")}));
    QItemSelectionModel selection(&model);
    selection.select(model.index(1, 0), QItemSelectionModel::Select | QItemSelectionModel::Rows);
    model.setRuns(shareRuns({makeRun("c", "0.001"), makeRun("b", "0.01"), makeRun("a", "0.1")}));
    EXPECT_EQ(names(model), (QStringList{"lr=0.001", "lr=0.01", "lr=0.1"}));
    ASSERT_EQ(selection.selectedRows().size(), 1);
    EXPECT_EQ(selection.selectedRows().front().data(RunTableModel::IdRole).toString(), "a");
}

TEST(RunTable, DropsRunsThatWereDeleted) {
    RunTableModel model;
    model.setRuns(shareRuns({makeRun("b", "0.01"), makeRun("a", "0.1")}));
    model.setRuns(shareRuns({makeRun("a", "0.1")}));
    EXPECT_EQ(names(model), QStringList{"lr=0.1"});
    EXPECT_EQ(model.rowOf("b"), -1);
}

TEST(RunTable, SaysSlurmsTruthAndTheReason) {
    tracking::Run run = makeRun("a", "0.1");
    run.status = tracking::RunStatus::Failed;
    run.tags[tracking::tag::kSlurmState] = "TIMEOUT";
    run.tags[tracking::tag::kReason] = "It ran longer than its time limit.";
    RunTableModel model;
    model.setRuns(shareRuns({run}));
    EXPECT_EQ(model.index(0, columnNamed(model, "Status")).data().toString(),
              "Timed out · It ran longer than its time limit.");
}

TEST(RunTable, ShowsHowFarARunIs) {
    RunTableModel model;
    model.setRuns(shareRuns({makeRun("a", "0.1", 0.5)}));
    EXPECT_EQ(model.index(0, columnNamed(model, "Status")).data().toString(), "Running 50 %");
}

TEST(RunTable, MakesControlCharactersOfRemoteTextVisible) {
    tracking::Run run = makeRun("a", "0.1");
    run.status = tracking::RunStatus::Failed;
    run.tags[tracking::tag::kReason] = "boom \x1b[31mred";
    RunTableModel model;
    model.setRuns(shareRuns({run}));
    EXPECT_FALSE(model.index(0, columnNamed(model, "Status")).data().toString().contains(QChar(0x1b)));
}

class RunFilterTest : public testing::Test {
protected:
    void SetUp() override {
        m_model.setRuns(shareRuns({makeRun("a", "0.1", 0.5), makeRun("b", "0.01", std::nan("")),
                                   makeRun("c", "1e-3", 0.1), makeRun("d", "10")}));
        m_filter.setSourceModel(&m_model);
    }
    RunTableModel m_model;
    RunFilter m_filter;
};

TEST_F(RunFilterTest, SortsParamsAsNumbers) {
    m_filter.sort(columnNamed(m_model, "lr"), Qt::AscendingOrder);
    EXPECT_EQ(names(m_filter), (QStringList{"lr=1e-3", "lr=0.01", "lr=0.1", "lr=10"}));
}

TEST_F(RunFilterTest, KeepsRunsWithoutAValueLastInBothDirections) {
    const int loss = columnNamed(m_model, "loss");
    m_filter.sort(loss, Qt::AscendingOrder);
    EXPECT_EQ(names(m_filter).mid(0, 2), (QStringList{"lr=1e-3", "lr=0.1"}));
    m_filter.sort(loss, Qt::DescendingOrder);
    EXPECT_EQ(names(m_filter).mid(0, 2), (QStringList{"lr=0.1", "lr=1e-3"}));
}

TEST_F(RunFilterTest, WantsEveryWordSomewhereInTheRun) {
    m_filter.setText("running optimizer.lr=0.01");
    EXPECT_EQ(names(m_filter), QStringList{"lr=0.01"});
    m_filter.setText("SHAPES-LR");
    EXPECT_EQ(m_filter.rowCount(), 4);
    m_filter.setText("no such thing");
    EXPECT_EQ(m_filter.rowCount(), 0);
}

TEST(MetricOrder, PutsLossAndAdherenceFirst) {
    EXPECT_EQ(metricOrder({"grad_norm", "adherence", "val_loss", "loss", "loss"}),
              (std::vector<std::string>{"loss", "adherence", "val_loss", "grad_norm"}));
}

}  // namespace
}  // namespace dailies::ui
