// From a store to the pixels of a chart, and its frames while a person pans and zooms. Rivals in the same
// run: the call behind MLflow's own charts on the same file (when build/interop has MLflow), and Qt Charts'
// own line series.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/support/folders.h"
#include "ui/charts/axis_painter.h"
#include "ui/charts/curve_renderer.h"
#include "ui/charts/curve_view.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QElapsedTimer>
#include <QLineSeries>
#include <QPainter>
#include <QValueAxis>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>

namespace {

using namespace dailies;
using namespace dailies::ui;

constexpr QSize kPlot{1280, 720};

double milliseconds(const QElapsedTimer& time) {
    return static_cast<double>(time.nsecsElapsed()) * 1e-6;
}

struct Times {
    std::vector<double> all;
    double at(double share) const {
        auto sorted = all;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
    }
};

void print(const char* what, const Times& times) {
    std::printf("  %-58s %9.1f %9.1f ms\n", what, times.at(0.5), times.at(0.95));
}

HistoryPtr historyOf(const tracking::Curve& curve) {
    auto history = std::make_shared<History>();
    history->buckets = curve.buckets;
    return history;
}

CurveScene sceneOf(const std::vector<HistoryPtr>& histories) {
    CurveScene scene;
    for (std::size_t i = 0; i < histories.size(); ++i) {
        CurveInput input{"run" + std::to_string(i), QStringLiteral("run %1").arg(i),
                         QColor::fromHsv(static_cast<int>(i * 37 % 360), 150, 220)};
        input.values.overview = histories[i];
        scene.curves.push_back(std::move(input));
    }
    scene.size = kPlot;
    scene.cache = std::make_shared<PreparedCache>();
    return scene;
}

/// What `mlflow ui` would get; null where MLflow is not installed.
Json mlflow(const std::filesystem::path& file, const std::string& metric,
            const std::vector<std::string>& runs) {
    const std::filesystem::path python = DAILIES_SOURCE_FOLDER "/build/interop/bin/python";
    if (!std::filesystem::exists(python)) {
        return nullptr;
    }
    std::string command = shellQuote(python.string()) + " " +
                          shellQuote(DAILIES_SOURCE_FOLDER "/tests/bench/mlflow_curves.py") + " " +
                          shellQuote(file.string()) + " " + shellQuote(metric);
    for (const auto& run : runs) {
        command += " " + run;
    }
    FILE* pipe = popen((command + " 2>/dev/null").c_str(), "r");
    std::string output;
    char buffer[4096];
    while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) {
        output.append(buffer, count);
    }
    return pclose(pipe) == 0 ? parseJson(output, "mlflow_curves.py") : Json(nullptr);
}

/// A noisy falling curve with one spike, where no stride meets it.
std::vector<tracking::MetricPoint> spikyHistory(std::uint32_t seed, int points) {
    std::mt19937 random(seed);
    std::normal_distribution<double> normal(0, 0.02);
    std::vector<tracking::MetricPoint> history;
    for (int i = 0; i < points; ++i) {
        history.push_back(
            {i, 1'700'000'000'000 + 100LL * i, 0.3 + std::exp(-4.0 * i / points) + normal(random)});
    }
    history[history.size() / 3 + 17 * seed].value = 2;
    return history;
}

void benchFirstPicture() {
    constexpr int kRuns = 10;
    constexpr int kPoints = 100'000;
    const TemporaryFolder folder("chart-bench");
    const auto file = folder.path() / "dailies.db";
    const std::string metric = "loss";
    std::vector<std::string> runs;
    std::vector<tracking::CurveKey> keys;
    {
        tracking::Store store(file);
        for (std::uint32_t i = 0; i < kRuns; ++i) {
            tracking::Run run;
            run.id = std::string(31, 'a') + std::to_string(i);
            run.name = "run " + std::to_string(i);
            run.experiment = "bench";
            run.startMs = 1'700'000'000'000;
            store.importRun(run, {{metric, spikyHistory(i, kPoints)}});
            runs.push_back(run.id);
            keys.push_back({run.id, metric});
        }
    }
    Times reading, drawing, together;
    std::vector<tracking::Curve> curves;
    for (int i = 0; i < 9; ++i) {
        QElapsedTimer time;
        time.start();
        const tracking::Store store(file, tracking::Store::Mode::ReadOnly);
        curves = store.curves(keys, std::nullopt, 2000);
        reading.all.push_back(milliseconds(time));
        std::vector<HistoryPtr> histories;
        for (const auto& curve : curves) {
            histories.push_back(historyOf(curve));
        }
        const auto picture = renderCurves(sceneOf(histories));
        together.all.push_back(milliseconds(time));
        drawing.all.push_back(together.all.back() - reading.all.back());
    }
    std::size_t points = 0, wrong = 0, wrongMlflow = 0;
    const Json theirs = mlflow(file, metric, runs);
    const tracking::Store store(file, tracking::Store::Mode::ReadOnly);
    for (std::size_t i = 0; i < keys.size(); ++i) {
        double low = INFINITY, high = -INFINITY, least = INFINITY, greatest = -INFINITY;
        for (const auto& point : store.history(keys[i].runId, metric)) {
            ++points;
            if (std::isfinite(point.value)) {
                low = std::min(low, point.value);
                high = std::max(high, point.value);
            }
        }
        for (const auto& bucket : curves[i].buckets) {
            least = std::fmin(least, bucket.minimum);
            greatest = std::fmax(greatest, bucket.maximum);
        }
        wrong += least != low || greatest != high ? 1 : 0;
        if (theirs.is_object() && theirs["ranges"].contains(runs[i])) {
            const auto& range = theirs["ranges"][runs[i]];
            wrongMlflow += range[0] != low || range[1] != high ? 1 : 0;
        }
    }
    std::printf("%zu runs, %zu points, one chart of %d x %d: the first picture   median       p95\n",
                runs.size(), points, kPlot.width(), kPlot.height());
    print("store opened and read", reading);
    print("drawn", drawing);
    print("together", together);
    std::printf("  curves whose least or greatest value is not shown: %zu\n", wrong);
    if (theirs.is_object()) {
        const double seconds = theirs["seconds"];
        std::printf(
            "  MLflow's bulk-interval call: %.0f ms (%.0f x) for %d points; extremes lost in %zu of %zu "
            "curves\n\n",
            1e3 * seconds, 1e3 * seconds / together.at(0.5), theirs["points"].get<int>(), wrongMlflow,
            runs.size());
    } else {
        std::printf("  MLflow: not installed in build/interop (tests/interop/setup.sh does it)\n\n");
    }
}

