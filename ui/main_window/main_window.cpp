#include "ui/main_window/main_window.h"

#include "core/base/text.h"
#include "remote/launch/fork.h"
#include "ui/bridge/read_store.h"
#include "ui/cluster/alert_watcher.h"
#include "ui/cluster/alerts_panel.h"
#include "ui/cluster/cluster_page.h"
#include "ui/cluster/connect_dialog.h"
#include "ui/cluster/sandbox_control.h"
#include "ui/compare/compare_page.h"
#include "ui/datasets/datasets_page.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/clip_opener.h"
#include "ui/main_window/folder_watch.h"
#include "ui/main_window/last_cluster.h"
#include "ui/main_window/log_actions.h"
#include "ui/main_window/offline_banner.h"
#include "ui/main_window/settings.h"
#include "ui/main_window/sidebar.h"
#include "ui/main_window/toasts.h"
#include "ui/review/clip_checker.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/runs_page.h"
#include "ui/sampling/sample_dialog.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QMouseEvent>
#include <QScreen>
#include <QStackedWidget>

namespace dailies::ui {

namespace {
constexpr QSize kStartSize{1440, 900};
constexpr QSize kMinSize{960, 600};
constexpr int kRoomForSidebar = 900;         ///< narrower windows show its icons alone
constexpr std::size_t kMaxPlaces = 100;      ///< that Back remembers
constexpr std::size_t kComparedAtStart = 4;  ///< without being told which
}  // namespace

MainWindow::MainWindow(const Options& options, const WindowState& left)
    : m_options(options),
      m_profiles(options.profilesFile),
      m_worker(options.storeFile),
      m_clipChecker(new ClipChecker(options.storeFile, this)),
      m_clipOpener(new ClipOpener(options.storeFile, this)),
      m_folderWatch(new FolderWatch(options.storeFile, this)),
      m_alertWatcher(new AlertWatcher(options.storeFile, m_worker, this)),
      m_connectAtStart(!options.clusterName.empty()),
      m_sidebar(new Sidebar),
      m_stack(new QStackedWidget),
      m_sandbox(new SandboxControl(this)),
      m_log(new LogActions(options.facts, options.remember, this)),
      m_windowStateSaver(*this, left, [this](const WindowState& state) { keepState(state); }) {
    setWindowTitle(QStringLiteral("Dailies"));
    setAcceptDrops(true);
    const QSize screen = QGuiApplication::primaryScreen()->availableSize();
    setMinimumSize(kMinSize.boundedTo(screen));
    resize(kStartSize);
    if (m_options.remember) m_windowStateSaver.restoreWindow(kStartSize);
    if (m_options.reopenPage) m_options.page = left.page;
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("page"));
    auto* row = makeRow(0);
    row->addWidget(m_sidebar);
    m_offline = new OfflineBanner(m_options.storeFile, m_worker);
    auto* pages = makeColumn(0);
    pages->addWidget(m_offline);
    pages->addWidget(m_stack, 1);
    row->addLayout(pages, 1);
    body->setLayout(row);
    setCentralWidget(body);
    m_toasts = new Toasts(body);
    wire();
    wireAlerts();
    wireFolders();
    wireLog();
    addShortcuts();
    m_sandbox->refresh();
    runsPage();  // reads the store from the start, wherever the program opens
    openAtStart();
    if (m_options.remember) {
        auto* lastCluster = new LastCluster(m_profiles, m_worker, this);
        if (m_options.clusterName.empty()) lastCluster->reconnect();
    }
}

MainWindow::~MainWindow() {
    // Pages that are hidden tell the worker that nobody looks any more. ~QWidget would hide them when it is
    // gone.
    hide();
}

// -- pages, mostly made when they are first gone to: several read all runs, which the start is not to wait
// for

