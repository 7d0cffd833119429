#include "ui/charts/panels/importance_panel.h"

#include "core/tracking/training_run.h"
#include "tests/ui/charts/panels/panel_on_show.h"
#include "tests/ui/charts/panels/sweep_runs.h"
#include "ui/charts/panels/bar_list.h"

#include <QLabel>
#include <gmock/gmock.h>

namespace dailies::ui {
namespace {

using testing::HasSubstr;

std::string message(QWidget& panel) {
    std::string all;
    for (const auto* label : panel.findChildren<QLabel*>()) {
        if (label->isVisible()) {
            all += text(label->text()) + "\n";
        }
    }
    return all;
}

TEST(ImportancePanel, PutsTheParamThatMattersFirstAndSaysHowMuchIsExplained) {
    OnShow<ImportancePanel> on(sweepRuns(120));
    const auto& rows = on.panel.bars().rows();
    ASSERT_EQ(rows.size(), 5U);
    EXPECT_EQ(rows[0].id, "lr");
    EXPECT_FALSE(rows[0].faint);
    EXPECT_THAT(text(rows[0].valueText), HasSubstr("↑"));
    EXPECT_THAT(text(on.panel.summary()),
                testing::MatchesRegex("The params explain [0-9]+ % of the differences in "
                                      "adherence over 118 runs\\. 2 without a finite value "
                                      "left out\\."));
    for (const auto& row : rows) {
        if (row.id == "dropout") {
            EXPECT_TRUE(row.faint);
        }
        if (row.id == "optimizer" && !row.faint) {
            EXPECT_THAT(text(row.valueText), HasSubstr("muon"));
        }
    }
}

TEST(ImportancePanel, BarsAreAsLongAsTheirShares) {
    OnShow<ImportancePanel> on(sweepRuns(120));
    const auto& rows = on.panel.bars().rows();
    const double first = on.panel.bars().barOf(0).width(), second = on.panel.bars().barOf(1).width();
    EXPECT_NEAR(second / first, rows[1].value / rows[0].value, 0.02);
}

TEST(ImportancePanel, SaysWhyItCannotTell) {
    OnShow<ImportancePanel> on(sweepRuns(6));
    EXPECT_THAT(message(on.panel), HasSubstr("too few to estimate importance"));
    EXPECT_THAT(message(on.panel), HasSubstr("at least 8 runs"));
    on.show({});
    EXPECT_THAT(message(on.panel), HasSubstr("No runs to show"));
}

TEST(ImportancePanel, AWorthlessModelSaysSo) {
    analysis::ImportanceReport report;
    report.runs = 40;
    report.explained = -0.08;
    EXPECT_EQ(text(importanceSummary(report, QStringLiteral("loss"))),
              "Cannot tell: the params do not explain the differences in loss over 40 runs (out-of-bag R² "
              "−0.08). The "
              "bars are noise.");
    report.explained = 0.04;
    EXPECT_THAT(text(importanceSummary(report, QStringLiteral("loss"))), HasSubstr("hardly any (4.0 %)"));
}

TEST(ImportancePanel, SelectingRunsInTheTableDoesNotLearnAnew) {
    auto runs = sweepRuns(30);
    OnShow<ImportancePanel> on(runs);
    runs[3].emphasized = true;
    on.panel.setRuns(runs);
    EXPECT_TRUE(on.panel.isSettled());
}

TEST(ImportancePanel, ChoicesSurviveARestartAndTheTableIsWritten) {
    OnShow<ImportancePanel> on(sweepRuns(40));
    on.panel.restore({{"target", "metric:loss"}});
    on.settle();
    EXPECT_EQ(on.panel.panelState(), (QJsonObject{{"target", "metric:loss"}}));
    EXPECT_THAT(text(on.panel.summary()), HasSubstr("loss"));
    EXPECT_THAT(on.panel.toCsv(),
                testing::StartsWith("param,share,standard_error,spearman_rho,highest_with\r\n"));
}

TEST(ImportancePanel, LearnsOfTheRunsThatTheFilterShowsAtOnceAndNotOfJobs) {
    auto runs = sweepRuns(120);
    OnShow<ImportancePanel> on(runs);
    runs.resize(60);
    auto job = std::make_shared<tracking::Run>(*runs[0].run);
    job->id = "job";
    job->params = {{"sampling.guidance", "3"}};
    job->tags[tracking::tag::kSampledRun] = runs[0].run->id;
    runs.push_back({.run = job});
    on.show(runs);
    EXPECT_THAT(text(on.panel.summary()), HasSubstr("over 58 runs"));
    for (const auto& row : on.panel.bars().rows()) {
        EXPECT_NE(row.id, "sampling.guidance");
    }
}

TEST(ImportancePanel, NothingLiesOverTheBarsInTheLeastCard) {
    OnShow<ImportancePanel> on(sweepRuns(60), {320, 196});
    const QRect bars(on.panel.bars().mapTo(&on.panel, QPoint(0, 0)), on.panel.bars().size());
    EXPECT_GE(bars.height(), 40);
    for (const auto* label : on.panel.bars().parentWidget()->findChildren<QLabel*>()) {
        const QRect place(label->mapTo(&on.panel, QPoint(0, 0)), label->size());
        EXPECT_FALSE(label->isVisible() && place.intersects(bars)) << text(label->text());
        EXPECT_TRUE(!label->isVisible() || on.panel.rect().contains(place)) << text(label->text());
    }
}

}  // namespace
}  // namespace dailies::ui
