#include "ui/charts/panels/parallel_panel.h"

#include "tests/ui/charts/panels/panel_on_show.h"
#include "tests/ui/charts/panels/sweep_runs.h"

#include <QJsonArray>
#include <QSignalSpy>
#include <gmock/gmock.h>

#include <algorithm>

namespace dailies::ui {
namespace {

using analysis::Field;

std::vector<std::string> axes(ParallelPanel& panel) {
    std::vector<std::string> names;
    for (const auto& axis : panel.canvas().scene()->axes) {
        names.push_back(axis.column().field.key);
    }
    return names;
}

std::size_t axisOf(ParallelPanel& panel, const std::string& key) {
    const auto all = axes(panel);
    return static_cast<std::size_t>(std::find(all.begin(), all.end(), key) - all.begin());
}

struct Chosen {
    explicit Chosen(ChartPanel& panel) {
        QObject::connect(&panel, &ChartPanel::runsChosen, &panel,
                         [this](const std::vector<std::string>& runIds) {
                             ids = runIds;
                             ++count;
                         });
    }
    std::vector<std::string> ids;
    int count = 0;
};

void drag(QWidget& widget, QPointF from, QPointF to) {
    QTest::mousePress(&widget, Qt::LeftButton, {}, from.toPoint());
    for (int i = 1; i <= 4; ++i) {
        const QPointF at = from + (to - from) * i / 4.0;
        QMouseEvent move(QEvent::MouseMove, at, widget.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, {});
        QCoreApplication::sendEvent(&widget, &move);
    }
    QTest::mouseRelease(&widget, Qt::LeftButton, {}, to.toPoint());
}

TEST(ParallelPanel, ShowsTheParamsThatDifferAndTheMetricLast) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    EXPECT_THAT(axes(on.panel),
                testing::UnorderedElementsAre("lr", "batch", "optimizer", "dropout", "warmup", "adherence"));
    EXPECT_EQ(axes(on.panel).back(), "adherence");
    EXPECT_TRUE(on.panel.canvas().scene()->axes[axisOf(on.panel, "lr")].logarithmic());
    EXPECT_FALSE(on.panel.canvas().scene()->axes[axisOf(on.panel, "batch")].logarithmic());
}

TEST(ParallelPanel, PutsRunsWithoutAValueBelowTheAxis) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    const std::size_t adherence = axisOf(on.panel, "adherence");
    for (const std::size_t run : {2U, 4U}) {
        EXPECT_DOUBLE_EQ(canvas.pointOf(run, adherence).y(), canvas.yOf(ParallelCanvas::kMissingPlace));
    }
    EXPECT_GT(canvas.yOf(ParallelCanvas::kMissingPlace), canvas.yOf(0));
    EXPECT_LT(canvas.yOf(ParallelCanvas::kMissingPlace), canvas.height());
}

TEST(ParallelPanel, BrushingChoosesExactlyTheRunsWithinEveryInterval) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    Chosen chosen(on.panel);
    const std::size_t lr = axisOf(on.panel, "lr"), adherence = axisOf(on.panel, "adherence");
    drag(canvas, {canvas.xOf(adherence), canvas.yOf(1) - 3}, {canvas.xOf(adherence), canvas.yOf(0.5)});
    drag(canvas, {canvas.xOf(lr), canvas.yOf(0.4)}, {canvas.xOf(lr), canvas.yOf(0.9)});

    const auto& scene = *canvas.scene();
    std::vector<std::string> wanted;
    for (std::size_t run = 0; run < 60; ++run) {
        const double a = scene.axes[adherence].place(run), b = scene.axes[lr].place(run);
        const auto& first = canvas.brush(adherence).front();
        const auto& second = canvas.brush(lr).front();
        if (a >= first.from && a <= first.to && b >= second.from && b <= second.to) {
            wanted.push_back(runId(run));
        }
    }
    EXPECT_NEAR(canvas.brush(lr).front().from, 0.4, 0.01);
    EXPECT_NEAR(canvas.brush(lr).front().to, 0.9, 0.01);
    EXPECT_FALSE(wanted.empty());
    EXPECT_EQ(chosen.ids, wanted);
}

TEST(ParallelPanel, SeveralIntervalsOfOneAxisAddUp) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    canvas.setBrush(axisOf(on.panel, "optimizer"), {{0.1, 0.2}, {0.8, 0.9}});
    for (const auto& id : canvas.chosen()) {
        const auto& runs = *canvas.scene()->runs;
        EXPECT_NE(runs.runs[*runs.find(id)]->params.at("optimizer"), "lion");
    }
    EXPECT_GT(canvas.chosen().size(), 20U);
}