RunsPage& MainWindow::runsPage() {
    if (!m_runs) {
        m_runs = new RunsPage(m_options.storeFile, m_worker);
        connect(m_runs, &RunsPage::openFolderRequested, this, [this] { m_folderWatch->choose(*this); });
        connect(m_runs, &RunsPage::launchRequested, this, [this] { showPage(Page::Launch); });
        connect(m_runs, &RunsPage::reviewRequested, this, &MainWindow::review);
        connect(m_runs, &RunsPage::compareRequested, this, &MainWindow::compareRuns);
        connect(m_runs, &RunsPage::openRunRequested, this, &MainWindow::openRun);
        connect(m_runs, &RunsPage::forkRequested, this, &MainWindow::fork);
        connect(m_runs, &RunsPage::sampleRequested, this,
                [this](const std::vector<std::string>& runIds) { sample(runIds, {}); });
        connect(m_runs, &RunsPage::failed, this, &MainWindow::showFailure);
        addPage(m_runs);
    }
    return *m_runs;
}

ReviewPage& MainWindow::reviewPage() {
    if (!m_review) {
        m_review = new ReviewPage(m_options.storeFile);
        connect(m_review, &ReviewPage::launchRequested, this, [this] { showPage(Page::Launch); });
        connect(&m_worker, &ClusterWorker::storeOpened, m_review, &ReviewPage::reload);
        connect(&m_worker, &ClusterWorker::runsChanged, m_review, &ReviewPage::reload);
        wireReview();
        addPage(m_review);
    }
    return *m_review;
}

LaunchPage& MainWindow::launchPage() {
    if (!m_launch) {
        m_launch = new LaunchPage(m_profiles, m_worker);
        if (!m_options.draftFile.empty()) m_launch->setDraftFile(m_options.draftFile);
        connect(m_launch, &LaunchPage::connectRequested, this, [this] { openConnectDialog(); });
        connect(m_launch, &LaunchPage::saved, this, &MainWindow::showSaved);
        connect(m_launch, &LaunchPage::notificationPosted, this, &MainWindow::showNotification);
        connect(m_launch, &LaunchPage::failed, this, &MainWindow::showFailure);
        connect(m_launch, &LaunchPage::draftReplaced, this,
                [this](const QString& origin, const std::function<void()>& undo) {
                    m_toasts->showNotification(origin.isEmpty()
                                                   ? tr("Your draft was replaced")
                                                   : tr("Your draft was replaced by %1").arg(origin),
                                               {{tr("Undo"), undo}});
                });
        addPage(m_launch);
    }
    return *m_launch;
}

ClusterPage& MainWindow::clusterPage() {
    if (!m_cluster) {
        m_cluster = new ClusterPage(m_options.storeFile, m_worker, *m_sandbox);
        connect(m_cluster, &ClusterPage::connectRequested, this, [this] { openConnectDialog(); });
        connect(m_cluster, &ClusterPage::openRunRequested, this, &MainWindow::openRun);
        connect(m_cluster, &ClusterPage::failed, this, &MainWindow::showFailure);
        connect(m_alertWatcher, &AlertWatcher::raised, &m_cluster->alerts(), &AlertsPanel::reload);
        connect(&m_cluster->alerts(), &AlertsPanel::webhookChosen, this, [this](const std::string& url) {
            m_alertWatcher->setWebhook(url);
            runAsync(
                this,
                [url](std::stop_token) {
                    changeSettings([&url](Settings& settings) { settings.webhook = url; });
                },
                [] {}, [this](const Error& error) { showFailure(error); });
        });
        m_cluster->alerts().setWebhook(m_alertWatcher->webhook());
        addPage(m_cluster);
    }
    return *m_cluster;
}

ComparePage& MainWindow::comparePage() {
    if (!m_compare) {
        m_compare = new ComparePage(m_options.storeFile, m_worker);
        connect(m_compare, &ComparePage::openRunRequested, this, &MainWindow::openRun);
        connect(m_compare, &ComparePage::backRequested, this, &MainWindow::goBack);
        connect(m_compare, &ComparePage::runsRequested, this, [this] { showPage(Page::Runs); });
        connect(m_compare, &ComparePage::notification, this, &MainWindow::showNotification);
        connect(m_compare, &ComparePage::failed, this, &MainWindow::showFailure);
        addPage(m_compare);
    }
    return *m_compare;
}

