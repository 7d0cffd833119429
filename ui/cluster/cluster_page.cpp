#include "ui/cluster/cluster_page.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "ui/bridge/read_store.h"
#include "ui/cluster/adopt_panel.h"
#include "ui/cluster/alerts_panel.h"
#include "ui/cluster/nodes_panel.h"
#include "ui/cluster/preflight_view.h"
#include "ui/cluster/queue_panel.h"
#include "ui/cluster/sandbox_control.h"
#include "ui/cluster/snapshot_table.h"
#include "ui/cluster/usage_tile.h"
#include "ui/theme/theme.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

namespace slurm = remote::slurm;
using slurm::NodeCondition;

constexpr std::size_t kHistoryRuns = 500;
constexpr int kRunsAgainMs = 2000;

/// What our store knows of a cluster's runs.
struct RunsThere {
    RunsByJob byJob;
    std::vector<tracking::Run> ended;  ///< newest first
};

/// Reading all runs of a large store takes a moment: those that ended only where somebody sees them.
RunsThere runsOn(const tracking::Store& store, const std::string& cluster, bool withEnded) {
    RunsThere there;
    for (tracking::Run& run : withEnded ? store.runs() : store.activeRuns()) {
        if (!cluster.empty() && tagOf(run, tracking::tag::kCluster) != cluster) continue;
        const std::string job = tagOf(run, tracking::tag::kJob);
        if (!job.empty()) there.byJob.try_emplace(job, RunRef{run.id, run.name});
        if (!tracking::isActive(run.status) && !tagOf(run, tracking::tag::kCluster).empty())
            there.ended.push_back(std::move(run));
    }
    std::ranges::stable_sort(there.ended, std::greater{},
                             [](const tracking::Run& run) { return run.endMs.value_or(run.startMs); });
    if (there.ended.size() > kHistoryRuns) there.ended.resize(kHistoryRuns);
    return there;
}

QString percent(double share) {
    return QStringLiteral("%1 %").arg(share * 100, 0, 'f', 0);
}

}  // namespace

ClusterPage::ClusterPage(std::filesystem::path storeFile, ClusterWorker& worker, SandboxControl& sandbox,
                         QWidget* parent)
    : QWidget(parent), m_storeFile(std::move(storeFile)), m_worker(worker), m_sandbox(sandbox) {
    setObjectName(QStringLiteral("page"));
    m_stack = new QStackedWidget;
    auto* column = makeColumn(0);
    column->addWidget(makeHeader());
    column->addWidget(m_stack, 1);
    setLayout(column);
    m_stack->addWidget(makeEmpty());
    m_stack->addWidget(makeOverview());
    addKeys();

    m_second.setInterval(1000);
    connect(&m_second, &QTimer::timeout, this, [this] {
        watch(isVisible() && !window()->isMinimized());
        showAge();
    });
    connect(&m_worker, &ClusterWorker::stateChanged, this, &ClusterPage::showLink);
    connect(&m_worker, &ClusterWorker::runsChanged, this, &ClusterPage::readRuns);
    connect(&m_worker, &ClusterWorker::storeOpened, this, [this] {
        readKept();
        readRuns();
    });
    connect(&m_worker, &ClusterWorker::clusterViewUpdated, this,
            [this](const std::shared_ptr<const remote::ClusterView>& view, int calls) {
                m_callsInMinute = calls;
                take(view, true);
            });
    connect(&m_worker, &ClusterWorker::historyRead, this, [this](const std::vector<slurm::QueuedJob>& jobs) {
        if (isLive() && m_worker.info()->facts.accounting) {
            m_historySource->setText(tr("Your jobs of the last two weeks, from Slurm's accounting."));
            m_history->facts().setRows(historyRows(jobs, m_runs));
        }
    });
    connect(&m_sandbox, &SandboxControl::changed, this, &ClusterPage::showSandbox);
    connect(&m_sandbox, &SandboxControl::progress, m_sandboxState, &QLabel::setText);
    showLink();
    showSandbox();
}

// ---- what it is made of

