// What the plots of 5,000 runs × 30 params cost: from runs to the picture on the screen, the longest hold-up
// of the GUI thread meanwhile, and a repaint under a moving pointer. The rival is the frame: 8 ms of the GUI
// thread (an item a mark, as in a QGraphicsScene or Qt Charts' scatter series, takes longer by itself: the
// last line). `plots_bench FOLDER` also leaves the pictures there, light and dark, for 3, 200 and 5,000 runs.
#include "core/base/json.h"
#include "ui/bridge/stall_meter.h"
#include "ui/charts/chart_panel.h"
#include "ui/charts/panels/plot_kinds.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QElapsedTimer>
#include <QMouseEvent>
#include <QScatterSeries>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <memory>
#include <random>

namespace {

using namespace dailies;
using namespace dailies::ui;

constexpr QSize kSize{900, 480};
constexpr int kMoves = 200;

/// CPU time, which other work on the machine does not lengthen.
double cpuMs(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// A search over 30 params of which five matter.
ChartedRuns searchedRuns(std::size_t count) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> uniform(0, 1);
    const char* const words[] = {"adamw", "lion", "muon", "sgd"};
    ChartedRuns runs;
    for (std::size_t i = 0; i < count; ++i) {
        auto run = std::make_shared<tracking::Run>();
        char id[33];
        std::snprintf(id, sizeof id, "%032zx", i * 7919 + 1);
        run->id = id;
        run->name = "st-dit-" + std::to_string(i);
        run->status = tracking::RunStatus::Finished;
        run->startMs = 1'763'700'000'000 + static_cast<std::int64_t>(i) * 60'000;
        run->endMs = run->startMs + 2'000'000 + static_cast<std::int64_t>(4e6 * uniform(random));
        const double lr = -5.5 + 3 * uniform(random), width = 64 * (1 + static_cast<double>(random() % 16));
        const std::size_t optimizer = random() % 4;
        run->params["optimizer.lr"] = shortNumber(std::pow(10, lr));
        run->params["optimizer.name"] = words[optimizer];
        run->params["model.width"] = shortNumber(width);
        run->params["model.depth"] = std::to_string(4 + random() % 20);
        run->params["data.batch"] = std::to_string(8 << (random() % 5));
        if (optimizer < 2) {
            run->params["optimizer.warmup"] = std::to_string(random() % 2'000);
        }
        for (int p = 6; p < 30; ++p) {
            run->params["extra.param_" + std::to_string(p)] = shortNumber(uniform(random));
        }
        const double quality = std::exp(-std::pow(lr + 3.6 + 0.2 * static_cast<double>(optimizer), 2)) *
                                   (0.6 + 0.4 * width / 1024) +
                               0.06 * (uniform(random) - 0.5);
        run->metrics["sample/adherence"] = {20'000, 1, i % 40 == 7 ? NAN : quality};
        run->metrics["loss"] = {20'000, 1, 0.05 + 0.5 * (1 - quality) + 0.02 * uniform(random)};
        run->metrics["grad_norm"] = {20'000, 1, std::exp(2 * uniform(random) - lr - 4)};
        runs.push_back({.run = std::move(run)});
    }
    return runs;
}

bool settle(ChartPanel& panel) {
    QElapsedTimer time;
    time.start();
    while (!panel.isSettled() && time.elapsed() < 60'000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    }
    return panel.isSettled();
}

void measure(const ChartKind& kind, const ChartedRuns& runs, const QJsonObject& choices, const char* what) {
    const std::unique_ptr<ChartPanel> panel(kind.make(nullptr));
    panel->resize(kSize);
    panel->show();
    QTest::qWait(50);
    StallMeter stalls;
    const double processBefore = cpuMs(CLOCK_PROCESS_CPUTIME_ID);
    QElapsedTimer time;
    time.start();
    panel->restore(choices);
    panel->setRuns(runs);
    settle(*panel);
    const auto shown = static_cast<double>(time.nsecsElapsed()) / 1e6;
    const double process = cpuMs(CLOCK_PROCESS_CPUTIME_ID) - processBefore;
    QTest::qWait(50);
    const auto opening = static_cast<double>(stalls.longest().count()) / 1e3;

    std::vector<double> paints;
    for (int i = 0; i < kMoves; ++i) {
        const QPoint at(60 + i * (kSize.width() - 120) / kMoves, 60 + i * 53 % (kSize.height() - 120));
        QWidget* under = panel->childAt(at);
        if (!under) {
            continue;
        }
        const QPointF local = under->mapFrom(panel.get(), at);
        QMouseEvent move(QEvent::MouseMove, local, under->mapToGlobal(local), Qt::NoButton, Qt::NoButton, {});
        const double before = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        QCoreApplication::sendEvent(under, &move);
        under->repaint();
        paints.push_back(cpuMs(CLOCK_THREAD_CPUTIME_ID) - before);
    }
    std::sort(paints.begin(), paints.end());
    std::printf(
        "plots  %-12s %5zu runs: shown after %6.0f ms (%.0f ms of CPU), longest hold-up of the GUI thread "
        "%5.1f "
        "ms; pointer move and repaint p50 %.2f ms, p95 %.2f ms of CPU\n",
        what, runs.size(), shown, process, opening, paints[paints.size() / 2],
        paints[paints.size() * 95 / 100]);
    std::fflush(stdout);
}

void measureRival(const ChartedRuns& runs) {
    QChartView view(new QChart);
    auto* series = new QScatterSeries;
    series->setMarkerSize(5);
    for (const auto& one : runs) {
        series->append(std::log10(std::stod(one.run->params.at("optimizer.lr"))),
                       one.run->metrics.at("loss").value);
    }
    view.chart()->addSeries(series);
    view.chart()->createDefaultAxes();
    view.resize(kSize);
    view.setRenderHint(QPainter::Antialiasing);
    view.show();
    QTest::qWait(100);
    std::vector<double> paints;
    for (int i = 0; i < 9; ++i) {
        const double before = cpuMs(CLOCK_THREAD_CPUTIME_ID);
        view.viewport()->repaint();
        paints.push_back(cpuMs(CLOCK_THREAD_CPUTIME_ID) - before);
    }
    std::sort(paints.begin(), paints.end());
    std::printf("plots  rival        %5zu runs: a repaint of Qt Charts' QScatterSeries %.1f ms of CPU\n",
                runs.size(), paints[paints.size() / 2]);
}

void takePictures(const QString& folder) {
    struct Shot {
        const char* name;
        std::size_t kind;
        QJsonObject choices;
    };
    const std::vector<Shot> shots{
        {"parallel", 0, {}},
        {"scatter", 1, {}},
        {"contour",
         1,
         {{"x", "param:optimizer.lr"},
          {"y", "param:model.width"},
          {"color", "metric:sample/adherence"},
          {"contour", true}}},
        {"importance", 2, {}},
        {"bars", 3, {}},
    };
    for (const auto mode : {ThemeMode::Light, ThemeMode::Dark}) {
        Theme::instance().apply(mode);
        for (const std::size_t count : {std::size_t{3}, std::size_t{200}, std::size_t{5'000}}) {
            const auto runs = searchedRuns(count);
            for (const auto& shot : shots) {
                QFrame card;
                card.setProperty("card", true);
                card.resize(640, 380);
                auto* panel = plotKinds()[shot.kind].make(&card);
                panel->setGeometry(8, 8, 624, 364);
                card.show();
                panel->restore(shot.choices);
                panel->setRuns(runs);
                settle(*panel);
                QTest::qWait(20);  // the layout follows in the next turn
                card.grab().save(
                    QStringLiteral("%1/%2-%3-%4.png")
                        .arg(folder, QLatin1String(shot.name))
                        .arg(count)
                        .arg(mode == ThemeMode::Dark ? QStringLiteral("dark") : QStringLiteral("light")));
            }
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) {
        qputenv("QT_QPA_PLATFORM", "offscreen");
    }
    QApplication application(argc, argv);
    Theme::instance().apply(ThemeMode::Dark);
    if (argc > 1) {
        takePictures(QString::fromLocal8Bit(argv[1]));
        return 0;
    }
    const auto runs = searchedRuns(5'000);
    measure(plotKinds()[0], runs, {}, "parallel");
    measure(plotKinds()[1], runs, {}, "scatter");
    measure(plotKinds()[1], runs,
            {{"x", "param:optimizer.lr"}, {"y", "param:model.width"}, {"contour", true}}, "contour");
    measure(plotKinds()[2], runs, {}, "importance");
    measure(plotKinds()[3], runs, {}, "bars");
    measureRival(runs);
}