RunPage& MainWindow::runPage() {
    if (!m_run) {
        m_run = new RunPage(m_options.storeFile, m_worker);
        connect(m_run, &RunPage::reviewRequested, this, &MainWindow::review);
        connect(m_run, &RunPage::backRequested, this, &MainWindow::goBack);
        connect(m_run, &RunPage::compareRequested, this, [this](const std::string& runId) {
            showPage(Page::Runs);
            runsPage().selectRuns({runId});
            showNotification(tr("Add runs to the selection (Ctrl+click, Shift+↓), then press C to compare"));
        });
        connect(m_run, &RunPage::forkRequested, this, &MainWindow::fork);
        connect(m_run, &RunPage::sampleRequested, this,
                [this](const std::string& runId) { sample({runId}, {}); });
        connect(m_run, &RunPage::extendRequested, &m_worker, &ClusterWorker::extendRun);
        connect(m_run, &RunPage::batchRequested, &m_worker, &ClusterWorker::showBatch);
        connect(m_run, &RunPage::notification, this, &MainWindow::showNotification);
        connect(m_run, &RunPage::failed, this, &MainWindow::showFailure);
        addPage(m_run);
    }
    return *m_run;
}

void MainWindow::addPage(QWidget* page) {
    m_stack->addWidget(page);
    m_windowStateSaver.watch(*page);
}

void MainWindow::keepState(const WindowState& state) {
    if (!m_options.remember) return;
    runAsync(
        this,
        [state](std::stop_token) {
            changeSettings([&state](Settings& settings) { settings.window = state; });
        },
        [] {}, [this](const Error& error) { showFailure(error); });
}

QWidget& MainWindow::widgetOf(Page page) {
    switch (page) {
        case Page::Runs:
            return runsPage();
        case Page::Review:
            return reviewPage();
        case Page::Launch:
            return launchPage();
        case Page::Cluster:
            return clusterPage();
        case Page::Datasets:
            return datasetsPage();
        case Page::Compare:
            return comparePage();
        case Page::Run:
            return runPage();
    }
    return runsPage();
}

