#include "ui/charts/panels/scatter_panel.h"

#include "tests/ui/charts/panels/panel_on_show.h"
#include "tests/ui/charts/panels/sweep_runs.h"
#include "ui/charts/panels/field_picker.h"

#include <QMouseEvent>
#include <gmock/gmock.h>

#include <cmath>

namespace dailies::ui {
namespace {

TEST(ScatterPanel, ShowsTheMetricOverTheParamThatGoesWithItMost) {
    OnShow<ScatterPanel> on(sweepRuns(80));
    const auto& scene = *on.panel.canvas().scene();
    EXPECT_EQ(scene.y.column().field.key, "adherence");
    EXPECT_EQ(scene.x.column().field.key, "lr");
    EXPECT_TRUE(scene.x.logarithmic());
    EXPECT_GT(scene.correlation.rho, 0.7);
    EXPECT_EQ(scene.leftOut, 2U);
}

TEST(ScatterPanel, ItsChoosersNameTheirFieldsInACardAsNarrowAsAnyIs) {
    auto runs = sweepRuns(80);
    OnShow<ScatterPanel> on(runs);
    for (const int width : {320, 360, 430, 880}) {
        on.panel.resize(width, 232);
        QCoreApplication::processEvents();
        for (const auto* picker : on.panel.findChildren<FieldPicker*>())
            EXPECT_FALSE(picker->text().contains(u'…')) << width << ": " << picker->text().toStdString();
    }
}

TEST(ScatterPanel, PutsDotsWhereTheirValuesAre) {
    OnShow<ScatterPanel> on(sweepRuns(80));
    auto& canvas = on.panel.canvas();
    const auto& scene = *canvas.scene();
    EXPECT_FALSE(canvas.pointOf(2).has_value()) << "NaN has no place";
    EXPECT_FALSE(canvas.pointOf(4).has_value());
    for (std::size_t a = 5; a < 20; ++a) {
        for (std::size_t b = 5; b < 20; ++b) {
            EXPECT_EQ(canvas.pointOf(a)->x() < canvas.pointOf(b)->x(),
                      scene.x.column().values[a] < scene.x.column().values[b]);
            EXPECT_EQ(canvas.pointOf(a)->y() > canvas.pointOf(b)->y(),
                      scene.y.column().values[a] < scene.y.column().values[b]);
        }
        EXPECT_TRUE(canvas.plotArea().contains(*canvas.pointOf(a)));
    }
    const QColor color = canvas.grab().toImage().pixelColor(canvas.pointOf(7)->toPoint());
    EXPECT_GT(std::abs(color.red() - 255) + std::abs(color.green() - 255) + std::abs(color.blue() - 255), 60);
}

TEST(ScatterPanel, ARectangleChoosesTheDotsInside) {
    OnShow<ScatterPanel> on(sweepRuns(80));
    auto& canvas = on.panel.canvas();
    std::vector<std::string> chosen;
    QObject::connect(&on.panel, &ChartPanel::runsChosen,
                     [&](const std::vector<std::string>& ids) { chosen = ids; });
    const QRectF area = canvas.plotArea();
    const QPoint from = area.center().toPoint(), to = area.topRight().toPoint() + QPoint(-1, 1);
    QTest::mousePress(&canvas, Qt::LeftButton, {}, from);
    QMouseEvent move(QEvent::MouseMove, to, canvas.mapToGlobal(QPointF(to)), Qt::NoButton, Qt::LeftButton,
                     {});
    QCoreApplication::sendEvent(&canvas, &move);
    QTest::mouseRelease(&canvas, Qt::LeftButton, {}, to);
    std::vector<std::string> wanted;
    for (std::size_t run = 0; run < 80; ++run) {
        if (const auto at = canvas.pointOf(run); at && QRectF(from, to).normalized().contains(*at)) {
            wanted.push_back(runId(run));
        }
    }
    EXPECT_GT(wanted.size(), 5U);
    EXPECT_EQ(chosen, wanted);
}

TEST(ScatterPanel, AClickChoosesOneAndTheKeyboardGoesAlongX) {
    OnShow<ScatterPanel> on(sweepRuns(12));
    auto& canvas = on.panel.canvas();
    std::vector<std::string> chosen;
    std::string hovered;
    QObject::connect(&on.panel, &ChartPanel::runsChosen,
                     [&](const std::vector<std::string>& ids) { chosen = ids; });
    QObject::connect(&on.panel, &ChartPanel::runHovered, [&](const std::string& id) { hovered = id; });
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, canvas.pointOf(6)->toPoint());
    EXPECT_THAT(chosen, testing::ElementsAre(runId(6)));

