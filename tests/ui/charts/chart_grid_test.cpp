#include "ui/charts/chart_grid.h"

#include "core/base/error.h"
#include "core/base/files.h"
#include "tests/support/large_store.h"
#include "tests/ui/wait_until.h"
#include "ui/charts/chart_card.h"
#include "ui/charts/chart_export_dialog.h"
#include "ui/charts/curve_view.h"
#include "ui/charts/metric_chart.h"
#include "ui/charts/value_box.h"

#include <QApplication>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPointer>
#include <QPushButton>
#include <QTest>
#include <QXmlStreamReader>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace dailies::ui {
namespace {

class ChartGridTest : public testing::Test {
protected:
    ChartGridTest() {
        test::makeLargeStore(m_file, {.runs = 6, .params = 3, .metrics = 8, .points = 300, .sweeps = 1});
        const tracking::Store store(m_file, tracking::Store::Mode::ReadOnly);
        for (auto& run : store.runs()) {
            m_runs.push_back({.run = std::make_shared<const tracking::Run>(std::move(run))});
        }
    }

    std::unique_ptr<ChartGrid> open(const std::string& experiment = {}) {
        auto grid = std::make_unique<ChartGrid>(m_file);
        grid->setExperiment(experiment);
        grid->resize(1100, 800);
        grid->show();
        grid->setRuns(m_runs, "6 runs");
        EXPECT_TRUE(waitUntil([&] { return grid->isSettled() && !grid->cards().empty(); }));
        EXPECT_TRUE(waitUntil([&] { return grid->isSettled(); }));
        return grid;
    }

    static ChartCard* cardOf(const ChartGrid& grid, const std::string& id) {
        for (auto* card : grid.cards()) {
            if (card->id() == id) {
                return card;
            }
        }
        return nullptr;
    }
    static MetricChart& chartOf(const ChartGrid& grid, const std::string& metric) {
        auto* card = cardOf(grid, "metric:" + metric);
        if (!card) {
            throw Error("no chart of " + metric);
        }
        return dynamic_cast<MetricChart&>(card->panel());
    }
    /// The first two metrics that have a chart on the screen.
    static std::vector<std::string> shownMetrics(const ChartGrid& grid) {
        std::vector<std::string> metrics;
        for (const auto& section : grid.arrangement().sections()) {
            for (const auto& slot : section.charts) {
                if (cardOf(grid, slot.id)) {
                    metrics.push_back(slot.metric);
                }
            }
        }
        return metrics;
    }
    static void drag(CurveView& view, double from, double to, Qt::KeyboardModifiers modifiers = {}) {
        const QRectF plot = view.plotArea();
        const auto at = [&](double share) {
            return QPoint(static_cast<int>(plot.left() + share * plot.width()),
                          static_cast<int>(plot.center().y()));
        };
        QTest::mousePress(&view, Qt::LeftButton, modifiers, at(from));
        QTest::mouseMove(&view, at((from + to) / 2));
        QMouseEvent move(QEvent::MouseMove, at(to), view.mapToGlobal(at(to)), Qt::LeftButton, Qt::LeftButton,
                         modifiers);
        QApplication::sendEvent(&view, &move);
        QTest::mouseRelease(&view, Qt::LeftButton, modifiers, at(to));
    }
    static std::string exported(ChartCard& card, ChartPanel::Format format,
                                const std::filesystem::path& file) {
        card.exporter({.format = format})(file, {});
        return readFile(file);
    }