TEST(ParallelPanel, ABrushIsMovedAdjustedAndTakenAway) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    Chosen chosen(on.panel);
    const std::size_t lr = axisOf(on.panel, "lr");
    const double x = canvas.xOf(lr);
    drag(canvas, {x, canvas.yOf(0.4)}, {x, canvas.yOf(0.6)});
    drag(canvas, {x, canvas.yOf(0.5)}, {x, canvas.yOf(0.7)});
    EXPECT_NEAR(canvas.brush(lr).front().from, 0.6, 0.02);
    EXPECT_NEAR(canvas.brush(lr).front().to, 0.8, 0.02);
    drag(canvas, {x, canvas.yOf(canvas.brush(lr).front().to)}, {x, canvas.yOf(0.95)});
    EXPECT_NEAR(canvas.brush(lr).front().from, 0.6, 0.02);
    EXPECT_NEAR(canvas.brush(lr).front().to, 0.95, 0.02);
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, QPointF(x, canvas.yOf(0.1)).toPoint());
    EXPECT_TRUE(canvas.brush(lr).empty());
    EXPECT_TRUE(chosen.ids.empty());
    EXPECT_EQ(chosen.count, 4);
}

TEST(ParallelPanel, RunsWithoutAValueCanBeBrushedToo) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    const double x = canvas.xOf(axisOf(on.panel, "adherence"));
    Chosen chosen(on.panel);
    drag(canvas, {x, canvas.yOf(-0.05)}, {x, canvas.height() - 1.0});
    EXPECT_THAT(chosen.ids, testing::ElementsAre(runId(2), runId(4)));
}

TEST(ParallelPanel, TheKeyboardBrushesMovesAxesAndEscapeClears) {
    OnShow<ParallelPanel> on(sweepRuns(60));
    auto& canvas = on.panel.canvas();
    Chosen chosen(on.panel);
    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_Right);
    QTest::keyClick(&canvas, Qt::Key_Up);
    ASSERT_EQ(canvas.brush(1).size(), 1U);
    EXPECT_DOUBLE_EQ(canvas.brush(1).front().to, 1);
    EXPECT_FALSE(chosen.ids.empty());
    QTest::keyClick(&canvas, Qt::Key_Plus);
    EXPECT_NEAR(canvas.brush(1).front().to - canvas.brush(1).front().from, 0.3, 1e-9);
    const auto before = axes(on.panel);
    QTest::keyClick(&canvas, Qt::Key_Right, Qt::ShiftModifier);
    on.settle();
    EXPECT_EQ(axes(on.panel)[2], before[1]);
    EXPECT_EQ(canvas.brush(2).size(), 1U) << "the brush goes with its axis";
    QTest::keyClick(&canvas, Qt::Key_Escape);
    EXPECT_FALSE(canvas.brushed());
    EXPECT_TRUE(chosen.ids.empty());
}

TEST(ParallelPanel, DraggingANameMovesItsAxis) {
    OnShow<ParallelPanel> on(sweepRuns(20));
    auto& canvas = on.panel.canvas();
    const auto before = axes(on.panel);
    QSignalSpy saved(&on.panel, &ChartPanel::panelStateChanged);
    drag(canvas, {canvas.xOf(0), 8}, {canvas.xOf(3), 8});
    on.settle();
    EXPECT_EQ(axes(on.panel)[3], before[0]);
    EXPECT_EQ(saved.count(), 1);
}

TEST(ParallelPanel, ABrushStaysOnItsValuesWhenNewRunsWidenTheAxis) {
    auto runs = sweepRuns(30);
    OnShow<ParallelPanel> on(runs);
    auto& canvas = on.panel.canvas();
    canvas.setBrush(axisOf(on.panel, "adherence"), {{0.5, 1}});
    const auto before = canvas.chosen();
    auto outlier = std::make_shared<tracking::Run>(*runs[0].run);
    outlier->id = runId(99);
    outlier->metrics["adherence"].value = -5;
    runs.push_back({.run = outlier});
    on.show(runs);
    EXPECT_EQ(canvas.chosen(), before);
}