QWidget* ClusterPage::makeHeader() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    m_title = makeLabel(tr("Cluster"), TextStyle::Display);
    m_dot = makeLabel(QStringLiteral("●"), TextStyle::Body);
    m_subtitle = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    m_age = makeLabel({}, TextStyle::Body, TextTone::Faint);
    m_refresh = makeIconButton(QStringLiteral("refresh"), tr("Refresh (F5)"));
    m_sandboxSwitch = makeButton({}, ButtonKind::Ghost);
    m_disconnect = makeButton(tr("Disconnect"), ButtonKind::Ghost);
    m_connect = makeButton(tr("Connect…"), ButtonKind::Primary);
    row->addWidget(m_title);
    row->addWidget(m_dot);
    row->addWidget(m_subtitle, 1);
    row->addWidget(m_age);
    row->addWidget(m_refresh);
    row->addWidget(m_sandboxSwitch);
    row->addWidget(m_disconnect);
    row->addWidget(m_connect);
    bar->setLayout(row);
    excludeFromPalette(*m_connect);  // the window offers it on every page
    connect(m_refresh, &QToolButton::clicked, &m_worker, &ClusterWorker::refreshClusterView);
    connect(m_connect, &QPushButton::clicked, this, &ClusterPage::connectRequested);
    connect(m_disconnect, &QPushButton::clicked, &m_worker, &ClusterWorker::goOffline);
    connect(m_sandboxSwitch, &QPushButton::clicked, this,
            [this] { m_sandbox.running() ? m_sandbox.stop() : m_sandbox.start(); });
    return bar;
}

QWidget* ClusterPage::makeEmpty() {
    m_empty = new EmptyState(QStringLiteral("server-off"), {}, {});
    auto* connectNow = m_empty->addAction(tr("Connect…"), ButtonKind::Primary);
    excludeFromPalette(*connectNow);
    connect(connectNow, &QPushButton::clicked, this, &ClusterPage::connectRequested);
    m_emptySandbox = m_empty->addAction(tr("Start the sandbox"), ButtonKind::Normal);
    connect(m_emptySandbox, &QPushButton::clicked, &m_sandbox, &SandboxControl::start);
    m_sandboxState = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_sandboxState->setAlignment(Qt::AlignCenter);
    auto* page = new QWidget;
    auto* column = makeColumn(space::k8, {space::k16, space::k16, space::k16, space::k16});
    column->addWidget(m_empty, 1);
    column->addWidget(m_sandboxState);
    page->setLayout(column);
    return page;
}

QWidget* ClusterPage::makeOverview() {
    auto* tiles = makeRow(space::k12, {space::k16, space::k12, space::k16, space::k12});
    const std::array<QString, kTiles> titles{tr("Nodes up"), tr("GPUs in use"), tr("CPUs in use"),
                                             tr("My jobs"), tr("Workspace")};
    for (std::size_t i = 0; i < m_tiles.size(); ++i) {
        m_tiles[i] = new UsageTile(titles[i]);
        tiles->addWidget(m_tiles[i], 1);
    }
    m_queue = new QueuePanel(m_worker);
    m_nodes = new NodesPanel;
    m_partitions = new SnapshotTable(partitionColumns(), tr("Partitions"),
                                     static_cast<int>(partitionColumns().size()) - 1);
    m_history =
        new SnapshotTable(historyColumns(), tr("History"), static_cast<int>(historyColumns().size()) - 1);
    m_historySource = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_historySource->setContentsMargins(space::k16, space::k12, space::k16, space::k12);
    auto* history = new QWidget;
    auto* column = makeColumn(0);
    column->addWidget(m_historySource);
    column->addWidget(m_history, 1);
    history->setLayout(column);

    m_tabs = new QTabWidget;
    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_queue, tr("Queue"));
    m_tabs->addTab(m_nodes, tr("Nodes"));
    m_tabs->addTab(m_partitions, tr("Partitions"));
    m_tabs->addTab(history, tr("History"));
    m_tabs->addTab(makePreflightPanel(m_worker), tr("Preflight"));
    m_adopt = new AdoptPanel(m_worker);
    m_tabs->addTab(m_adopt, tr("Adopt"));
    m_alerts = new AlertsPanel(m_storeFile);
    m_tabs->addTab(m_alerts, tr("Alerts"));
    connect(m_alerts, &AlertsPanel::countChanged, this, [this](int open) {
        m_tabs->setTabText(m_tabs->indexOf(m_alerts), open > 0 ? tr("Alerts (%1)").arg(open) : tr("Alerts"));
    });
    connect(m_alerts, &AlertsPanel::openRunRequested, this, &ClusterPage::openRunRequested);
    connect(m_alerts, &AlertsPanel::failed, this, &ClusterPage::failed);
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        refreshTab();
        if (m_tabs->currentWidget() == m_adopt) m_adopt->checkNow();
        if (showsHistory()) {
            readHistory();
            readRuns();
        }
    });
    connect(m_queue, &QueuePanel::openRunRequested, this, &ClusterPage::openRunRequested);
    connect(m_history, &SnapshotTable::activatedKey, this, [this](const QString& key) {
        const auto run = m_runs.find(key.toStdString());  // by its job, or it is a run's id itself
        if (run != m_runs.end()) {
            emit openRunRequested(run->second.runId);
        } else if (std::ranges::any_of(
                       m_runs, [&](const auto& one) { return one.second.runId == key.toStdString(); })) {
            emit openRunRequested(key.toStdString());
        }
    });

    auto* page = new QWidget;
    auto* all = makeColumn(0);
    all->addLayout(tiles);
    all->addWidget(m_tabs, 1);
    page->setLayout(all);
    setDisabledReason(*page, tr("Connect to a cluster first"));
    return page;
}

