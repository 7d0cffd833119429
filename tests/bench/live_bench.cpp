// How soon a trainer's step is seen as a point on a chart, how smooth the window stays meanwhile and whether
// its memory grows: 64 runs of 10 metrics stream 10 points a second each through the whole product (Slurm,
// SSH, store, window) on a sandbox cluster. The rivals are the poll's own wait and a thread that does
// nothing. With --launch the window launches another sweep half way, whose trainer would have to be built and
// waits in the full queue; the rival is then the half before it.
// live_bench [--minutes M] [--runs N] [--launch]: a minute and 64 runs unless told.
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/base/malloc_arenas.h"
#include "core/events/event_log.h"
#include "remote/launch/launch.h"
#include "remote/sandbox/sandbox.h"
#include "ui/bridge/stall_meter.h"
#include "ui/charts/curve_view.h"
#include "ui/charts/metric_chart.h"
#include "ui/main_window/main_window.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QPointer>
#include <QThread>
#include <QTimer>
#include <sqlite3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <limits>
#include <malloc.h>
#include <map>
#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <time.h>
#include <unistd.h>

namespace {

using namespace dailies;
namespace sandbox = remote::sandbox;
using Steps = std::map<std::string, std::int64_t>;  ///< by run: the newest step

constexpr int kValues = 10;
constexpr int kStepsASecond = 10;  // as the script says
constexpr int kFrameMs = 16;       ///< a gap beyond it is a frame that a person did not get
constexpr int kPollSeconds = 1;
constexpr int kClusterNiceness = 10;
constexpr int kLookMs = 5;        ///< between two looks at what is on the charts: how exact the times are
constexpr double kPatience = 90;  ///< seconds until what is missing counts as lost

/// In dailies-train's place: it costs next to nothing, so that the figures are the desktop's. Each line is
/// one write, as the trainer's are.
constexpr std::string_view kTrainer = R"py(#!/usr/bin/env python3
import json, math, os, sys, time

folder = os.path.dirname(sys.argv[sys.argv.index("--config") + 1])
task = int(os.environ["SLURM_ARRAY_TASK_ID"])
job = os.environ["SLURM_ARRAY_JOB_ID"] + "_" + str(task)
log = open(os.path.join(folder, "events.jsonl"), "ab", buffering=0)
seq = 0


def emit(**payload):
    global seq
    seq += 1
    log.write(json.dumps({"seq": seq, "attempt": 1, "time": time.time(), **payload}).encode() + b"\n")


emit(type="start", trainer="bench", host="localhost", ranks=1, job=job, restarts=0, facts={})
begin = time.monotonic()
STEPS = 0
for step in range(1, STEPS + 1):
    time.sleep(max(0, begin + 0.1 * step - time.monotonic()))
    values = {"metric" + str(i): math.sin(0.01 * i * step + task) for i in range(1, 10)}
    emit(type="metrics", step=step, values={"loss": (task + 1) / step, **values})
emit(type="end", status="finished", step=STEPS, reason="")
)py";

class NoQuestions : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

struct Cluster {
    Cluster(const std::filesystem::path& place, int runs) : folder(place) {
        // A core a run, whatever this machine has: they hardly compute, and all are to stream at once.
        const sandbox::Options options{.folder = folder, .nodes = 2, .cpusPerNode = (runs + 1) / 2};
        // A cluster's processes run on other machines; here they come after the desktop's.
        const pid_t starter = fork();
        if (starter == 0) {
            const bool nicer = setpriority(PRIO_PROCESS, 0, kClusterNiceness) == 0;
            try {
                sandbox::up(options);
            } catch (const Error&) {  // told below, where it is tried again
            }
            _exit(nicer ? 0 : 1);
        }
        waitpid(starter, nullptr, 0);
        profile = *sandbox::up(options).profile;
        profile.pollSeconds = kPollSeconds;
        // a trainer could be built; it never comes to that
        profile.torchDir = (folder / "torch").string();
        writeFileAtomically(folder / "torch/TorchConfig.cmake", "");
    }
    ~Cluster() { sandbox::down(folder); }
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    std::filesystem::path folder;
    remote::ClusterProfile profile;
};

struct Load {
    int runs = 64;
    double minutes = 1;
    bool launches = false;  ///< another sweep, half way
    int steps() const { return static_cast<int>(60 * minutes * kStepsASecond); }
};

