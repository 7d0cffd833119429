// How fast the run table is with 5,000 runs of 30 params and 30 metrics: opening, sorting, filtering and
// grouping, each from the key press to the painted window, and the start of the program to a usable window.
// The rival is the genuine MLflow searching the same file.
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/tracking/store.h"
#include "tests/support/folders.h"
#include "tests/support/large_store.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/stall_meter.h"
#include "ui/main_window/main_window.h"
#include "ui/runs/run_table.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/runs_page.h"
#include "ui/runs/sparkline_cache.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QTableView>
#include <QThread>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

namespace {

using namespace dailies;

constexpr int kRuns = 5000;
constexpr int kRepeats = 9;
constexpr QSize kWindow{1440, 900};
constexpr auto kStartOption = "--start";

/// Counts the paintings of a widget: what a person waits for is the first one with the new rows.
class Painted : public QObject {
public:
    explicit Painted(QWidget* widget) { widget->installEventFilter(this); }
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Paint ? 1 : 0;
        return false;
    }
    int count = 0;
};

double median(std::vector<double> values) {
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                     values.end());
    return values[values.size() / 2];
}

struct Table {
    Table() : sparks({}), view(model, sparks), painted(view.viewport()) {
        view.resize(kWindow);
        view.show();
        QObject::connect(&model, &ui::RunTableModel::columnsChanged, &view, &ui::RunTable::fitColumns);
        QObject::connect(&model, &ui::RunTableModel::arranged, &view, [this] { ++arranged; });
        while (!model.isSettled())  // the arrangement of no runs
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    /// Runs the loop until rows have been arranged and painted since.
    void wait() {
        const int before = arranged;
        while (arranged == before || !model.isSettled())
            QApplication::processEvents(QEventLoop::WaitForMoreEvents);
        const int paintings = painted.count;
        view.viewport()->update();
        while (painted.count == paintings) QApplication::processEvents(QEventLoop::WaitForMoreEvents);
    }
    ui::RunTableModel model;
    ui::SparklineCache sparks;
    ui::RunTable view;
    Painted painted;
    int arranged = 0;
};

double milliseconds(const std::function<void()>& work) {
    QElapsedTimer clock;
    clock.start();
    work();
    return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

double median(int repeats, const std::function<double(int)>& measure) {
    std::vector<double> times;
    for (int i = 0; i < repeats; ++i) times.push_back(measure(i));
    return median(times);
}

/// From the file to the painted table, all 5,000 runs in it.
double openTable(const std::filesystem::path& file) {
    Table table;
    QApplication::processEvents();
    return milliseconds([&] {
        ui::readStore(
            &table.model, file,
            [](const tracking::Store& store, std::stop_token) { return ui::makeRunSet(store.runs()); },
            [&](ui::RunSet set) { table.model.setRuns(std::move(set)); },
            [](const Error& error) { std::fprintf(stderr, "%s\n", error.full().c_str()); });
        table.wait();
        if (table.model.rowCount() != kRuns) throw Error("not all runs came");
    });
}

struct Start {
    double usable = 0;  ///< ms from exec to the painted window with the runs in it
    double ended = 0;   ///< ms from there to the end of the program
};

/// Begins this program again as the desktop program begins, and reads the clock when its window is usable.
/// Waits for its end, or the next one would start beside it.
Start startProgram(const std::filesystem::path& self, const std::filesystem::path& file) {
    const std::string command =
        "exec " + shellQuote(self.string()) + " " + kStartOption + " " + shellQuote(file.string());
    Start result;
    FILE* pipe = nullptr;
    result.usable = milliseconds([&] {
        pipe = ::popen(command.c_str(), "r");
        char line[16] = {};
        if (!pipe || !std::fgets(line, sizeof line, pipe)) throw Error("the program did not start");
    });
    result.ended = milliseconds([&] { ::pclose(pipe); });
    return result;
}

int start(int argc, char** argv) {
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    ui::MainWindow window({argv[2], {}, {}, ui::Page::Runs});
    window.resize(kWindow);
    window.show();
    Painted painted(window.runsPage().table().viewport());
    while (window.runsPage().model().rowCount() == 0)
        application.processEvents(QEventLoop::WaitForMoreEvents);
    const int before = painted.count;
    while (painted.count == before) application.processEvents(QEventLoop::WaitForMoreEvents);
    std::puts("usable");
    std::fflush(stdout);
    return 0;
}

Json rival(const std::filesystem::path& file) {
    const std::string root = DAILIES_SOURCE_FOLDER;
    const std::string python = root + "/build/interop/bin/python";
    if (!std::filesystem::exists(python))
        throw Error("MLflow is not installed.", "Run: bash tests/interop/setup.sh");
    FILE* pipe = ::popen((shellQuote(python) + " " + shellQuote(root + "/tests/bench/mlflow_runs_peer.py") +
                          " " + shellQuote(file.string()) + " " + std::to_string(kRuns))
                             .c_str(),
                         "r");
    if (!pipe) throw Error("MLflow's client could not be started.");
    std::string output;
    char buffer[4096];
    while (const auto count = std::fread(buffer, 1, sizeof buffer, pipe)) output.append(buffer, count);
    if (::pclose(pipe) != 0) throw Error("MLflow's client failed.", "What it said is above.");
    return parseJson(output, "mlflow_runs_peer.py");
}

void compare(const char* what, double ours, const Json& theirs) {
    const double rivals = theirs.get<double>() * 1e3;
    std::printf("%-52s %9.1f ms   MLflow %9.0f ms   %7.1f x\n", what, ours, rivals, rivals / ours);
}

void bench(const std::filesystem::path& self) {
    const TemporaryFolder folder("runs-bench");
    const auto file = folder.path() / "dailies.db";
    test::makeLargeStore(file, {.runs = kRuns, .params = 30, .metrics = 30, .points = 3});

    const double opened = median(kRepeats, [&](int) { return openTable(file); });
    Table table;
    table.model.setRuns(ui::makeRunSet(tracking::Store(file, tracking::Store::Mode::ReadOnly).runs()));
    table.wait();
    ui::StallMeter stalls;
    const double sorted = median(kRepeats, [&](int i) {
        return milliseconds([&] {
            table.model.sortBy("metric:loss", i % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
            table.wait();
        });
    });
    const double byName = median(kRepeats, [&](int i) {
        return milliseconds([&] {
            table.model.sortBy("name", i % 2 ? Qt::AscendingOrder : Qt::DescendingOrder);
            table.wait();
        });
    });
    const double filtered = median(kRepeats, [&](int) {
        return milliseconds([&] {
            table.model.setMatcher(ui::RunMatcher::ofQuery(query::parseFilter("metrics.loss < 0.5")));
            table.wait();
        });
    });
    const double words = median(kRepeats, [&](int) {
        return milliseconds([&] {
            table.model.setMatcher(ui::RunMatcher::ofWords("adam finished"));
            table.wait();
        });
    });
    table.model.setMatcher({});
    table.wait();
    const double grouped = median(kRepeats, [&](int i) {
        return milliseconds([&] {
            table.model.setGrouping({i % 2 ? ui::Grouping::By::Status : ui::Grouping::By::Sweep});
            table.wait();
        });
    });
    const auto longest = static_cast<double>(stalls.longest().count()) / 1e3;
    std::vector<double> usable, ended;
    for (int i = 0; i < kRepeats; ++i) {
        const Start start = startProgram(self, file);
        usable.push_back(start.usable);
        ended.push_back(start.ended);
    }

    const Json theirs = rival(file);
    std::printf("%d runs, 30 params, 30 metrics; to the painted window, medians of %d\n", kRuns, kRepeats);
    compare("open: store to table, all runs", opened, theirs["open"]);
    compare("sort by a metric (MLflow: all runs)", sorted, theirs["sort"]);
    compare("sort by a metric (MLflow: the first 100)", sorted, theirs["screen"]);
    compare("filter by a metric", filtered, theirs["filter"]);
    std::printf(
        "sort by name %.1f ms, search words %.1f ms, group %.1f ms; longest GUI stall meanwhile %.1f ms\n",
        byName, words, grouped, longest);
    std::printf("start: exec to a painted window with the runs in it %.0f ms; its end takes %.0f ms\n",
                median(usable), median(ended));
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("DISPLAY")) qputenv("QT_QPA_PLATFORM", "offscreen");
    if (argc == 3 && std::strcmp(argv[1], kStartOption) == 0) return start(argc, argv);
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    try {
        bench(std::filesystem::canonical("/proc/self/exe"));
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