    canvas.setFocus();
    QTest::keyClick(&canvas, Qt::Key_Escape);
    QTest::keyClick(&canvas, Qt::Key_Right);
    double least = 1e9;
    std::string leftmost;
    for (std::size_t run = 0; run < 12; ++run) {
        if (canvas.pointOf(run) && canvas.pointOf(run)->x() < least) {
            least = canvas.pointOf(run)->x();
            leftmost = runId(run);
        }
    }
    EXPECT_EQ(hovered, leftmost);
    QTest::keyClick(&canvas, Qt::Key_Space);
    EXPECT_THAT(chosen, testing::ElementsAre(leftmost));
    QTest::keyClick(&canvas, Qt::Key_Escape);
    EXPECT_TRUE(chosen.empty());
}

TEST(ScatterPanel, ADoubleClickOrEnterOpensTheRun) {
    auto runs = sweepRuns(12);
    OnShow<ScatterPanel> on(runs);
    auto& canvas = on.panel.canvas();
    std::string opened;
    QObject::connect(&on.panel, &ChartPanel::openRunRequested, [&](const std::string& id) { opened = id; });
    // The table selects what the first click chose, which the panel is told of before the second one comes.
    QObject::connect(&on.panel, &ChartPanel::runsChosen, [&](const std::vector<std::string>& ids) {
        for (auto& charted : runs) {
            charted.emphasized = charted.run->id == ids.front();
        }
        on.panel.setRuns(runs);
    });
    const QPoint at = canvas.pointOf(6)->toPoint();
    QTest::mouseClick(&canvas, Qt::LeftButton, {}, at);
    on.settle();
    EXPECT_TRUE(canvas.scene()->anyEmphasized);
    QTest::mouseDClick(&canvas, Qt::LeftButton, {}, at);
    EXPECT_EQ(opened, runId(6));

    opened.clear();
    QMouseEvent over(QEvent::MouseMove, QPointF(at), canvas.mapToGlobal(QPointF(at)), Qt::NoButton,
                     Qt::NoButton, {});
    QCoreApplication::sendEvent(&canvas, &over);
    QTest::keyClick(&canvas, Qt::Key_Return);
    EXPECT_EQ(opened, runId(6));
}

TEST(ScatterPanel, SaysHowManyRunsHaveNoValueAndOfWhat) {
    OnShow<ScatterPanel> on(sweepRuns(80));
    QString notice;
    QObject::connect(&on.panel, &ChartPanel::noticeChanged,
                     [&](const QString& words, const QString&) { notice = words; });
    on.panel.restore({});
    on.settle();
    EXPECT_EQ(notice, QStringLiteral("2 runs without a value of adherence"));
    EXPECT_THAT(shownText(on.panel), testing::HasSubstr("78 runs"));
    on.panel.restore({{"y", "duration"}, {"x", "param:dropout"}});
    on.settle();
    EXPECT_TRUE(notice.isEmpty()) << notice.toStdString();
}

TEST(ScatterPanel, TheContourShowsTheColoursValueAndIsBlankFarFromRuns) {
    OnShow<ScatterPanel> on(sweepRuns(80));
    on.panel.restore({{"x", "param:lr"}, {"y", "param:dropout"}, {"contour", true}});
    on.settle();
    const auto& scene = *on.panel.canvas().scene();
    ASSERT_TRUE(scene.color && scene.surface);
    EXPECT_EQ(scene.color->column().field.key, "adherence");
    // adherence rises along lr
    const auto& surface = *scene.surface;
    EXPECT_GT(surface.at(surface.columns - 12, surface.rows / 2), surface.at(12, surface.rows / 2) + 0.2);
}

TEST(ScatterPanel, TheLogarithmIsAPersonsToChoose) {
    OnShow<ScatterPanel> on(sweepRuns(40));
    on.panel.restore({{"logX", false}});
    on.settle();
    EXPECT_FALSE(on.panel.canvas().scene()->x.logarithmic());
    EXPECT_EQ(on.panel.panelState(), (QJsonObject{{"logX", false}}));
}

TEST(ScatterPanel, ChoicesSurviveARestart) {
    OnShow<ScatterPanel> on(sweepRuns(40));
    const QJsonObject wanted{{"x", "start"},  {"y", "duration"}, {"color", "param:optimizer"},
                             {"logX", false}, {"logY", true},    {"contour", true}};
    on.panel.restore(wanted);
    on.settle();
    EXPECT_EQ(on.panel.panelState(), wanted);
    const auto& scene = *on.panel.canvas().scene();
    EXPECT_EQ(scene.x.column().field, analysis::Field{analysis::Field::Source::Start});
    EXPECT_EQ(scene.color->column().categories.size(), 3U);
    EXPECT_FALSE(scene.surface.has_value()) << "words have no levels";
    EXPECT_TRUE(std::isnan(scene.correlation.rho) || scene.correlation.n == 40U);
}

TEST(ScatterPanel, SaysWhenNoRunHasAPlace) {
    OnShow<ScatterPanel> on(sweepRuns(10));
    on.panel.restore({{"x", "param:no such \xf0\x9f\x8e\xac"}});
    on.settle();
    EXPECT_FALSE(on.panel.canvas().isVisible());
    on.panel.restore({});
    on.settle();
    EXPECT_TRUE(on.panel.canvas().isVisible());
}

TEST(ScatterPanel, WritesWhatItShows) {
    OnShow<ScatterPanel> on(sweepRuns(10));
    const std::string csv = on.panel.toCsv();
    EXPECT_THAT(csv, testing::StartsWith("run_id,name,param:lr,metric:adherence\r\n"));
    EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 11);
}