TEST(ParallelPanel, HoveringALineTellsWhoseItIs) {
    OnShow<ParallelPanel> on(sweepRuns(3));
    auto& canvas = on.panel.canvas();
    std::string hovered;
    QObject::connect(&on.panel, &ChartPanel::runHovered, [&](const std::string& id) { hovered = id; });
    std::vector<std::string> alongIt;  // other lines may cross it anywhere
    for (const double share : {0.15, 0.3, 0.45, 0.6, 0.75, 0.9}) {
        const QPointF at = canvas.pointOf(1, 0) * (1 - share) + canvas.pointOf(1, 1) * share;
        QTest::mouseMove(&canvas, at.toPoint());
        alongIt.push_back(hovered);
    }
    EXPECT_THAT(alongIt, testing::Contains(runId(1)));
    QEvent leave(QEvent::Leave);
    QCoreApplication::sendEvent(&canvas, &leave);
    EXPECT_EQ(hovered, "");
}

TEST(ParallelPanel, SaysHowManyRunsLackAValueAndHowManyAreSelected) {
    auto runs = sweepRuns(20);
    runs[7].emphasized = true;
    OnShow<ParallelPanel> on(runs);
    EXPECT_THAT(shownText(on.panel), testing::HasSubstr("20 runs, 1 selected; "));
    EXPECT_THAT(shownText(on.panel), testing::HasSubstr(" without a value on some axis"));
}

TEST(ParallelPanel, ChoicesSurviveARestart) {
    OnShow<ParallelPanel> first(sweepRuns(20));
    QJsonObject wanted{{"axes", QJsonArray{"param:optimizer", "metric:loss", "duration"}},
                       {"color", "param:"}};
    first.panel.restore(wanted);
    first.settle();
    EXPECT_THAT(axes(first.panel), testing::ElementsAre("optimizer", "loss", ""));
    EXPECT_FALSE(first.panel.canvas().scene()->color.has_value());
    EXPECT_EQ(first.panel.panelState(), wanted);
    OnShow<ParallelPanel> second({});
    second.panel.restore({{"axes", 7}, {"color", QJsonArray{1}}, {"unknown", true}});
    EXPECT_EQ(second.panel.panelState(), QJsonObject());
    second.show(sweepRuns(20));
    EXPECT_EQ(axes(second.panel).back(), "adherence");
}

TEST(ParallelPanel, DrawsEveryRunAndFadesThoseOutsideTheBrush) {
    OnShow<ParallelPanel> on(sweepRuns(10));
    auto& canvas = on.panel.canvas();
    const QPointF at = (canvas.pointOf(0, 0) + canvas.pointOf(0, 1)) / 2;
    const auto strength = [&](QPointF point) {
        const QColor color = canvas.grab().toImage().pixelColor(point.toPoint());
        return std::abs(color.red() - 255) + std::abs(color.green() - 255) + std::abs(color.blue() - 255);
    };
    const int before = strength(at);
    canvas.setBrush(0, {{2, 3}});
    EXPECT_TRUE(waitUntil([&] { return canvas.isSettled(); }));
    EXPECT_GT(before, 100);
    EXPECT_LT(strength(at), before);
}

TEST(ParallelPanel, WritesItsTableWithHostileNamesQuoted) {
    auto runs = sweepRuns(8);
    auto odd = std::make_shared<tracking::Run>(*runs[0].run);
    odd->id = runId(77);
    odd->name = "<b>\"quoted\", \xe2\x80\xae\n🎬";
    odd->params["optimizer"] = "a,b\"c";
    runs.push_back({.run = odd});
    OnShow<ParallelPanel> on(runs);
    const std::string csv = on.panel.toCsv();
    EXPECT_THAT(csv, testing::StartsWith("run_id,name,"));
    EXPECT_THAT(csv, testing::HasSubstr("\"<b>\"\"quoted\"\", \xe2\x80\xae\n🎬\""));
    EXPECT_THAT(csv, testing::HasSubstr("\"a,b\"\"c\""));
}

TEST(ParallelPanel, WithoutRunsOrDifferencesItSaysSo) {
    OnShow<ParallelPanel> on({});
    EXPECT_EQ(on.panel.canvas().scene(), nullptr);
    EXPECT_EQ(on.panel.toCsv(), "run_id,name\r\n");
    auto same = sweepRuns(1);
    auto bare = std::make_shared<tracking::Run>();
    bare->id = runId(1);
    on.show({{.run = bare}, {.run = bare}});
    EXPECT_FALSE(on.panel.canvas().isVisible());
    on.show(same);
    EXPECT_TRUE(on.panel.canvas().isVisible()) << "one run has metrics to show";
}

}  // namespace
}  // namespace dailies::ui