void ClusterPage::addKeys() {
    connect(new QShortcut(QKeySequence::Refresh, this), &QShortcut::activated, &m_worker,
            &ClusterWorker::refreshClusterView);
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this,
            [this] { m_tabs->currentWidget() == m_nodes ? m_nodes->focusSearch() : m_queue->focusSearch(); });
}

void ClusterPage::showTab(const std::string& title) {
    for (int i = 0; i < m_tabs->count(); ++i) {
        const QString name = m_tabs->tabText(i).section(QLatin1Char(' '), 0, 0);  // without a count
        if (name.compare(QString::fromStdString(title), Qt::CaseInsensitive) == 0) {
            m_tabs->setCurrentIndex(i);
            return;
        }
    }
    throw InputError("the cluster's page has no tab '" + sanitizedText(title) + "'",
                     "Choose one of: Queue, Nodes, Partitions, History, Preflight, Adopt, Alerts.");
}

bool ClusterPage::isSettled() const {
    return m_reading == 0 && m_alerts->isSettled();
}

// ---- the link

bool ClusterPage::showsHistory() const {
    return m_tabs->currentWidget() == m_history->parentWidget();
}

bool ClusterPage::isLive() const {
    return m_worker.info().has_value();
}

void ClusterPage::showLink() {
    const auto& info = m_worker.info();
    const ConnectionState state = m_worker.state();
    // What was seen of one cluster says nothing of another.
    if (m_view && !m_worker.clusterName().empty() && m_view->cluster != m_worker.clusterName()) {
        m_view.reset();
        m_keptRead = false;
        readKept();
    }
    if (!info) m_live = false;
    const QString name = sanitized(info     ? info->profile.name
                                   : m_view ? m_view->cluster
                                            : m_worker.clusterName());
    m_title->setText(name.isEmpty() ? tr("Cluster") : name);
    QStringList words;
    switch (state) {
        case ConnectionState::Offline:
            words << tr("Offline");
            break;
        case ConnectionState::Connecting:
            words << tr("Connecting…");
            break;
        case ConnectionState::Reconnecting:
            words << tr("Connection lost; reconnecting…");
            break;
        case ConnectionState::Connected:
            words << tr("Connected");
            break;
    }
    setTone(m_dot, state == ConnectionState::Connected ? TextTone::Success
                   : state == ConnectionState::Offline ? TextTone::Faint
                                                       : TextTone::Warning);
    m_dot->setVisible(!name.isEmpty());
    if (m_view) {
        words << tr("Slurm %1").arg(sanitized(m_view->version)) << sanitized(m_view->host)
              << sanitized(m_view->workspace);
        if (!m_view->accounting) words << tr("no accounting");
    } else if (info) {
        words << tr("Slurm %1").arg(sanitized(info->facts.version)) << sanitized(info->workspace);
    }
    m_subtitle->setFullText(name.isEmpty() ? QString() : words.join(QStringLiteral("  ·  ")));
    m_disconnect->setVisible(state != ConnectionState::Offline);
    m_refresh->setVisible(info.has_value());
    m_connect->setText(info ? tr("Change…") : tr("Connect…"));
    if (state == ConnectionState::Reconnecting) {
        m_empty->setTexts(
            tr("Reconnecting to %1").arg(name),
            tr("Connection lost. Dailies is reconnecting; your runs continue and no data is lost."));
    } else if (state == ConnectionState::Connecting || info) {
        m_empty->setTexts(tr("Connecting to %1").arg(name), tr("This takes a few seconds."));
    } else {
        m_empty->setTexts(tr("Not connected"),
                          tr("Connect to a login node to launch sweeps and track runs, or start the sandbox: "
                             "a local Slurm that leaves nothing behind."));
    }
    m_stack->setCurrentIndex(m_view ? 1 : 0);
    m_connect->setVisible(m_view || info);
    if (m_view) take(m_view, m_live);
    showSandbox();
    showAge();
    readRuns();
}

