// How fast the rooms of a run open: fifty runs side by side, and a log of 50 MB. The log's rivals are GNU wc
// and grep on the same file: a viewer cannot show line numbers or count matches without the same pass.
#include "core/base/files.h"
#include "tests/support/large_store.h"
#include "ui/bridge/stall_meter.h"
#include "ui/compare/compare_page.h"
#include "ui/compare/compare_table.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/log_view.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QScrollArea>
#include <QScrollBar>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>

namespace {

using namespace dailies;

double millisecondsUntil(const std::function<bool()>& done) {
    QElapsedTimer time;
    time.start();
    while (!done()) QCoreApplication::processEvents(QEventLoop::AllEvents, 5);
    return static_cast<double>(time.nsecsElapsed()) / 1e6;
}

double milliseconds(const std::function<void()>& work) {
    QElapsedTimer time;
    time.start();
    work();
    return static_cast<double>(time.nsecsElapsed()) / 1e6;
}

void compareFiftyRuns(const std::filesystem::path& folder) {
    const auto file = folder / "runs.db";
    test::makeLargeStore(file, {.runs = 50, .params = 200, .metrics = 30, .points = 1000});
    std::vector<std::string> ids;
    for (const auto& run : tracking::Store(file, tracking::Store::Mode::ReadOnly).runs())
        ids.push_back(run.id);
    ui::ClusterWorker worker(file);
    ui::ComparePage page(file, worker);
    page.resize(1440, 900);
    page.show();
    millisecondsUntil([&] { return page.isSettled(); });

    ui::StallMeter meter;
    page.setRuns(ids);
    const double opened = millisecondsUntil([&] { return page.table().isVisible(); });
    const double settled = opened + millisecondsUntil([&] { return page.isSettled(); });
    std::printf(
        "compare 50 runs x 200 params x 30 metrics: table after %.0f ms, curves and best points after "
        "%.0f ms, longest GUI stall %.0f ms\n",
        opened, settled, static_cast<double>(meter.longest().count()) / 1000);

    auto* bar = page.findChild<QScrollArea*>()->verticalScrollBar();
    std::vector<double> frames;
    for (int i = 0; i < 120; ++i) {
        bar->setValue(bar->maximum() * i / 240);
        frames.push_back(milliseconds([&] { page.grab(); }));
    }
    std::sort(frames.begin(), frames.end());
    std::printf("  a scrolled frame of 1440x900: median %.1f ms, p95 %.1f ms\n", frames[60], frames[114]);
}

void openALog(const std::filesystem::path& folder) {
    const auto file = folder / "50.out";
    {
        std::ofstream out(file, std::ios::binary);
        for (int i = 0; out.tellp() < 50'000'000; ++i)
            out << "\x1b[2mstep\x1b[0m " << i << " loss 0.1234 grad_norm 1.25 samples_per_second 210.5\n";
        out << "a needle at the end\n";
    }
    ui::LogView view;
    view.resize(1200, 800);
    view.show();
    ui::StallMeter meter;
    view.setFile(file);
    const double shown = millisecondsUntil([&] {
        const auto rows = view.shownRows();
        return !rows.empty() && !rows.back().isEmpty();
    });
    millisecondsUntil([&] { return view.isSettled(); });
    view.search("needle");
    const double searched = millisecondsUntil([&] { return view.isSettled(); });

    const std::string name = "'" + file.string() + "'";
    const double wc = milliseconds([&] {
        if (std::system(("wc -l " + name + " > /dev/null").c_str()) != 0) std::exit(1);
    });
    const double grep = milliseconds([&] {
        if (std::system(("grep -ci needle " + name + " > /dev/null").c_str()) != 0) std::exit(1);
    });
    std::printf(
        "log of 50 MB (%lld lines): end on the screen after %.0f ms (wc -l: %.0f ms, %.1f x as long), "
        "searched in "
        "%.0f ms (grep -ci: %.0f ms, %.1f x as long), longest GUI stall %.0f ms\n",
        static_cast<long long>(view.lines()), shown, wc, shown / wc, searched, grep, searched / grep,
        static_cast<double>(meter.longest().count()) / 1000);
}

}  // namespace

int main(int argc, char** argv) {
    qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    const TemporaryFolder folder;
    compareFiftyRuns(folder.path());
    openALog(folder.path());
}