/// The runs' ids.
std::vector<std::string> launchSweep(const remote::ClusterProfile& profile,
                                     const std::filesystem::path& storeFile, const Load& load) {
    NoQuestions prompter;
    remote::Cluster cluster(profile, prompter);
    const std::string program = cluster.workspace() + "/live-trainer";
    std::string script(kTrainer);
    script.replace(script.find("STEPS = 0"), 9, "STEPS = " + std::to_string(load.steps()));
    writeFileAtomically(program, script, std::filesystem::perms::owner_all);
    sweep::Sweep sweep;
    sweep.name = sweep.experiment = "live";
    sweep::Parameter seed;
    seed.key = "seed";
    seed.kind = sweep::Parameter::Kind::Values;
    for (int run = 0; run < load.runs; ++run) seed.values.push_back(run);
    sweep.parameters = {seed};
    sweep.resources.parallelRuns = load.runs;
    sweep.resources.memory = "40M";
    const auto plan = remote::planLaunch(sweep, profile, cluster.workspace(), {"live", program});
    tracking::Store store(storeFile);
    remote::launch(cluster, plan, store);
    return plan.runIds;
}

struct Gaps {
    double longest = 0;  ///< ms
    int overBudget = 0;
    int overFrame = -1;  ///< not counted
};

Gaps gapsOf(const ui::StallMeter& meter) {
    return {1e-3 * static_cast<double>(meter.longest().count()), meter.overBudget()};
}

double threadMilliseconds() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// Looks at the turns of the event loop: which were longer than a frame, and how much of each the thread
/// worked. The rest it waited for a core, beside the cluster and whatever else this machine does.
class FrameMeter : public QObject {
public:
    FrameMeter() {
        m_timer.setTimerType(Qt::PreciseTimer);
        connect(&m_timer, &QTimer::timeout, this, [this] {
            const double worked = threadMilliseconds();
            if (m_since.isValid()) {
                m_dropped += m_since.elapsed() > kFrameMs + 1 ? 1 : 0;
                const double work = worked - m_worked;
                m_work.longest = std::max(m_work.longest, work);
                m_work.overBudget += work > 8 ? 1 : 0;
                m_work.overFrame += work > kFrameMs ? 1 : 0;
            }
            m_worked = worked;
            m_since.start();
        });
        m_timer.start(1);
    }
    void restart() {
        m_dropped = 0;
        m_work = {0, 0, 0};
    }
    void ignoreCurrentGap() { m_since.invalidate(); }
    int dropped() const { return m_dropped; }
    Gaps work() const { return m_work; }

private:
    QTimer m_timer;
    QElapsedTimer m_since;
    double m_worked = 0;
    int m_dropped = 0;
    Gaps m_work{0, 0, 0};
};

double residentMegabytes() {
    std::ifstream statm("/proc/self/statm");
    double pages = 0;
    statm >> pages >> pages;
    return pages * static_cast<double>(sysconf(_SC_PAGESIZE)) / (1 << 20);
}

constexpr double kMegabyte = 1 << 20;

/// Where the resident memory is, in MB.
struct Memory {
    double resident = residentMegabytes();
    double inUse = 0;   ///< of the heap, the curves and SQLite's pages among it
    double free = 0;    ///< of the heap: given back by the program and kept by the C library
    double curves = 0;  ///< the points on the charts, as they were read and as they are drawn
    double pages = 0;   ///< SQLite's, of all connections
};

Memory memoryNow(ui::MainWindow& window) {
    Memory memory;
    const auto heap = mallinfo2();
    memory.inUse = static_cast<double>(heap.uordblks + heap.hblkhd) / kMegabyte;
    memory.free = static_cast<double>(heap.fordblks) / kMegabyte;
    memory.pages = static_cast<double>(sqlite3_memory_used()) / kMegabyte;
    for (auto* chart : window.runsPage().findChildren<ui::MetricChart*>())
        for (const auto& curve : chart->view().picture().shown)
            if (const auto& drawn = curve.prepared)
                memory.curves += static_cast<double>(drawn->raw->size() * sizeof(tracking::MetricPoint) +
                                                     drawn->raw->bytes()) /
                                 kMegabyte;
    return memory;
}

