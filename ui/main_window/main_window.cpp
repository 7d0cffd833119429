#include "ui/main_window/main_window.h"

#include "ui/bridge/run_async.h"
#include "ui/cluster/cluster_page.h"
#include "ui/cluster/connect_dialog.h"
#include "ui/cluster/sandbox_control.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/settings.h"
#include "ui/main_window/sidebar.h"
#include "ui/main_window/toasts.h"
#include "ui/review/review_page.h"
#include "ui/runs/runs_page.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QStackedWidget>

namespace dailies::ui {

namespace {
constexpr QSize kStartSize{1440, 900};
constexpr QSize kLeastSize{960, 600};
}  // namespace

MainWindow::MainWindow(const Options& options)
    : m_options(options),
      m_profiles(options.profilesFile),
      m_worker(options.storeFile),
      m_connectAtStart(!options.clusterName.empty()),
      m_sidebar(new Sidebar),
      m_stack(new QStackedWidget),
      m_sandbox(new SandboxControl(this)) {
    setWindowTitle(QStringLiteral("Dailies"));
    resize(kStartSize);
    setMinimumSize(kLeastSize);
    auto* body = new QWidget;
    body->setObjectName(QStringLiteral("page"));
    auto* row = makeRow(0);
    row->addWidget(m_sidebar);
    row->addWidget(m_stack, 1);
    body->setLayout(row);
    setCentralWidget(body);
    m_toasts = new Toasts(body);
    buildPages();
    wire();
    addShortcuts();
    showPage(options.page);
}

MainWindow::~MainWindow() = default;

void MainWindow::buildPages() {
    m_runs = new RunsPage(m_options.storeFile, m_worker);
    m_review = new ReviewPage(m_options.storeFile);
    m_launch = new LaunchPage(m_profiles, m_worker);
    m_cluster = new ClusterPage(m_options.storeFile, m_worker, *m_sandbox);
    for (QWidget* page : {static_cast<QWidget*>(m_runs), static_cast<QWidget*>(m_review),
                          static_cast<QWidget*>(m_launch), static_cast<QWidget*>(m_cluster)}) {
        m_stack->addWidget(page);
    }
    m_sandbox->refresh();
}

void MainWindow::wire() {
    connect(m_sidebar, &Sidebar::pageChosen, this, &MainWindow::showPage);
    connect(m_sidebar, &Sidebar::connectRequested, this, [this] { openConnectDialog(); });
    connect(m_sidebar, &Sidebar::themeToggled, this, &MainWindow::toggleTheme);

    connect(m_runs, &RunsPage::reviewRequested, this, &MainWindow::review);
    connect(m_runs, &RunsPage::launchRequested, this, [this] { showPage(Page::Launch); });
    connect(m_review, &ReviewPage::launchRequested, this, [this] { showPage(Page::Launch); });
    connect(m_launch, &LaunchPage::connectRequested, this, [this] { openConnectDialog(); });
    connect(m_launch, &LaunchPage::saved, this,
            [this](const QString& file) { m_toasts->showNews(tr("Saved %1").arg(file)); });
    connect(m_cluster, &ClusterPage::connectRequested, this, [this] { openConnectDialog(); });
    connect(m_cluster, &ClusterPage::runChosen, this, [this](const std::string& runId) {
        showPage(Page::Runs);
        m_runs->selectRuns({runId});
    });

    const auto fail = [this](const Error& error) { m_toasts->showFailure(error); };
    connect(m_runs, &RunsPage::failed, this, fail);
    connect(m_launch, &LaunchPage::failed, this, fail);
    connect(m_cluster, &ClusterPage::failed, this, fail);
    connect(&m_profiles, &ProfileList::failed, this, fail);
    connect(m_sandbox, &SandboxControl::failed, this, fail);
    connect(&m_worker, &ClusterWorker::failed, this, fail);
    connect(&m_worker, &ClusterWorker::launchFailed, this, fail);
    connect(&m_worker, &ClusterWorker::connectionFailed, this, [this](const Error& error) {
        if (!m_connect) {  // the dialog shows it itself
            m_toasts->showFailure(error);
        }
    });

    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](LinkState state) {
        m_sidebar->chip().setLink(state, QString::fromStdString(m_worker.clusterName()));
    });
    connect(&m_worker, &ClusterWorker::storeOpened, m_review, &ReviewPage::reload);
    connect(&m_worker, &ClusterWorker::runsChanged, m_review, &ReviewPage::reload);
    connect(&m_worker, &ClusterWorker::launched, this,
            [this](const QString& name, const std::vector<std::string>& ids) {
                m_toasts->showNews(ids.size() == 1 ? tr("Launched %1: 1 run").arg(name)
                                                   : tr("Launched %1: %2 runs").arg(name).arg(ids.size()));
                m_review->setRuns({});
                showPage(Page::Runs);
            });
    connect(&m_worker.prompts(), &Prompts::hostKeyAsked, this, &MainWindow::askHostKey);
    connect(&m_worker.prompts(), &Prompts::secretAsked, this, &MainWindow::askSecret);

    connect(m_sandbox, &SandboxControl::started, this, [this](const remote::ClusterProfile& profile) {
        m_profiles.put(profile);
        m_worker.connectTo(profile);
    });
    connect(&m_profiles, &ProfileList::changed, this, [this] {
        if (!m_connectAtStart) {
            return;
        }
        m_connectAtStart = false;
        if (const auto profile = m_profiles.find(m_options.clusterName)) {
            m_worker.connectTo(*profile);
        } else {
            m_toasts->showFailure(InputError("there is no cluster named '" + m_options.clusterName + "'",
                                             "Choose or describe one in the connect dialog."));
        }
    });
}

void MainWindow::addShortcuts() {
    const auto shortcut = [this](const QKeySequence& keys, auto call) {
        auto* action = new QAction(this);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
    };
    for (int i = 0; i < 4; ++i) {
        shortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                 [this, i] { showPage(static_cast<Page>(i)); });
    }
    shortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [this] { toggleTheme(); });
    shortcut(QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openConnectDialog(); });
    shortcut(QKeySequence::Quit, [this] { close(); });
}

void MainWindow::showPage(Page page) {
    m_stack->setCurrentIndex(static_cast<int>(page));
    m_sidebar->setPage(page);
    m_stack->currentWidget()->setFocus();
}

void MainWindow::toggleTheme() {
    const ThemeMode mode = Theme::instance().mode() == ThemeMode::Dark ? ThemeMode::Light : ThemeMode::Dark;
    Theme::instance().apply(mode);
    runAsync(
        this, [mode](std::stop_token) { saveSettings({mode}); }, [] {},
        [this](const Error& error) { m_toasts->showFailure(error); });
}

void MainWindow::review(const std::vector<std::string>& runIds) {
    m_review->setRuns(runIds);
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

void MainWindow::askHostKey(const QString& host, const QString& type, const QString& fingerprint) {
    openConnectDialog().askHostKey(host, type, fingerprint);
}

void MainWindow::askSecret(const QString& prompt, bool echo) {
    openConnectDialog().askSecret(prompt, echo);
}

bool MainWindow::settled() const {
    if (!m_profiles.loaded()) {
        return false;
    }
    switch (static_cast<Page>(m_stack->currentIndex())) {
        case Page::Runs:
            return m_runs->settled();
        case Page::Review:
            return m_review->isSettled();
        case Page::Launch:
            return m_launch->settled();
        case Page::Cluster:
            return m_cluster->settled();
    }
    return true;
}

}  // namespace dailies::ui