void MainWindow::wire() {
    connect(m_sidebar, &Sidebar::pageChosen, this, &MainWindow::showPage);
    connect(m_sidebar, &Sidebar::connectRequested, this, [this] { openConnectDialog(); });
    connect(m_sidebar, &Sidebar::messagesRequested, m_toasts, &Toasts::openMessages);
    connect(m_toasts, &Toasts::unreadChanged, m_sidebar, &Sidebar::setUnread);
    connect(m_sidebar, &Sidebar::themeToggled, this, &MainWindow::toggleTheme);

    connect(qApp, &QApplication::focusChanged, this, &MainWindow::keepFocusInPage);

    connect(&m_profiles, &ProfileList::failed, this, &MainWindow::showFailure);
    connect(m_sandbox, &SandboxControl::failed, this, &MainWindow::showFailure);
    connect(&m_worker, &ClusterWorker::failed, this, &MainWindow::showFailure);
    connect(&m_worker, &ClusterWorker::launchFailed, this, &MainWindow::showFailure);
    connect(&m_worker, &ClusterWorker::notificationPosted, this, &MainWindow::showNotification);
    connect(&m_worker, &ClusterWorker::connectionFailed, this, [this](const Error& error) {
        if (!m_connect) showFailure(error);  // else the dialog shows it itself
    });

    const auto checkClips = [this] {
        if (m_worker.readOnly().empty()) m_clipChecker->checkNow();
    };
    connect(&m_worker, &ClusterWorker::storeOpened, m_clipChecker, checkClips);
    connect(&m_worker, &ClusterWorker::runsChanged, m_clipChecker, checkClips);
    connect(m_clipChecker, &ClipChecker::failed, this,
            [this](const QString& message) { showFailure(Error(message.toStdString())); });
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](ConnectionState state) {
        m_sidebar->chip().setConnection(state, QString::fromStdString(m_worker.clusterName()));
    });
    connect(&m_worker, &ClusterWorker::launched, this,
            [this](const QString& notification, const std::vector<std::string>& ids) {
                showNotification(notification);
                if (m_review) m_review->addLaunched(ids);
                // what was asked for elsewhere leaves the person there
                if (page() == Page::Launch) {
                    runsPage().showRuns(ids);
                    showPage(Page::Runs);
                }
            });
    connect(&m_worker, &ClusterWorker::checkpointExported, this, &MainWindow::showSaved);
    connect(&m_worker, &ClusterWorker::extended, this,
            [this] { showNotification(tr("Resubmitted: training continues from the newest checkpoint")); });
    connect(&m_worker, &ClusterWorker::checkpointsPulled, this, [this](const std::string&, int files) {
        showNotification(files == 1 ? tr("Copied 1 checkpoint file")
                                    : tr("Copied %1 files of checkpoints").arg(files));
    });
    connect(&m_worker.prompts(), &Prompts::hostKeyAsked, this, &MainWindow::askHostKey);
    connect(&m_worker.prompts(), &Prompts::secretAsked, this, &MainWindow::askSecret);

    connect(m_sandbox, &SandboxControl::started, this, [this](const remote::ClusterProfile& profile) {
        m_profiles.put(profile);
        m_worker.connectTo(profile);
    });
    connect(&m_profiles, &ProfileList::changed, this, [this] {
        if (!m_connectAtStart) return;
        m_connectAtStart = false;
        if (const auto profile = m_profiles.find(m_options.clusterName)) {
            m_worker.connectTo(*profile);
        } else {
            showFailure(InputError("there is no cluster named '" + m_options.clusterName + "'",
                                   "Choose or describe one in the connect dialog."));
        }
    });
    connect(m_offline, &OfflineBanner::connectRequested, this, [this](const std::string& cluster) {
        if (const auto profile = m_profiles.find(cluster)) {
            m_worker.connectTo(*profile);
        } else {
            openConnectDialog();
        }
    });
}

void MainWindow::wireAlerts() {
    runAsync(
        this, [](std::stop_token) { return loadSettings().webhook; },
        [this](const std::string& url) {
            m_alertWatcher->setWebhook(url);
            if (m_cluster) m_cluster->alerts().setWebhook(url);
        },
        [](const Error&) {});
    connect(m_alertWatcher, &AlertWatcher::failed, this, &MainWindow::showFailure);
    connect(m_alertWatcher, &AlertWatcher::openRunRequested, this, [this](const std::string& runId) {
        raise();
        activateWindow();
        openRun(runId);
    });
    connect(m_alertWatcher, &AlertWatcher::raised, m_toasts, &Toasts::showAlert);
}

void MainWindow::showNotification(const QString& text) {
    m_toasts->showNotification(text);
}

void MainWindow::showSaved(const QString& file) {
    m_toasts->showSaved(file);
}

void MainWindow::showFailure(const Error& error) {
    m_toasts->showFailure(error);
}

// -- places

void MainWindow::openAtStart() {
    if (m_options.page == Page::Review && !m_options.runIds.empty()) reviewPage().setRuns(m_options.runIds);
    visit({m_options.page, m_options.runIds});
    const bool ofRuns = m_options.page == Page::Compare || m_options.page == Page::Run;
    if (!ofRuns || !m_options.runIds.empty()) return;
    // Nobody said which: the newest ones. Not before the store is there.
    m_choosing = true;
    connect(
        &m_worker, &ClusterWorker::storeOpened, this,
        [this] {
            readStore(
                this, m_options.storeFile,
                [](const tracking::Store& store, const std::stop_token&) {
                    std::vector<std::string> ids;
                    for (const auto& run : store.runs()) ids.push_back(run.id);
                    return ids;
                },
                [this](std::vector<std::string> ids) {
                    m_choosing = false;
                    ids.resize(std::min(ids.size(), m_options.page == Page::Run ? 1 : kComparedAtStart));
                    m_history.back().runIds = std::move(ids);
                    present(m_history.back());
                },
                [this](const Error& error) {
                    m_choosing = false;
                    showFailure(error);
                });
        },
        Qt::SingleShotConnection);
}