/// One repaint that brought new points.
struct Showing {
    Steps steps;  ///< what was on the charts
    double news;  ///< unix seconds when the window was first told of them
    double at;    ///< when they had been painted
};

/// Notes when which points are on the charts. A point counts once the page says that everything it knows of
/// is drawn, the loss chart's own axis reaches it, and that chart has been painted after that.
class Watch : public QObject {
public:
    Watch(ui::MainWindow& window, std::vector<std::string> runs, int steps)
        : m_page(window.runsPage()), m_runs(std::move(runs)), m_steps(steps) {
        connect(&window.worker(), &ui::ClusterWorker::runsChanged, this, [this] {
            if (!m_news) m_news = unixSeconds();
        });
    }

    const std::vector<Showing>& showings() const { return m_showings; }
    bool complete() const {
        return !m_showings.empty() && std::all_of(m_runs.begin(), m_runs.end(), [this](const auto& run) {
            return m_showings.back().steps.at(run) >= m_steps;
        });
    }

    /// To be called whenever the event loop has nothing else to do.
    void look() {
        // Not at each turn of the loop, or the looking would be most of what the thread does.
        if (m_painting || (m_looked.isValid() && m_looked.elapsed() < kLookMs) || !m_page.isSettled()) return;
        m_looked.start();
        ui::CurveView* view = lossView();
        Steps steps = knownSteps();
        const bool drawn = view && view->picture().everything.maximum >= newest(steps);
        if (drawn && steps != m_seen) {
            m_seen = steps;
            m_painting = Showing{std::move(steps), m_news.value_or(unixSeconds()), 0};
            // Merges with the repaint that is due; where that is over already, this one is later.
            view->update();
        }
        m_news.reset();
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Paint && m_painting)
            QTimer::singleShot(0, this, [this] {  // the paint is over then
                if (!m_painting) return;
                m_painting->at = unixSeconds();
                m_showings.push_back(*m_painting);
                m_painting.reset();
            });
        return QObject::eventFilter(watched, event);
    }

private:
    Steps knownSteps() const {
        Steps steps;
        for (const auto& id : m_runs) {
            const auto run = m_page.model().find(id);
            steps[id] = run && run->metrics.contains("loss") ? run->metrics.at("loss").step : 0;
        }
        return steps;
    }
    static double newest(const Steps& steps) {
        std::int64_t step = 0;
        for (const auto& [run, last] : steps) step = std::max(step, last);
        return static_cast<double>(step);
    }
    ui::CurveView* lossView() {
        if (m_view) return m_view;
        for (auto* chart : m_page.findChildren<ui::MetricChart*>())
            if (chart->metric() == "loss") m_view = &chart->view();
        if (m_view) m_view->installEventFilter(this);
        return m_view;
    }

    ui::RunsPage& m_page;
    std::vector<std::string> m_runs;
    int m_steps;
    QPointer<ui::CurveView> m_view;
    QElapsedTimer m_looked;
    Steps m_seen;
    std::optional<double> m_news;
    std::optional<Showing> m_painting;
    std::vector<Showing> m_showings;
};

struct Latencies {
    std::vector<double> besideLaunch;     ///< ms, of the events that were shown after the launch half way
    std::vector<double> total, pollWait;  ///< ms, of every metrics event
    std::vector<double> rest, drawing;    ///< ms, of every showing
};

/// `launched`: unix seconds of the launch half way, after which times count as beside it.
Latencies latencies(const std::vector<Showing>& showings, const tracking::Store& store, double launched) {
    Latencies result;
    std::map<std::string, std::vector<tracking::MetricPoint>> history;
    Steps seen;
    for (const Showing& showing : showings) {
        std::vector<double> written;  // unix ms by the trainer's own stamps
        for (const auto& [run, newest] : showing.steps) {
            const auto [points, isNew] = history.try_emplace(run);
            if (isNew) points->second = store.history(run, "loss");
            for (const auto& point : points->second)
                if (point.step > seen[run] && point.step <= newest)
                    written.push_back(static_cast<double>(point.timestampMs));
            seen[run] = newest;
        }
        // The poll read the files after the newest was written: what the older ones are ahead, they waited.
        const double newest = *std::max_element(written.begin(), written.end());
        for (const double time : written) {
            (showing.at < launched ? result.total : result.besideLaunch).push_back(1e3 * showing.at - time);
            result.pollWait.push_back(newest - time);
        }
        result.rest.push_back(1e3 * showing.at - newest);
        result.drawing.push_back(1e3 * (showing.at - showing.news));
    }
    return result;
}

