// How soon a trainer's step is seen as a point on a chart, and how smooth the window stays meanwhile: four
// runs stream through the whole product (Slurm, SSH, store, window) on a sandbox cluster. The rivals are the
// poll's own wait and a thread that does nothing.
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/events/event_log.h"
#include "remote/cluster/launch.h"
#include "remote/sandbox/sandbox.h"
#include "ui/bridge/stall_meter.h"
#include "ui/charts/metric_chart.h"
#include "ui/main_window/main_window.h"
#include "ui/runs/runs_page.h"
#include "ui/theme/theme.h"

#include <QApplication>
#include <QChart>
#include <QChartView>
#include <QThread>
#include <QTimer>
#include <QValueAxis>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <optional>
#include <thread>

namespace {

using namespace dailies;
namespace sandbox = remote::sandbox;
using Steps = std::map<std::string, std::int64_t>;  ///< by run: the newest step

constexpr int kRuns = 4;
constexpr int kSteps = 300;  // one every 100 ms, as the script says
constexpr int kValues = 10;
constexpr int kPollSeconds = 1;
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
for step in range(1, 301):
    time.sleep(max(0, begin + 0.1 * step - time.monotonic()))
    values = {"metric" + str(i): math.sin(0.01 * i * step + task) for i in range(1, 10)}
    emit(type="metrics", step=step, values={"loss": (task + 1) / step, **values})
emit(type="end", status="finished", step=300, reason="")
)py";

class NoQuestions : public remote::ssh::Prompter {
    Trust trustHostKey(const remote::ssh::HostKey&) override { return Trust::Refuse; }
    std::optional<std::string> secret(const std::string&, bool) override { return std::nullopt; }
};

struct Cluster {
    explicit Cluster(const std::filesystem::path& place) : folder(place) {
        // Four cores, whatever this machine has: the runs hardly compute, and all four are to stream at once.
        profile = *sandbox::up({.folder = folder, .nodes = 2, .cpusPerNode = kRuns / 2}).profile;
        profile.pollSeconds = kPollSeconds;
    }
    ~Cluster() { sandbox::down(folder); }
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    std::filesystem::path folder;
    remote::ClusterProfile profile;
};

/// The runs' ids.
std::vector<std::string> launchSweep(const remote::ClusterProfile& profile,
                                     const std::filesystem::path& storeFile) {
    NoQuestions prompter;
    remote::Cluster cluster(profile, prompter);
    const std::string program = cluster.workspace() + "/live-trainer";
    writeFileAtomically(program, kTrainer, std::filesystem::perms::owner_all);
    sweep::Sweep sweep;
    sweep.name = sweep.experiment = "live";
    sweep.parameters = {{.key = "seed", .kind = sweep::Parameter::Kind::Values, .values = {0, 1, 2, 3}}};
    sweep.resources.parallelRuns = kRuns;
    sweep.resources.memory = "100M";
    const auto plan = remote::planLaunch(sweep, profile, cluster.workspace(), {"live", program});
    tracking::Store store(storeFile);
    remote::launch(cluster, plan, store);
    return plan.runIds;
}

struct Gaps {
    double longest = 0;  ///< ms
    int overBudget = 0;
};

Gaps gapsOf(const ui::StallMeter& meter) {
    return {1e-3 * static_cast<double>(meter.longest().count()), meter.overBudget()};
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
    Watch(ui::MainWindow& window, std::vector<std::string> runs)
        : m_page(window.runsPage()), m_runs(std::move(runs)) {
        connect(&window.worker(), &ui::ClusterWorker::runsChanged, this, [this] {
            if (!m_news) m_news = unixSeconds();
        });
    }

    const std::vector<Showing>& showings() const { return m_showings; }
    bool complete() const {
        return !m_showings.empty() && std::all_of(m_runs.begin(), m_runs.end(), [this](const auto& run) {
            return m_showings.back().steps.at(run) >= kSteps;
        });
    }

    /// To be called whenever the event loop has nothing else to do.
    void look() {
        if (m_painting || !m_page.settled()) return;
        QChartView* view = lossView();
        Steps steps = knownSteps();
        const bool drawn = view && axisEnd(*view) >= newest(steps);
        if (drawn && steps != m_seen) {
            m_seen = steps;
            m_painting = Showing{std::move(steps), m_news.value_or(unixSeconds()), 0};
            // Merges with the repaint that is due; where that is over already, this one is later.
            view->viewport()->update();
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
            const auto* run = m_page.model().find(id);
            steps[id] = run && run->metrics.contains("loss") ? run->metrics.at("loss").step : 0;
        }
        return steps;
    }
    static double newest(const Steps& steps) {
        std::int64_t step = 0;
        for (const auto& [run, last] : steps) step = std::max(step, last);
        return static_cast<double>(step);
    }
    static double axisEnd(const QChartView& view) {
        return static_cast<const QValueAxis*>(view.chart()->axes(Qt::Horizontal).constFirst())->max();
    }
    QChartView* lossView() {
        if (m_view) return m_view;
        for (const auto* chart : m_page.findChildren<ui::MetricChart*>())
            if (chart->metric() == "loss") m_view = chart->findChild<QChartView*>();
        if (m_view) m_view->viewport()->installEventFilter(this);
        return m_view;
    }

    ui::RunsPage& m_page;
    std::vector<std::string> m_runs;
    QChartView* m_view = nullptr;
    Steps m_seen;
    std::optional<double> m_news;
    std::optional<Showing> m_painting;
    std::vector<Showing> m_showings;
};