Page MainWindow::page() const {
    return m_history[m_at].page;
}

void MainWindow::showPage(Page page) {
    visit({page});
}

void MainWindow::openRun(const std::string& runId) {
    visit({Page::Run, {runId}});
}

void MainWindow::compareRuns(const std::vector<std::string>& runIds) {
    visit({Page::Compare, runIds});
}

void MainWindow::pushHistory() {
    if (!m_history.empty() && m_history[m_at].page == Page::Compare) {
        m_history[m_at].runIds = m_compare->runIds();  // without those that were taken out meanwhile
    }
}

void MainWindow::visit(HistoryEntry place) {
    pushHistory();
    if (m_history.empty() || m_history[m_at] != place) {
        m_history.resize(m_history.empty() ? 0 : m_at + 1);
        m_history.push_back(std::move(place));
        if (m_history.size() > kMaxPlaces) {
            m_history.erase(m_history.begin());
        }
        m_at = m_history.size() - 1;
    }
    present(m_history[m_at]);
}

void MainWindow::present(const HistoryEntry& place) {
    QWidget& widget = widgetOf(place.page);
    if (place.page == Page::Compare && m_compare->runIds() != place.runIds) {
        m_compare->setRuns(place.runIds);
    }
    if (place.page == Page::Run) {
        m_run->setRun(place.runIds.empty() ? std::string() : place.runIds.front());
    }
    m_stack->setCurrentWidget(&widget);
    m_sidebar->setPage(place.page);
    m_windowStateSaver.setPage(static_cast<int>(place.page) < kSidebarPages ? place.page : Page::Runs);
    widget.setFocus();
}

void MainWindow::goBack() {
    pushHistory();
    if (m_at > 0) {
        present(m_history[--m_at]);
    } else if (static_cast<int>(page()) >= kSidebarPages) {
        showPage(Page::Runs);  // the program opened here: its runs are what is behind it
    }
}

void MainWindow::goForward() {
    pushHistory();
    if (m_at + 1 < m_history.size()) present(m_history[++m_at]);
}

/// A button that is disabled or hidden by what it does passes the focus on along the chain, whose next one
/// may be the sidebar: whoever works by keys stays in the page, where they were.
void MainWindow::keepFocusInPage(QWidget* old, QWidget* now) {
    if (!old || !now || !m_sidebar->isAncestorOf(now) || !m_stack->isAncestorOf(old)) return;
    if (old->isEnabled() && old->isVisible()) return;
    QWidget* shown = m_stack->currentWidget();
    for (QWidget* at = old->previousInFocusChain(); at != old; at = at->previousInFocusChain()) {
        if (shown->isAncestorOf(at) && at->isVisible() && at->isEnabled() && at->focusPolicy() & Qt::TabFocus)
            return at->setFocus(Qt::OtherFocusReason);
    }
    shown->setFocus(Qt::OtherFocusReason);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
    QMainWindow::resizeEvent(event);
    m_sidebar->setNarrow(width() < kRoomForSidebar);
}

void MainWindow::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::BackButton) {
        goBack();
    } else if (event->button() == Qt::ForwardButton) {
        goForward();
    } else {
        QMainWindow::mousePressEvent(event);
    }
}

void MainWindow::toggleTheme() {
    const ThemeMode mode = Theme::instance().mode() == ThemeMode::Dark ? ThemeMode::Light : ThemeMode::Dark;
    Theme::instance().apply(mode);
    runAsync(
        this,
        [mode](std::stop_token) { changeSettings([mode](Settings& settings) { settings.theme = mode; }); },
        [] {}, [this](const Error& error) { showFailure(error); });
}