void print(const char* what, std::vector<double> times) {
    std::sort(times.begin(), times.end());
    std::printf("%-52s %7.0f ms %7.0f ms   of %zu\n", what, times[times.size() / 2],
                times[times.size() * 95 / 100], times.size());
}

void print(const char* what, const Gaps& gaps) {
    std::printf("%-52s %7.1f ms %7d", what, gaps.longest, gaps.overBudget);
    gaps.overFrame < 0 ? std::printf("\n") : std::printf(" %7d\n", gaps.overFrame);
}

std::size_t pointsWritten(const std::filesystem::path& runFolder) {
    std::size_t points = 0;
    for (const auto& event : events::parseChunk(readFile(runFolder / "events.jsonl")).events)
        if (const auto* metrics = std::get_if<events::Metrics>(&event.payload))
            points += metrics->values.size();
    return points;
}

std::size_t pointsStored(const tracking::Store& store, const std::vector<std::string>& runs) {
    std::size_t points = 0;
    for (const auto& run : runs)
        for (const auto& key : store.metricKeys({run})) points += store.history(run, key).size();
    return points;
}

double percentile95(std::vector<double> times) {
    std::sort(times.begin(), times.end());
    return times[times.size() * 95 / 100];
}

struct Watched {
    std::vector<std::string> runs;
    std::vector<Showing> showings;
    Gaps first, streaming, working, idle;
    Memory before, middle, after;
    double launched = std::numeric_limits<double>::infinity();  ///< unix seconds
};