    TemporaryFolder m_folder{"charts-test"};
    std::filesystem::path m_file = m_folder.path() / "dailies.db";
    ChartedRuns m_runs;
};

TEST_F(ChartGridTest, EveryMetricOfTheRunsHasAChartWithTheirCurves) {
    const auto grid = open();
    const auto metrics = shownMetrics(*grid);
    ASSERT_GE(metrics.size(), 4u);
    const auto& picture = chartOf(*grid, metrics[0]).view().picture();
    EXPECT_GT(picture.points, 0u);
    EXPECT_FALSE(picture.image.isNull());
}

TEST_F(ChartGridTest, ADragZoomsAllChartsAndADoubleClickShowsEverything) {
    const auto grid = open();
    const auto metrics = shownMetrics(*grid);
    CurveView& first = chartOf(*grid, metrics[0]).view();
    CurveView& second = chartOf(*grid, metrics[1]).view();
    const Range all = first.picture().x.range;
    drag(first, 0.25, 0.5);
    EXPECT_TRUE(waitUntil([&] { return grid->isSettled() && second.picture().x.range != all; }));
    const Range zoomed = first.picture().x.range;
    EXPECT_NEAR(zoomed.minimum, all.minimum + 0.25 * all.length(), 0.01 * all.length());
    EXPECT_NEAR(zoomed.length(), 0.25 * all.length(), 0.01 * all.length());
    EXPECT_EQ(second.picture().x.range, zoomed);

    drag(second, 0.5, 0.3, Qt::ShiftModifier);
    EXPECT_TRUE(waitUntil([&] { return grid->isSettled() && first.picture().x.range != zoomed; }));
    EXPECT_NEAR(first.picture().x.range.length(), zoomed.length(), 1e-6 * all.length());
    EXPECT_GT(first.picture().x.range.minimum, zoomed.minimum);

    QTest::mouseDClick(&first, Qt::LeftButton, {}, first.plotArea().center().toPoint());
    EXPECT_TRUE(waitUntil([&] { return grid->isSettled() && second.picture().x.range == all; }));
}

TEST_F(ChartGridTest, KeysZoomMoveAndShowEverything) {
    const auto grid = open();
    CurveView& view = chartOf(*grid, shownMetrics(*grid)[0]).view();
    const Range all = view.picture().x.range;
    QTest::keyClick(&view, Qt::Key_Plus);
    ASSERT_TRUE(
        waitUntil([&] { return grid->isSettled() && view.picture().x.range.length() < all.length(); }));
    const Range zoomed = view.picture().x.range;
    QTest::keyClick(&view, Qt::Key_Left);
    ASSERT_TRUE(
        waitUntil([&] { return grid->isSettled() && view.picture().x.range.minimum < zoomed.minimum; }));
    QTest::keyClick(&view, Qt::Key_0);
    EXPECT_TRUE(waitUntil([&] { return grid->isSettled() && view.picture().x.range == all; }));
}

TEST_F(ChartGridTest, AClickOnACurveTellsItsRunAndStep) {
    const auto grid = open();
    CurveView& view = chartOf(*grid, shownMetrics(*grid)[0]).view();
    std::string run;
    double step = -1;
    QObject::connect(grid.get(), &ChartGrid::stepChosen, [&](const std::string& id, double at) {
        run = id;
        step = at;
    });
    const auto& picture = view.picture();
    const double middle = picture.x.range.minimum + picture.x.range.length() / 2;
    const auto readings = readingsAt(picture, middle);
    ASSERT_FALSE(readings.empty());
    const QRectF plot = view.plotArea();
    const double y =
        plot.bottom() - (readings[0].y - picture.y.range.minimum) / picture.y.range.length() * plot.height();
    QTest::mouseClick(&view, Qt::LeftButton, {},
                      QPoint(static_cast<int>(plot.center().x()), static_cast<int>(y)));
    EXPECT_EQ(run, readings[0].curve->runId);
    EXPECT_NEAR(step, readings[0].step, picture.x.range.length() / 100);
}

TEST_F(ChartGridTest, ThePointerOverOneChartIsACrosshairInAllAndNamesTheRun) {
    const auto grid = open();
    CurveView& view = chartOf(*grid, shownMetrics(*grid)[0]).view();
    std::string hovered;
    QObject::connect(grid.get(), &ChartGrid::runHovered, [&](const std::string& id) { hovered = id; });
    const auto& picture = view.picture();
    const auto readings = readingsAt(picture, picture.x.range.minimum + picture.x.range.length() / 2);
    const QRectF plot = view.plotArea();
    const double y =
        plot.bottom() - (readings[0].y - picture.y.range.minimum) / picture.y.range.length() * plot.height();
    const QImage before = view.grab().toImage();
    QTest::mouseMove(&view, QPoint(static_cast<int>(plot.center().x()), static_cast<int>(y)));
    EXPECT_EQ(hovered, readings[0].curve->runId);
    EXPECT_NE(view.grab().toImage(), before);
    QTest::mouseMove(&view, QPoint(1, 1));  // QTest takes (0, 0) for the middle
    EXPECT_EQ(hovered, "");
}

TEST_F(ChartGridTest, WhatWasArrangedIsThereAgainForTheSameExperimentOnly) {
    const std::string experiment = m_runs[0].run->experiment;
    {
        const auto grid = open(experiment);
        const auto metrics = shownMetrics(*grid);
        auto* second = cardOf(*grid, "metric:" + metrics[1]);
        QTest::keyClick(&second->panel(), Qt::Key_Left, Qt::AltModifier);
        EXPECT_EQ(shownMetrics(*grid)[0], metrics[1]);
        emit cardOf(*grid, "metric:" + metrics[2])->removed();
        const auto saved = [&] {
            const tracking::Store store(m_file, tracking::Store::Mode::ReadOnly);
            return !store.views(experiment).empty();
        };
        ASSERT_TRUE(waitUntil(saved));
        const auto again = open(experiment);
        EXPECT_EQ(shownMetrics(*again)[0], metrics[1]);
        EXPECT_EQ(cardOf(*again, "metric:" + metrics[2]), nullptr);
        EXPECT_EQ(shownMetrics(*open())[0], metrics[0]);
    }
}

TEST_F(ChartGridTest, AMaximisedChartFillsTheGridUntilEscape) {
    const auto grid = open();
    auto* card = cardOf(*grid, "metric:" + shownMetrics(*grid)[0]);
    const QSize small = card->size();
    QTest::keyClick(&card->panel(), Qt::Key_F);
    EXPECT_GT(card->width(), 2 * small.width() - 40);
    EXPECT_GT(card->height(), 500);
    QTest::keyClick(&card->panel(), Qt::Key_Escape);
    EXPECT_EQ(card->size(), small);
}

TEST_F(ChartGridTest, TheSearchKeepsWhatMatchesAndSaysWhenNothingDoes) {
    const auto grid = open();
    auto* search = grid->findChild<QLineEdit*>();
    search->setText("loss");
    for (const auto& metric : shownMetrics(*grid)) {
        const bool shown =
            cardOf(*grid, "metric:" + metric) && cardOf(*grid, "metric:" + metric)->isVisible();
        EXPECT_EQ(shown, metric.find("loss") != std::string::npos && shown) << metric;
    }
    search->setText("no such thing");
    EXPECT_TRUE(grid->cards().empty());
}

TEST_F(ChartGridTest, ASvgIsXmlWithThePolylinesAndTheTextAsText) {
    const auto grid = open();
    const std::string metric = shownMetrics(*grid)[0];
    const auto svg =
        exported(*cardOf(*grid, "metric:" + metric), ChartPanel::Format::Svg, m_folder.path() / "chart.svg");
    QXmlStreamReader xml(QByteArray::fromStdString(svg));
    int polylines = 0;
    QString texts;
    while (!xml.atEnd()) {
        if (xml.readNext() == QXmlStreamReader::StartElement) {
            polylines += xml.name() == QStringLiteral("polyline") ? 1 : 0;
            if (xml.name() == QStringLiteral("text")) {
                texts += xml.readElementText() + QLatin1Char('\n');
            }
        }
    }
    EXPECT_FALSE(xml.hasError()) << xml.errorString().toStdString();
    EXPECT_GE(polylines, 6);
    EXPECT_TRUE(texts.contains(QString::fromStdString(metric))) << texts.toStdString();
}

TEST_F(ChartGridTest, APngIsTwiceAsFineAsTheScreen) {
    const auto grid = open();
    auto* card = cardOf(*grid, "metric:" + shownMetrics(*grid)[0]);
    exported(*card, ChartPanel::Format::Png, m_folder.path() / "chart.png");
    const QImage image(QString::fromStdString((m_folder.path() / "chart.png").string()));
    EXPECT_EQ(image.width(), 2 * card->panel().width());
}

TEST_F(ChartGridTest, ACsvHoldsEveryPointOfTheStore) {
    const auto grid = open();
    const std::string metric = shownMetrics(*grid)[0];
    std::istringstream csv(
        exported(*cardOf(*grid, "metric:" + metric), ChartPanel::Format::Csv, m_folder.path() / "chart.csv"));
    const tracking::Store store(m_file, tracking::Store::Mode::ReadOnly);
    std::string line;
    std::getline(csv, line);
    EXPECT_EQ(line, "run_id,run,step,timestamp_ms,value\r");
    for (const auto& charted : m_runs) {
        for (const auto& point : store.history(charted.run->id, metric)) {
            ASSERT_TRUE(std::getline(csv, line));
            EXPECT_TRUE(line.starts_with(charted.run->id + ','));
            const auto value = line.substr(line.rfind(',') + 1);
            if (std::isfinite(point.value)) {
                EXPECT_EQ(std::stod(value), point.value);
            }
            EXPECT_NE(
                line.find(',' + std::to_string(point.step) + ',' + std::to_string(point.timestampMs) + ','),
                std::string::npos);
        }
    }
    EXPECT_FALSE(std::getline(csv, line));
}

TEST_F(ChartGridTest, APdfIsAPageAndAPictureMayBeWithoutItsLabels) {
    const auto grid = open();
    auto* card = cardOf(*grid, "metric:" + shownMetrics(*grid)[0]);
    EXPECT_TRUE(exported(*card, ChartPanel::Format::Pdf, m_folder.path() / "chart.pdf").starts_with("%PDF-"));
    const auto heightOf = [&](bool labels) {
        const auto file = m_folder.path() / "chart.png";
        card->exporter({.format = ChartPanel::Format::Png, .labels = labels})(file, {});
        return QImage(QString::fromStdString(file.string())).height();
    };
    EXPECT_EQ(heightOf(false), 2 * card->panel().height());
    EXPECT_GT(heightOf(true), heightOf(false));
}

class ChartExport : public ChartGridTest {
protected:
    ChartExport() {
        card = cardOf(*grid, "metric:" + shownMetrics(*grid)[0]);
        card->openExportDialog();
        dialog = card->findChild<ChartExportDialog*>();
    }
    template <class Widget>
    Widget* field(const char* name) const {
        for (auto* each : dialog->findChildren<Widget*>())
            if (each->accessibleName() == QLatin1String(name)) return each;
        ADD_FAILURE() << "no field " << name;
        return nullptr;
    }
    void writeTo(const std::filesystem::path& file) {
        field<QLineEdit>("File")->setText(QString::fromStdString(file.string()));
    }
    void press(const char* text) {
        for (auto* each : dialog->findChildren<QPushButton*>()) {
            if (each->text() != QLatin1String(text)) continue;
            each->click();
            EXPECT_TRUE(waitUntil([&] { return !dialog || dialog->isSettled(); }));
            return;
        }
        ADD_FAILURE() << "no button " << text;
    }
    std::string said() const {
        QStringList texts;
        for (const auto* label : dialog->findChildren<QLabel*>())
            if (label->isVisibleTo(dialog)) texts << label->text();
        return texts.join(QLatin1Char('\n')).toStdString();
    }