TEST(ScatterPanel, AHoverFromElsewhereIsShownAndNotEchoed) {
    OnShow<ScatterPanel> on(sweepRuns(10));
    int echoes = 0;
    QObject::connect(&on.panel, &ChartPanel::runHovered, [&] { ++echoes; });
    const auto before = on.panel.canvas().grab().toImage();
    on.panel.setHovered(runId(6));
    EXPECT_NE(on.panel.canvas().grab().toImage(), before);
    on.panel.setHovered("");
    EXPECT_EQ(on.panel.canvas().grab().toImage(), before);
    EXPECT_EQ(echoes, 0);
}

TEST(ScatterPanel, ItsChoosersSayWhatTheyAreInTheLeastCard) {
    OnShow<ScatterPanel> on(sweepRuns(40), {320, 196});
    int choosers = 0;
    for (const auto* picker : on.panel.findChildren<FieldPicker*>()) {
        ++choosers;
        EXPECT_TRUE(on.panel.rect().contains(QRect(picker->mapTo(&on.panel, QPoint(0, 0)), picker->size())));
        const QString words = picker->text();
        EXPECT_TRUE(words.startsWith("x") || words.startsWith("y") || words.startsWith("Colour"))
            << text(words);
        EXPECT_LE(picker->fontMetrics().horizontalAdvance(words), picker->width()) << text(words);
    }
    EXPECT_EQ(choosers, 3);
}

/// What a person does who takes a field from a chooser's list.
void pick(FieldPicker& picker, const analysis::Field& field) {
    picker.setChosen({field});
    emit picker.chosenChanged();
}

TEST(ScatterPanel, AxesThatAPersonChoseStayWhenRunsAreImportedAndTheProgramIsStartedAgain) {
    using Source = analysis::Field::Source;
    OnShow<ScatterPanel> on(sweepRuns(40));
    const auto before = on.panel.canvas().scene()->x.column().field;
    for (auto* picker : on.panel.findChildren<FieldPicker*>())
        if (picker->text().startsWith("y")) pick(*picker, {Source::Metric, "loss"});
    on.settle();

    auto more = sweepRuns(40);
    for (int i = 0; i < 40; ++i) {  // a param of theirs alone, which explains the loss best of all
        tracking::Run run;
        run.id = std::to_string(i);
        run.params = {{"alpha", std::to_string(i)}};
        run.metrics = {{"loss", {1, 0, i / 40.0}}};
        more.push_back({.run = std::make_shared<const tracking::Run>(run)});
    }
    OnShow<ScatterPanel> later(more);
    later.panel.restore(on.panel.panelState());
    later.settle();
    EXPECT_EQ(later.panel.canvas().scene()->x.column().field, before);
    EXPECT_EQ(later.panel.canvas().scene()->y.column().field, (analysis::Field{Source::Metric, "loss"}));
}

TEST(ScatterPanel, NoAxisIsAParamOfAFewImportedRunsAlone) {
    auto runs = sweepRuns(40);
    for (int i = 0; i < 8; ++i) {
        tracking::Run run;
        run.id = std::to_string(i);
        run.params = {{"alpha", std::to_string(i)}, {"same", "1"}};
        run.metrics = {{"adherence", {1, 0, i / 8.0}}};
        runs.push_back({.run = std::make_shared<const tracking::Run>(run)});
    }
    OnShow<ScatterPanel> on(runs);
    EXPECT_EQ(on.panel.canvas().scene()->x.column().field.key, "lr");
}

TEST(ScatterPanel, SaysWithinWhichBoundsTheCorrelationLies) {
    OnShow<ScatterPanel> on(sweepRuns(9));
    const auto& correlation = on.panel.canvas().scene()->correlation;
    EXPECT_GE(correlation.low, -1);
    EXPECT_LE(correlation.high, 1);
    const auto said = text(on.panel.canvas().accessibleName());
    EXPECT_THAT(said, testing::ContainsRegex("Spearman ρ .*[0-9.]+ \\(95 % CI .*[0-9.]+ to .*[0-9.]+\\)"));
    EXPECT_THAT(said, testing::Not(testing::HasSubstr("±")));
}

}  // namespace
}  // namespace dailies::ui