void turnUntil(const std::function<bool()>& done, double seconds) {
    for (const double end = unixSeconds() + seconds; !done() && unixSeconds() < end;)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

/// A sweep of the trainer, which has to be built first and finds no room.
void launchWhatWaits(ui::MainWindow& window, Watched& watched) {
    bool waits = false;
    std::optional<Error> failure;
    const auto refused = QObject::connect(&window.worker(), &ui::ClusterWorker::launchFailed,
                                          [&](const Error& error) { failure = error; });
    const auto heard =
        QObject::connect(&window.worker(), &ui::ClusterWorker::progress,
                         [&](const QString& line) { waits = waits || line.contains("The build is queued"); });
    sweep::Sweep sweep;
    sweep.name = "waits";
    sweep::Parameter seed;
    seed.key = "seed";
    seed.values = {1};
    sweep.parameters = {seed};
    sweep.resources.memory = "400M";
    window.worker().launch({sweep});
    turnUntil([&] { return waits || failure; }, kPatience);
    QObject::disconnect(heard);
    QObject::disconnect(refused);
    if (failure) throw *failure;
    if (!waits) throw Error("The launch half way did not come to its build.");
    watched.launched = unixSeconds();
}

Watched watchSweep(const remote::ClusterProfile& profile, const ui::Options& options, const Load& load) {
    Watched result;
    ui::MainWindow window(options);
    window.show();
    ui::StallMeter stalls;  // its ticks also wake the loop
    FrameMeter frames;
    turnUntil([&] { return window.worker().state() == ui::ConnectionState::Connected && window.isSettled(); },
              30);
    if (window.worker().state() != ui::ConnectionState::Connected)
        throw Error("The window did not connect to the sandbox.");
    result.runs = launchSweep(profile, options.storeFile, load);
    window.worker().pollNow();  // as after its own launch
    QCoreApplication::processEvents();
    stalls.restart();

    // What a thread sees that has nothing to do: the part of the gaps that is the machine's.
    const std::unique_ptr<QThread> idle(QThread::create([&] {
        const ui::StallMeter meter;
        QEventLoop().exec();
        result.idle = gapsOf(meter);
    }));
    Watch watch(window, result.runs, load.steps());
    const auto looked = [&](bool all) {
        watch.look();
        return all ? watch.complete() : !watch.showings().empty();
    };
    turnUntil([&] { return looked(false); }, kPatience);
    result.first = gapsOf(stalls);
    stalls.restart();
    frames.restart();
    idle->start();
    const auto memory = [&] {
        const Memory now = memoryNow(window);  // walks the whole heap, which is not the window's work
        stalls.ignoreCurrentGap();
        frames.ignoreCurrentGap();
        return now;
    };
    result.before = memory();
    turnUntil([&] { return looked(true); }, 30 * load.minutes);
    result.middle = memory();
    if (load.launches) launchWhatWaits(window, result);
    turnUntil([&] { return looked(true); }, 30 * load.minutes + kPatience);
    result.after = memory();
    result.streaming = gapsOf(stalls);
    result.streaming.overFrame = frames.dropped();
    result.working = frames.work();
    idle->quit();
    idle->wait();
    result.showings = watch.showings();
    return result;
}

int bench(const Load& work) {
    const TemporaryFolder folder("live-bench");
    const Cluster cluster(folder.path() / "s", work.runs);
    const ui::Options options{folder.path() / "dailies.db", folder.path() / "clusters.json",
                              cluster.profile.name, ui::Page::Runs};
    remote::ClusterProfiles(options.profilesFile).put(cluster.profile);
    const Watched watched = watchSweep(cluster.profile, options, work);
    if (watched.showings.empty()) throw Error("No point reached a chart.");

    const tracking::Store store(options.storeFile, tracking::Store::Mode::ReadOnly);
    const Latencies times = latencies(watched.showings, store, watched.launched);
    double load = 0;
    getloadavg(&load, 1);
    std::printf("%d runs, %d steps each of %d metrics, %d a second; %u cores at load %.1f\n\n", work.runs,
                work.steps(), kValues, kStepsASecond, std::thread::hardware_concurrency(), load);
    std::printf("%-52s %10s %10s\n", "", "median", "p95");
    print("a step's event to its repainted point", times.total);
    print("  of that, waiting for the next poll (every 1 s)", times.pollWait);
    print("  the newest event of a poll to its repainted point", times.rest);
    print("    of that, the window told to all charts repainted", times.drawing);
    if (!times.besideLaunch.empty()) {
        print("a step's event to its point, while a build waits", times.besideLaunch);
        std::printf("%-52s %10s %10.2f\n", "  times that of the half before", "",
                    percentile95(times.besideLaunch) / percentile95(times.total));
    }
    std::printf("\n%-52s %10s %10s   frames over %d ms\n", "GUI thread", "longest", "over 8 ms", kFrameMs);
    print("  until the first points (makes the charts)", watched.first);
    print("  while all stream", watched.streaming);
    print("    of that, its own work (CPU time of a turn)", watched.working);
    print("  a thread with nothing to do, meanwhile", watched.idle);

    std::printf("\n%-52s %10s %10s %10s\n", "memory, MB", "first", "half way", "end");
    const auto row = [&](const char* what, double Memory::*part) {
        std::printf("%-52s %10.1f %10.1f %10.1f\n", what, watched.before.*part, watched.middle.*part,
                    watched.after.*part);
    };
    row("  resident", &Memory::resident);
    row("    heap in use", &Memory::inUse);
    row("      data: points of the curves on the charts", &Memory::curves);
    row("      SQLite, its page caches above all", &Memory::pages);
    row("    heap that is free, kept for later", &Memory::free);

    std::size_t written = 0;
    for (const auto& run : watched.runs)
        written += pointsWritten(std::filesystem::path(store.run(run)->tags.at(tracking::tag::kFolder)));
    const std::size_t stored = pointsStored(store, watched.runs);
    const std::size_t expected = static_cast<std::size_t>(work.runs) * static_cast<std::size_t>(work.steps());
    const std::size_t shown = times.total.size() + times.besideLaunch.size();
    std::printf("\npoints: %zu written, %zu stored; steps: %zu of %zu shown\n", written, stored, shown,
                expected);
    return written == expected * kValues && stored == written && shown == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    limitMallocArenas();
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    Load load;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (word == "--launch") load.launches = true;
        if (i + 1 < argc && word == "--minutes") load.minutes = std::atof(argv[++i]);
        if (i + 1 < argc && word == "--runs") load.runs = std::atoi(argv[++i]);
    }
    if (load.minutes <= 0 || load.runs <= 0) {
        std::fprintf(stderr, "usage: live_bench [--minutes M] [--runs N] [--launch], both above 0\n");
        return 2;
    }
    try {
        return bench(load);
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