    std::unique_ptr<ChartGrid> grid = open();
    ChartCard* card = nullptr;
    QPointer<ChartExportDialog> dialog;
};

TEST_F(ChartExport, TheEndingIsThatOfTheFormat) {
    auto* format = field<QComboBox>("Format");
    auto* file = field<QLineEdit>("File");
    EXPECT_TRUE(file->text().endsWith(QStringLiteral(".png")));
    EXPECT_FALSE(field<QComboBox>("Values")->isEnabled()) << "a picture";
    format->setCurrentIndex(3);
    EXPECT_TRUE(file->text().endsWith(QStringLiteral(".csv")));
    EXPECT_TRUE(field<QComboBox>("Values")->isEnabled());
    writeTo(m_folder.path() / "chart.pdf");
    EXPECT_EQ(format->currentIndex(), 2);
    press("Export");
    EXPECT_TRUE(waitUntil([&] { return dialog.isNull(); }));
    EXPECT_TRUE(readFile(m_folder.path() / "chart.pdf").starts_with("%PDF-"));
}

TEST_F(ChartExport, ATableHoldsAllPointsOrWhatIsDrawn) {
    writeTo(m_folder.path() / "drawn.csv");
    field<QComboBox>("Values")->setCurrentIndex(1);
    press("Export");
    ASSERT_TRUE(waitUntil([&] { return dialog.isNull(); }));
    EXPECT_TRUE(readFile(m_folder.path() / "drawn.csv").starts_with("run_id,run,step,value\r\n"));
}

TEST_F(ChartExport, AFolderIsCreatedAndAFileIsReplacedOnlyWhenAskedAgain) {
    const auto file = m_folder.path() / "missing" / "chart.csv";
    writeTo(file);
    press("Export");
    EXPECT_NE(said().find("The folder " + file.parent_path().string() + " does not exist."),
              std::string::npos);
    EXPECT_FALSE(std::filesystem::exists(file.parent_path()));
    press("Create and export");
    ASSERT_TRUE(waitUntil([&] { return dialog.isNull(); }));
    EXPECT_TRUE(std::filesystem::exists(file));

    writeFileAtomically(file, "before");
    card->openExportDialog();
    dialog = card->findChild<ChartExportDialog*>();
    writeTo(file);
    press("Export");
    EXPECT_EQ(readFile(file), "before");
    press("Replace");
    ASSERT_TRUE(waitUntil([&] { return dialog.isNull(); }));
    EXPECT_NE(readFile(file), "before");
}

TEST_F(ChartExport, AFileThatCannotBeWrittenIsNamedAndTheDialogStays) {
    writeTo("/proc/nowhere/chart.csv");
    press("Export");
    press("Create and export");
    EXPECT_NE(said().find("cannot write /proc/nowhere/chart.csv"), std::string::npos) << said();
    EXPECT_TRUE(dialog->isVisible());
}

TEST_F(ChartGridTest, HostileMetricNamesAreShownInertAndHarmNothing) {
    const std::string hostile = "a/<b>bold</b>\x1b[31m\n\u202Eevil" + std::string(10'000, 'x');
    auto run = *m_runs[0].run;
    run.metrics[hostile] = {1, 1, 1.0};
    m_runs = {{.run = std::make_shared<const tracking::Run>(run)}};
    const auto grid = open();
    for (const auto* card : grid->cards()) {
        EXPECT_FALSE(card->title().contains(QChar(0x202E)));
        EXPECT_FALSE(card->title().contains(QChar(0x1b)));
    }
}

TEST_F(ChartGridTest, TenThousandMetricsMakeNoMoreCardsThanAreSeen) {
    auto run = *m_runs[0].run;
    for (int i = 0; i < 10'000; ++i) {
        run.metrics["layer" + std::to_string(i % 50) + "/weight" + std::to_string(i)] = {1, 1, 1.0};
    }
    m_runs = {{.run = std::make_shared<const tracking::Run>(run)}};
    const auto grid = open();
    EXPECT_GT(grid->cards().size(), 2u);
    EXPECT_LT(grid->cards().size(), 60u);
}

TEST_F(ChartGridTest, ARunsNewPointsAreReadAgain) {
    const auto grid = open();
    const std::string metric = shownMetrics(*grid)[0];
    CurveView& view = chartOf(*grid, metric).view();
    const double end = view.picture().everything.maximum;
    const auto run = m_runs.back().run->id;
    {
        tracking::Store store(m_file);
        const auto seq = store.ingestState(run).lastSeq;
        store.ingest(run,
                     {events::Event{.seq = seq + 1,
                                    .attempt = 1,
                                    .time = 1.8e9,
                                    .payload = events::Metrics{.step = static_cast<std::int64_t>(end) + 500,
                                                               .values = {{metric, 0.5}}}}},
                     1);
    }
    grid->runsChanged({run});
    EXPECT_TRUE(waitUntil([&] { return view.picture().everything.maximum >= end + 500; }));
}

}  // namespace
}  // namespace dailies::ui