void ClusterPage::showSandbox() {
    const bool busy = m_sandbox.busy(), running = m_sandbox.running();
    m_sandboxSwitch->setVisible(m_view || isLive());
    m_sandboxSwitch->setEnabled(!busy);
    m_sandboxSwitch->setText(running ? tr("Stop sandbox") : tr("Start sandbox"));
    m_sandboxSwitch->setToolTip(running
                                    ? tr("The local cluster runs on this machine. Stopping it ends its jobs.")
                                    : tr("A real Slurm and SSH server on this machine, for trying things "
                                         "out without a cluster"));
    // `start` connects to a sandbox that runs already.
    m_emptySandbox->setText(running ? tr("Connect to the sandbox") : tr("Start the sandbox"));
    m_emptySandbox->setEnabled(!busy);
    m_sandboxState->setText(busy      ? tr("Working…")
                            : running ? tr("The sandbox runs on this machine.")
                                      : QString());
}

void ClusterPage::showAge() {
    if (!m_view) {
        m_age->clear();
        return;
    }
    if (!m_live) {
        m_age->setText(tr("as of %1").arg(timeText(m_view->snapshot.time * 1000)));
        m_age->setToolTip(tr("As of the last connection to this cluster"));
        return;
    }
    const QString age = durationText(unixMillis() - m_lookedMs);
    m_age->setText(age.isEmpty() ? tr("updated just now") : tr("updated %1 ago").arg(age));
    const int ceiling = m_worker.info() ? m_worker.info()->profile.callsPerMinute : 0;
    m_age->setToolTip((m_callsInMinute == 1
                           ? tr("1 call to Slurm in the last minute")
                           : tr("%1 calls to Slurm in the last minute").arg(m_callsInMinute)) +
                      (ceiling > 0 ? tr(", limit %1").arg(ceiling) : QString()));
}

// ---- what is known

void ClusterPage::take(std::shared_ptr<const remote::ClusterView> view, bool live) {
    const bool first = !m_view || m_live != live;
    if (m_view != view && live) m_lookedMs = unixMillis();
    m_view = std::move(view);
    m_live = live && isLive();
    showTiles();
    refreshTab();
    m_stack->setCurrentIndex(1);
    if (first && live) showLink();
    showAge();
}

void ClusterPage::refreshTab() {
    if (!m_view) return;
    // Only what is seen: rows of thousands of jobs are made anew with every look.
    QWidget* shown = m_tabs->currentWidget();
    if (shown == m_queue) {
        m_queue->display(m_view, m_live);
    } else if (shown == m_nodes) {
        m_nodes->display(m_view);
    } else if (shown == m_partitions) {
        m_partitions->facts().setRows(partitionRows(*m_view));
    }
}

