// The window's keys, and what the command palette offers: the window's own actions, every page's, and the
// keys of the Launch form.
#include "core/config/schema.h"
#include "ui/cluster/cluster_page.h"
#include "ui/compare/compare_page.h"
#include "ui/launch/launch_page.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/log_actions.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/page_actions.h"
#include "ui/main_window/toasts.h"
#include "ui/review/review_page.h"
#include "ui/run_page/run_page.h"
#include "ui/runs/runs_page.h"

#include <QAction>
#include <QLineEdit>

#include <algorithm>

namespace dailies::ui {

namespace {

using Commands = std::vector<CommandPalette::Command>;

struct PageName {
    Page page;
    QString name;
    QString iconName;
};

std::vector<PageName> pageNames() {
    const auto tr = [](const char* text) { return MainWindow::tr(text); };
    return {{Page::Runs, tr("Runs"), QStringLiteral("runs")},
            {Page::Review, tr("Review"), QStringLiteral("review")},
            {Page::Launch, tr("Launch"), QStringLiteral("launch")},
            {Page::Cluster, tr("Cluster"), QStringLiteral("cluster")},
            {Page::Datasets, tr("Datasets"), QStringLiteral("datasets")},
            {Page::Compare, tr("Compare"), QStringLiteral("columns")},
            {Page::Run, tr("Run"), QStringLiteral("runs")}};
}

}  // namespace

void MainWindow::addShortcuts() {
    const auto shortcut = [this](const QKeySequence& keys, auto call) {
        auto* action = new QAction(this);
        action->setShortcut(keys);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
    };
    for (int i = 0; i < kSidebarPages; ++i) {
        shortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)),
                 [this, i] { showPage(static_cast<Page>(i)); });
    }
    shortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_L), [this] { toggleTheme(); });
    shortcut(QKeySequence(Qt::CTRL | Qt::Key_K), [this] { openPalette(); });
    shortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_K), [this] { openConnectDialog(); });
    shortcut(QKeySequence(Qt::ALT | Qt::Key_Left), [this] { goBack(); });
    shortcut(QKeySequence(Qt::ALT | Qt::Key_Right), [this] { goForward(); });
    shortcut(QKeySequence::Quit, [this] { close(); });
}

void MainWindow::addOwnCommands(Commands& commands) {
    const auto add = [&](const QString& title, const QString& key, const char* iconName, auto call,
                         const QString& words = {}) {
        commands.push_back(
            {.title = title, .hint = key, .iconName = QLatin1String(iconName), .call = call, .words = words});
    };
    for (const auto& [page, name, iconName] : pageNames())
        if (static_cast<int>(page) < kSidebarPages)
            commands.push_back({.title = name,
                                .hint = QStringLiteral("Ctrl+%1").arg(static_cast<int>(page) + 1),
                                .iconName = iconName,
                                .call = [this, at = page] { showPage(at); }});
    add(
        tr("Connect to a cluster"), QStringLiteral("Ctrl+Shift+K"), "key", [this] { openConnectDialog(); },
        tr("settings account ssh login"));
    add(
        tr("Switch between light and dark"), QStringLiteral("Ctrl+Shift+L"), "sun", [this] { toggleTheme(); },
        tr("theme settings appearance mode"));
    add(
        tr("Messages"), {}, "bell", [this] { m_toasts->openMessages(); },
        tr("errors notifications failures"));
    add(
        tr("Show log"), {}, "terminal", [this] { m_log->show(); },
        tr("help problem report bug diagnostics troubleshooting about"));
    add(
        tr("Copy log for a report"), {}, "copy", [this] { m_log->copyReport(); },
        tr("help problem bug version clipboard about"));
    const bool detailed = m_log->isDetailed();
    add(
        detailed ? tr("Detailed log: switch off") : tr("Detailed log: switch on"), {}, "terminal",
        [this, detailed] { m_log->setDetailed(!detailed); }, tr("debug verbose settings help problem"));
    add(tr("Back"), QStringLiteral("Alt+←"), "chevron-left", [this] { goBack(); });
    add(tr("Forward"), QStringLiteral("Alt+→"), "chevron-right", [this] { goForward(); });
}

void MainWindow::wireLog() {
    connect(m_log, &LogActions::notification, this, &MainWindow::showNotification);
    connect(m_log, &LogActions::failed, this, &MainWindow::showFailure);
    connect(m_toasts, &Toasts::logRequested, m_log, [this] { m_log->show(); });
    connect(m_log, &LogActions::detailedChanged, this, [this](bool detailed) {
        showNotification(detailed ? tr("The log is detailed from now on") : tr("The log is brief again"));
    });
}

void MainWindow::addPageCommands(Commands& commands) {
    if (m_review) m_review->offerRunActions();
    auto pages = pageNames();
    // What is in front of a person comes first.
    std::ranges::stable_partition(pages, [this](const PageName& one) { return one.page == page(); });
    for (const auto& [page, name, iconName] : pages) {
        // A run and a comparison have actions only once one is open; they are not made for this.
        const bool open = (page != Page::Run || (m_run && !m_run->runId().empty())) &&
                          (page != Page::Compare || (m_compare && !m_compare->runIds().empty()));
        if (!open) continue;
        HistoryEntry place{page};
        if (page == Page::Run) place.runIds = {m_run->runId()};
        if (page == Page::Compare) place.runIds = m_compare->runIds();
        const bool here = page == this->page();
        for (auto& action : collectActions(widgetOf(page))) {
            // Nobody sees what it would act on.
            if (!here && action.enabled && action.onSelection && !action.namesTarget()) continue;
            commands.push_back({.title = here && action.namesTarget()
                                             ? action.name
                                             : QStringLiteral("%1: %2").arg(name, action.name),
                                .hint = action.keys,
                                .iconName = iconName,
                                .call =
                                    [this, place, run = std::move(action.run)] {
                                        if (this->page() != place.page) visit(place);
                                        run();
                                    },
                                .name = action.name,
                                .enabled = action.enabled,
                                .disabledReason = action.disabledReason,
                                .plainName = action.plainName,
                                .words = action.words});
        }
    }
}

void MainWindow::addKeyCommands(Commands& commands) {
    for (const auto& field : config::trainSchema())
        commands.push_back({.title = tr("Launch: %1").arg(QString::fromStdString(field.key)),
                            .hint = QString::fromStdString(field.label),
                            .iconName = QStringLiteral("launch"),
                            .call =
                                [this, key = field.key] {
                                    showPage(Page::Launch);
                                    launchPage().showKey(key);
                                },
                            .name = QString::fromStdString(field.key),
                            .details = QString::fromStdString(field.doc)});
}

CommandPalette& MainWindow::openPalette() {
    Commands commands;
    addOwnCommands(commands);
    addPageCommands(commands);
    addKeyCommands(commands);
    auto* opened = new CommandPalette(
        std::move(commands), m_options.storeFile,
        [this](const std::string& name) {
            showPage(Page::Runs);
            runsPage().showSweep(name);
        },
        [this](const std::string& id) { openRun(id); }, this);
    opened->move(mapToGlobal(QPoint((width() - opened->width()) / 2, height() / 6)));
    opened->show();
    opened->field().setFocus();
    return *opened;
}

}  // namespace dailies::ui