void MainWindow::sample(const std::vector<std::string>& runIds,
                        const std::optional<SampleDialog::Clip>& clip) {
    auto* dialog = new SampleDialog(m_worker, runIds, clip, this);
    connect(dialog, &SampleDialog::connectRequested, this, [this] { openConnectDialog(); });
    connect(dialog, &SampleDialog::failed, this, &MainWindow::showFailure);
    dialog->open();
}

void MainWindow::archive(const std::string& runId) {
    RunActions& runs = runsPage().runActions();
    if (!runs.readOnly().isEmpty()) return showFailure(Error(runs.readOnly().toStdString()));
    connect(
        &runs, &RunActions::archived, this,
        [this, &runs](const std::vector<std::string>& runIds) {
            m_toasts->showNotification(tr("Archived the run: hidden from all lists, with nothing deleted"),
                                       {{tr("Undo"), [&runs, runIds] { runs.restore(runIds); }}});
        },
        Qt::SingleShotConnection);
    runs.archive({runId});
}

void MainWindow::fork(const std::string& runId) {
    struct Fork {
        sweep::Sweep sweep;
        QString origin;
        std::vector<std::string> notices;
    };
    readStore(
        this, m_options.storeFile,
        [runId](const tracking::Store& store, const std::stop_token&) {
            const auto run = store.run(runId);
            if (!run) throw Error("The run is no longer in the store.");
            Fork fork;
            fork.sweep = remote::makeFork(store, *run, &fork.notices);
            fork.origin = tr("run %1").arg(sanitized(run->name.empty() ? run->id.substr(0, 8) : run->name));
            return fork;
        },
        [this](const Fork& fork) {
            launchPage().startFrom(fork.sweep, fork.origin);
            showPage(Page::Launch);
            if (!fork.notices.empty()) showNotification(sanitized(join(fork.notices, "\n")));
        },
        [this](const Error& error) { showFailure(error); });
}

void MainWindow::review(const std::vector<std::string>& runIds) {
    reviewPage().setRuns(runIds);
    showPage(Page::Review);
}

ConnectDialog& MainWindow::openConnectDialog() {
    if (!m_connect) {
        m_connect = new ConnectDialog(m_profiles, m_worker, this);
        m_connect->setAttribute(Qt::WA_DeleteOnClose);
        connect(m_connect, &ConnectDialog::sandboxRequested, m_sandbox, &SandboxControl::start);
        connect(m_connect, &QDialog::finished, this, [this] { m_connect = nullptr; });
        m_connect->open();
    }
    return *m_connect;
}

ConnectDialog& MainWindow::openQuestion() {
    const bool opensForIt = !m_connect;
    auto& dialog = openConnectDialog();
    if (opensForIt) dialog.closeWithQuestion();
    return dialog;
}

void MainWindow::askHostKey(const QString& host, const QString& type, const QString& fingerprint) {
    openQuestion().askHostKey(host, type, fingerprint);
}

void MainWindow::askSecret(const QString& prompt, bool echo) {
    openQuestion().askSecret(prompt, echo);
}

bool MainWindow::isSettled() const {
    if (!m_profiles.loaded() || m_choosing || m_clipOpener->isOpening() || m_folderWatch->isOpening() ||
        !m_offline->isSettled()) {
        return false;
    }
    switch (page()) {
        case Page::Runs:
            return m_runs->isSettled();
        case Page::Review:
            return m_review->isSettled();
        case Page::Launch:
            return m_launch->isSettled();
        case Page::Cluster:
            return m_cluster->isSettled();
        case Page::Datasets:
            return m_datasets->isSettled();
        case Page::Compare:
            return m_compare->isSettled();
        case Page::Run:
            return m_run->isSettled();
    }
    return true;
}

}  // namespace dailies::ui