/// A falling curve with 8 % noise: every pixel column is tall, which is the worst case.
std::vector<HistoryPtr> noisyHistories(int runs, int points) {
    std::mt19937 random(1);
    std::normal_distribution<double> normal(0, 0.08);
    std::vector<HistoryPtr> histories;
    for (int run = 0; run < runs; ++run) {
        auto history = std::make_shared<History>();
        for (int i = 0; i < points; ++i) {
            history->points.push_back(
                {i, 1000 * i, (1 + 0.005 * run) * std::exp(-3.0 * i / points) + normal(random)});
        }
        histories.push_back(std::move(history));
    }
    return histories;
}

void benchFrames() {
    constexpr int kRuns = 200;
    constexpr int kPoints = 10'000;
    constexpr int kFrames = 120;
    const auto histories = noisyHistories(kRuns, kPoints);
    CurveScene scene = sceneOf(histories);
    renderCurves(scene);  // prepares the curves, once
    // A pan to and fro over a tenth, and a zoom into a hundredth and back.
    const auto window = [](int frame) {
        if (frame < kFrames / 2) {
            const double left = 0.1 * kPoints * (0.5 - 0.5 * std::cos(frame * 0.1));
            return Range{left, left + 0.9 * kPoints};
        }
        const double width =
            kPoints * std::pow(10, -2 * std::sin(M_PI * (frame - kFrames / 2) / (kFrames / 2)));
        return Range{0.4 * (kPoints - width), 0.4 * (kPoints - width) + width};
    };
    const auto frames = [&](int coarser) {
        Times curves, gui;
        scene.coarser = coarser;
        QImage screen(kPlot, QImage::Format_RGB32);
        for (int frame = 0; frame < kFrames; ++frame) {
            scene.x = window(frame);
            QElapsedTimer time;
            time.start();
            const auto picture = renderCurves(scene);
            curves.all.push_back(milliseconds(time));
            time.restart();
            QPainter painting(&screen);
            painting.drawPixmap(0, 0, axesPicture(axesOf(picture, kPlot), 1));
            painting.drawImage(plotAreaOf(kPlot), picture.image);
            gui.all.push_back(milliseconds(time));
        }
        return std::pair(curves, gui);
    };
    std::printf("%d runs of %d points, panned and zoomed over %d frames            median       p95\n", kRuns,
                kPoints, kFrames);
    const auto [fine, gui] = frames(1);
    print("worker: curves", fine);
    print("GUI thread: axes and the finished picture", gui);
    const auto [coarse, coarseGui] = frames(2);
    print("worker: curves, coarser while dragging", coarse);

    QChart* chart = new QChart;
    chart->legend()->hide();
    auto* x = new QValueAxis;
    auto* y = new QValueAxis;
    chart->addAxis(x, Qt::AlignBottom);
    chart->addAxis(y, Qt::AlignLeft);
    for (const auto& history : histories) {
        auto* series = new QLineSeries;
        QList<QPointF> points;
        for (const auto& point : history->points) {
            points << QPointF(static_cast<double>(point.step), point.value);
        }
        series->replace(points);
        chart->addSeries(series);
        series->attachAxis(x);
        series->attachAxis(y);
    }
    y->setRange(-0.4, 2.4);
    QChartView view(chart);
    view.resize(kPlot);
    view.setAttribute(Qt::WA_DontShowOnScreen);
    view.show();
    Times rival;
    QImage screen(kPlot, QImage::Format_RGB32);
    for (int frame = 0; frame < 5; ++frame) {
        const Range range = window(frame * 5);
        QElapsedTimer time;
        time.start();
        x->setRange(range.minimum, range.maximum);
        QApplication::processEvents();
        QPainter painting(&screen);
        view.render(&painting);
        rival.all.push_back(milliseconds(time));
    }
    print("QLineSeries, all of it on the GUI thread", rival);
    std::printf("  %.0f x fewer milliseconds a frame; %.0f x fewer of the GUI thread's\n",
                rival.at(0.5) / (fine.at(0.5) + gui.at(0.5)), rival.at(0.5) / gui.at(0.5));
}

}  // namespace

int main() {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    int argc = 1;
    char name[] = "chart_bench";
    char* argv[] = {name, nullptr};
    const QApplication application(argc, argv);
    Theme::instance().apply(ThemeMode::Dark);
    double load = 0;
    getloadavg(&load, 1);
    std::printf("%u cores at load %.1f\n\n", std::thread::hardware_concurrency(), load);
    try {
        benchFirstPicture();
        benchFrames();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
    return 0;
}