struct Latencies {
    std::vector<double> total, pollWait;  ///< ms, of every metrics event
    std::vector<double> rest, drawing;    ///< ms, of every showing
};

Latencies latencies(const std::vector<Showing>& showings, const tracking::Store& store) {
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
            result.total.push_back(1e3 * showing.at - time);
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
    std::printf("%-52s %7.1f ms %7d\n", what, gaps.longest, gaps.overBudget);
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

struct Watched {
    std::vector<std::string> runs;
    std::vector<Showing> showings;
    Gaps first, streaming, idle;
};

void turnUntil(const std::function<bool()>& done, double seconds) {
    for (const double end = unixSeconds() + seconds; !done() && unixSeconds() < end;)
        QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
}

Watched watchSweep(const remote::ClusterProfile& profile, const ui::Options& options) {
    Watched result;
    ui::MainWindow window(options);
    window.show();
    ui::StallMeter stalls;  // its ticks also wake the loop
    turnUntil([&] { return window.worker().state() == ui::LinkState::Connected && window.settled(); }, 30);
    if (window.worker().state() != ui::LinkState::Connected)
        throw Error("The window did not connect to the sandbox.");
    result.runs = launchSweep(profile, options.storeFile);
    window.worker().pollNow();  // as after its own launch
    QCoreApplication::processEvents();
    stalls.restart();

    // What a thread sees that has nothing to do: the part of the gaps that is the machine's.
    const std::unique_ptr<QThread> idle(QThread::create([&] {
        const ui::StallMeter meter;
        QEventLoop().exec();
        result.idle = gapsOf(meter);
    }));
    Watch watch(window, result.runs);
    const auto looked = [&](bool all) {
        watch.look();
        return all ? watch.complete() : !watch.showings().empty();
    };
    turnUntil([&] { return looked(false); }, kPatience);
    result.first = gapsOf(stalls);
    stalls.restart();
    idle->start();
    turnUntil([&] { return looked(true); }, kPatience);
    result.streaming = gapsOf(stalls);
    idle->quit();
    idle->wait();
    result.showings = watch.showings();
    return result;
}

int bench() {
    const TemporaryFolder folder("live-bench");
    const Cluster cluster(folder.path() / "s");
    const ui::Options options{folder.path() / "dailies.db", folder.path() / "clusters.json",
                              cluster.profile.name, ui::Page::Runs};
    remote::ClusterProfiles(options.profilesFile).put(cluster.profile);
    const Watched watched = watchSweep(cluster.profile, options);
    if (watched.showings.empty()) throw Error("No point reached a chart.");

    const tracking::Store store(options.storeFile, tracking::Store::Mode::ReadOnly);
    const Latencies times = latencies(watched.showings, store);
    double load = 0;
    getloadavg(&load, 1);
    std::printf("%d runs, %d steps each of %d metrics, 10 a second; %u cores at load %.1f\n\n", kRuns, kSteps,
                kValues, std::thread::hardware_concurrency(), load);
    std::printf("%-52s %10s %10s\n", "", "median", "p95");
    print("a step's event to its repainted point", times.total);
    print("  of that, waiting for the next poll (every 1 s)", times.pollWait);
    print("  the newest event of a poll to its repainted point", times.rest);
    print("    of that, the window told to all charts repainted", times.drawing);
    std::printf("\n%-52s %10s %10s\n", "GUI thread", "longest", "over 8 ms");
    print("  until the first points (makes the charts)", watched.first);
    print("  while all stream", watched.streaming);
    print("  a thread with nothing to do, meanwhile", watched.idle);

    std::size_t written = 0;
    for (const auto& run : watched.runs)
        written += pointsWritten(std::filesystem::path(store.run(run)->tags.at(tracking::tag::kFolder)));
    const std::size_t stored = pointsStored(store, watched.runs);
    constexpr std::size_t expected = static_cast<std::size_t>(kRuns) * kSteps;
    std::printf("\npoints: %zu written, %zu stored; steps: %zu of %zu shown\n", written, stored,
                times.total.size(), expected);
    return written == expected * kValues && stored == written && times.total.size() == expected ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    if (!qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    QApplication application(argc, argv);
    ui::Theme::instance().apply(ui::ThemeMode::Dark);
    try {
        return bench();
    } catch (const Error& error) {
        std::fprintf(stderr, "%s\n", error.full().c_str());
        return 1;
    }
}