void ClusterPage::showTiles() {
    const slurm::Snapshot& now = m_view->snapshot;
    int idle = 0, busy = 0, out = 0, down = 0, off = 0;
    int gpus = 0, gpusUsed = 0, cpus = 0, cpusUsed = 0;
    for (const slurm::Node& node : now.nodes) {
        switch (toneOf(node.condition)) {
            case StatusTone::Good:
                ++idle;
                break;
            case StatusTone::Busy:
                ++busy;
                break;
            case StatusTone::Warning:
                ++out;
                break;
            case StatusTone::Bad:
                ++down;
                break;
            default:
                ++off;
        }
        if (!slurm::isUp(node.condition)) continue;
        gpus += node.gpus;
        gpusUsed += node.gpusAllocated;
        cpus += node.cpus;
        cpusUsed += node.cpusAllocated;
    }
    const int nodes = static_cast<int>(now.nodes.size());
    QStringList states;
    const auto state = [&](int count, const QString& text) {
        if (count > 0) states << text.arg(count);
    };
    state(down, tr("%1 down"));
    state(out, tr("%1 drained"));
    state(idle, tr("%1 idle"));
    state(busy, tr("%1 in use"));
    state(off, tr("%1 off or reserved"));
    m_tiles[kNodes]->display(tr("%1 of %2").arg(nodes - out - down).arg(nodes),
                             states.join(QStringLiteral(", ")),
                             {{double(busy), StatusTone::Busy},
                              {double(idle), StatusTone::Good},
                              {double(off), StatusTone::Faint},
                              {double(out), StatusTone::Warning},
                              {double(down), StatusTone::Bad}},
                             nodes);
    const auto use = [](int used, int whole) { return tr("%1 of %2").arg(used).arg(whole); };
    m_tiles[kGpus]->display(gpus > 0 ? use(gpusUsed, gpus) : tr("none"),
                            gpus > 0 ? tr("%1 free").arg(gpus - gpusUsed) : tr("CPU-only cluster"),
                            {{double(gpusUsed)}}, gpus);
    m_tiles[kCpus]->display(use(cpusUsed, cpus), tr("%1 free").arg(cpus - cpusUsed), {{double(cpusUsed)}},
                            cpus);

    int running = 0, waiting = 0, others = 0, othersWaiting = 0;
    for (const slurm::QueuedJob& job : now.jobs) {
        const bool waits = job.status.state == "PENDING";
        if (job.user == now.user)
            (waits ? waiting : running) += job.tasks;
        else
            (waits ? othersWaiting : others) += job.tasks;
    }
    QStringList mine;
    if (running > 0) mine << tr("%1 running").arg(running);
    if (waiting > 0) mine << tr("%1 pending").arg(waiting);
    m_tiles[kMine]->display(mine.isEmpty() ? tr("none") : mine.join(QStringLiteral(", ")),
                            tr("others: %1 running, %2 pending").arg(others).arg(othersWaiting),
                            {{double(running), StatusTone::Busy}}, std::max(running + waiting, 1));

    const slurm::DiskUsage& disk = now.disk;
    const bool limited = disk.quotaLimit > 0;
    const std::int64_t whole = limited ? disk.quotaLimit : disk.used + disk.available;
    const std::int64_t used = limited ? disk.quotaUsed : disk.used;
    const double full = whole > 0 ? static_cast<double>(used) / static_cast<double>(whole) : 0;
    m_tiles[kDisk]->display(whole > 0 ? tr("%1 full").arg(percent(full)) : QStringLiteral("—"),
                            whole <= 0 ? tr("the file system did not answer")
                            : limited  ? tr("%1 of your quota of %2").arg(bytesText(used), bytesText(whole))
                                       : tr("%1 of %2 free").arg(bytesText(disk.available), bytesText(whole)),
                            {{full, full > 0.97   ? StatusTone::Bad
                                    : full > 0.85 ? StatusTone::Warning
                                                  : StatusTone::Busy}},
                            whole > 0 ? 1 : 0);
}

// ---- the store

void ClusterPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_second.start();
    watch(true);
    readKept();
    readRuns();
    m_alerts->reload();
}

void ClusterPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_second.stop();
    watch(false);
}

void ClusterPage::watch(bool seen) {
    if (seen != m_watched) {
        m_watched = seen;
        m_worker.watchCluster(seen);
    }
}

void ClusterPage::readKept() {
    if (m_keptRead || !isVisible()) return;
    m_keptRead = true;
    ++m_reading;
    runAsync(
        this,
        [file = m_storeFile, cluster = m_worker.clusterName()](std::stop_token) {
            return remote::loadSnapshot(file, cluster);
        },
        [this](std::optional<remote::ClusterView> kept) {
            --m_reading;
            if (!kept || m_view) return;
            if (!m_worker.clusterName().empty() && kept->cluster != m_worker.clusterName()) return;
            m_view = std::make_shared<remote::ClusterView>(std::move(*kept));
            showLink();
        },
        [this](const Error& error) {
            --m_reading;
            emit failed(error);
        });
}

void ClusterPage::readRuns() {
    if (!isVisible()) {
        return;  // runs change every second while nobody looks
    }
    if (m_readingRuns) {
        m_runsAgain = true;
        return;
    }
    m_readingRuns = true;
    ++m_reading;
    const auto done = [this] {
        --m_reading;
        m_readingRuns = false;
        if (m_runsAgain) {
            m_runsAgain = false;
            QTimer::singleShot(kRunsAgainMs, this, &ClusterPage::readRuns);
        }
    };
    const std::string cluster = m_view ? m_view->cluster : m_worker.clusterName();
    const bool ended = showsHistory();
    readStore(
        this, m_storeFile,
        [cluster, ended](const tracking::Store& store, std::stop_token) {
            return runsOn(store, cluster, ended);
        },
        [this, done, ended](const RunsThere& there) {
            m_runs = there.byJob;
            m_queue->setRuns(m_runs);
            if (ended && !(isLive() && m_worker.info()->facts.accounting)) {
                m_historySource->setText(there.ended.empty()
                                             ? tr("No finished runs yet.")
                                             : tr("Runs that ended here, from this database."));
                m_history->facts().setRows(historyRows(there.ended));
            }
            done();
        },
        [this, done](const Error& error) {
            emit failed(error);
            done();
        });
}

void ClusterPage::readHistory() {
    if (isLive() && m_worker.info()->facts.accounting) m_worker.readHistory();
}

}  // namespace dailies::ui
