#include "ui/charts/panels/bars_panel.h"

#include "tests/ui/charts/panels/panel_on_show.h"
#include "tests/ui/charts/panels/sweep_runs.h"

#include <QScrollBar>
#include <QToolButton>
#include <gmock/gmock.h>

#include <cmath>

namespace dailies::ui {
namespace {

std::vector<double> values(BarsPanel& panel) {
    std::vector<double> result;
    for (const auto& row : panel.bars().rows()) {
        result.push_back(row.value);
    }
    return result;
}

TEST(BarsPanel, SortsRunsByTheirLastValueWithNaNLast) {
    OnShow<BarsPanel> on(sweepRuns(30));
    auto shown = values(on.panel);
    ASSERT_EQ(shown.size(), 29U);  // one run has no adherence at all
    EXPECT_TRUE(std::isnan(shown.back()));
    EXPECT_EQ(on.panel.bars().rows().back().valueText, QStringLiteral("NaN"));
    shown.pop_back();
    EXPECT_TRUE(std::is_sorted(shown.rbegin(), shown.rend()));
    on.panel.restore({{"lowestFirst", true}});
    on.settle();
    shown = values(on.panel);
    shown.pop_back();
    EXPECT_TRUE(std::is_sorted(shown.begin(), shown.end()));
}

TEST(BarsPanel, BarsBeginAtZeroAndAreAsLongAsTheirValues) {
    OnShow<BarsPanel> on(sweepRuns(30));
    const auto shown = values(on.panel);
    const auto& bars = on.panel.bars();
    EXPECT_NEAR(bars.barOf(10).width() / bars.barOf(0).width(), shown[10] / shown[0], 0.02);
    EXPECT_DOUBLE_EQ(bars.barOf(10).left(), bars.barOf(0).left());
}

TEST(BarsPanel, GroupsShowTheirMeanAndStandardDeviation) {
    auto runs = sweepRuns(30);
    for (auto& run : runs) {
        run.group = run.run->params.at("optimizer");
    }
    OnShow<BarsPanel> on(runs);
    ASSERT_EQ(on.panel.bars().rows().size(), 3U);
    for (const auto& row : on.panel.bars().rows()) {
        std::vector<double> all;
        for (const auto& run : runs) {
            const auto found = run.run->metrics.find("adherence");
            if (run.group == row.id && found != run.run->metrics.end() &&
                std::isfinite(found->second.value)) {
                all.push_back(found->second.value);
            }
        }
        double mean = 0, squares = 0;
        for (const double value : all) {
            mean += value / static_cast<double>(all.size());
        }
        for (const double value : all) {
            squares += (value - mean) * (value - mean);
        }
        EXPECT_NEAR(row.value, mean, 1e-9);
        EXPECT_NEAR(row.error, std::sqrt(squares / static_cast<double>(all.size() - 1)), 1e-9);
    }
    std::vector<std::string> chosen;
    QObject::connect(&on.panel, &ChartPanel::runsChosen,
                     [&](const std::vector<std::string>& ids) { chosen = ids; });
    on.panel.bars().setFocus();
    QTest::keyClick(&on.panel.bars(), Qt::Key_Down);
    QTest::keyClick(&on.panel.bars(), Qt::Key_Return);
    EXPECT_GT(chosen.size(), 4U);
}

TEST(BarsPanel, AClickChoosesTheRunAndTheKeyboardReachesTheLastOfThousands) {
    OnShow<BarsPanel> on(sweepRuns(3'000));
    auto& bars = on.panel.bars();
    std::vector<std::string> chosen;
    std::string opened;
    QObject::connect(&on.panel, &ChartPanel::runsChosen,
                     [&](const std::vector<std::string>& ids) { chosen = ids; });
    QObject::connect(&on.panel, &ChartPanel::openRunRequested, [&](const std::string& id) { opened = id; });
    QTest::mouseClick(bars.viewport(), Qt::LeftButton, {}, bars.barOf(2).center().toPoint());
    EXPECT_THAT(chosen, testing::ElementsAre(bars.rows()[2].id));
    bars.setFocus();
    QTest::keyClick(&bars, Qt::Key_End);
    QTest::keyClick(&bars, Qt::Key_Return);
    EXPECT_EQ(opened, bars.rows().back().id);
    QTest::keyClick(&bars, Qt::Key_Space);
    EXPECT_THAT(chosen, testing::ElementsAre(bars.rows().back().id));
    EXPECT_EQ(bars.verticalScrollBar()->value(), bars.verticalScrollBar()->maximum());
}

TEST(BarsPanel, ThousandsHaveAnOverviewThatTakesTheListWhereItIsClicked) {
    OnShow<BarsPanel> on(sweepRuns(3'000));
    auto& bars = on.panel.bars();
    auto& overview = on.panel.overview();
    ASSERT_TRUE(overview.isVisible());
    EXPECT_LT(overview.frame().left(), 3);
    const int middle = overview.width() / 2;
    QTest::mouseClick(&overview, Qt::LeftButton, {}, {middle, 10});
    EXPECT_NEAR(bars.verticalScrollBar()->value(), bars.verticalScrollBar()->maximum() / 2.0,
                bars.verticalScrollBar()->maximum() / 100.0);
    EXPECT_TRUE(overview.frame().contains(QPointF(middle, 10)));
    EXPECT_TRUE(
        overview.summaryText().contains(bars.rows().front().valueText + QStringLiteral(" · median ")));
    EXPECT_FALSE(OnShow<BarsPanel>(sweepRuns(12)).panel.overview().isVisible());
}

TEST(BarsPanel, SaysHowManyRunsHaveNoValueOfTheMetric) {
    OnShow<BarsPanel> on(sweepRuns(30));
    EXPECT_THAT(shownText(on.panel), testing::HasSubstr("29 runs; 1 without a value"));
}

TEST(BarsPanel, ValuesOverDecadesLieOnALogarithmicScale) {
    auto runs = sweepRuns(5);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto run = std::make_shared<tracking::Run>(*runs[i].run);
        run->metrics["adherence"].value = std::pow(10.0, static_cast<double>(i));
        runs[i].run = run;
    }
    OnShow<BarsPanel> on(runs);
    const auto& bars = on.panel.bars();
    EXPECT_NEAR(bars.barOf(0).width() - bars.barOf(1).width(), bars.barOf(1).width() - bars.barOf(2).width(),
                1);
}

TEST(BarsPanel, NegativeAndInfiniteValuesAreShownForWhatTheyAre) {
    auto runs = sweepRuns(3);
    const double wanted[] = {-2, INFINITY, 1};
    for (std::size_t i = 0; i < runs.size(); ++i) {
        auto run = std::make_shared<tracking::Run>(*runs[i].run);
        run->metrics["adherence"].value = wanted[i];
        runs[i].run = run;
    }
    OnShow<BarsPanel> on(runs);
    const auto& bars = on.panel.bars();
    EXPECT_EQ(bars.rows()[0].valueText, QStringLiteral("∞"));
    EXPECT_DOUBLE_EQ(bars.barOf(2).right(), bars.barOf(1).left());
}

TEST(BarsPanel, ChoicesSurviveARestartAndTheTableIsWritten) {
    OnShow<BarsPanel> on(sweepRuns(5));
    const QJsonObject wanted{{"metric", "duration"}, {"lowestFirst", true}};
    on.panel.restore(wanted);
    on.settle();
    EXPECT_EQ(on.panel.panelState(), wanted);
    EXPECT_EQ(on.panel.bars().rows().size(), 5U);
    EXPECT_THAT(on.panel.toCsv(), testing::StartsWith("run_id,name,duration\r\n"));
}

}  // namespace
}  // namespace dailies::ui
