#pragma once

#include "ui/cluster/profile_list.h"
#include "ui/link/cluster_worker.h"
#include "ui/main_window/command_palette.h"
#include "ui/main_window/options.h"
#include "ui/main_window/window_state_saver.h"
#include "ui/sampling/sample_dialog.h"

#include <QMainWindow>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

class QStackedWidget;

namespace dailies::ui {

class AlertWatcher;
class ClipChecker;
class ClipOpener;
class FolderWatch;
class ClusterPage;
class ComparePage;
class ConnectDialog;
class DatasetsPage;
class LaunchPage;
class LogActions;
class OfflineBanner;
class ReviewPage;
class RunPage;
class RunsPage;
class SandboxControl;
class Sidebar;
class Toasts;

/// The window: the sidebar, the pages, and what they share: the worker that talks to the cluster, the
/// profiles, the messages. It passes requests between the pages, remembers the way back, and does nothing
/// else.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    /// `left`: how it was left last time, for `Options::remember`.
    explicit MainWindow(const Options& options, const WindowState& left = {});
    ~MainWindow() override;

    void showPage(Page page);
    void openRun(const std::string& runId);
    void compareRuns(const std::vector<std::string>& runIds);
    /// Along the places that were shown, as a browser does; no further than the first and the last.
    void goBack();
    void goForward();
    Page page() const;
    /// Opens the connect dialog (one at a time) and returns it.
    ConnectDialog& openConnectDialog();
    ConnectDialog& openQuestion();
    /// Opens the list of everything that can be gone to; it deletes itself when it closes.
    CommandPalette& openPalette();
    /// The page on show has loaded what it shows.
    bool isSettled() const;

    ClusterWorker& worker() { return m_worker; }
    RunsPage& runsPage();
    ReviewPage& reviewPage();
    LaunchPage& launchPage();
    ClusterPage& clusterPage();
    DatasetsPage& datasetsPage();
    ComparePage& comparePage();
    RunPage& runPage();

    /// Folders of runs are followed; folders of clips, and clips, become a wall. What they hold is said when
    /// it is wrong.
    void openPaths(const std::vector<std::filesystem::path>& paths);

protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void closeEvent(QCloseEvent* event) override;

private:
    /// Where a person was: a page, and which runs it showed (Compare and Run).
    struct HistoryEntry {
        Page page = Page::Runs;
        std::vector<std::string> runIds = {};
        bool operator==(const HistoryEntry&) const = default;
    };
    QWidget& widgetOf(Page page);
    void wire();
    void showNotification(const QString& text);
    void showSaved(const QString& file);
    void showFailure(const Error& error);
    void pushHistory();
    void visit(HistoryEntry place);
    void present(const HistoryEntry& place);
    void openAtStart();
    void addPage(QWidget* page);
    void keepFocusInPage(QWidget* old, QWidget* now);
    void keepState(const WindowState& state);
    void addShortcuts();
    void addOwnCommands(std::vector<CommandPalette::Command>& commands);
    void addPageCommands(std::vector<CommandPalette::Command>& commands);
    void addKeyCommands(std::vector<CommandPalette::Command>& commands);
    void toggleTheme();
    void review(const std::vector<std::string>& runIds);
    void wireReview();
    void wireDatasets();
    void askToSaveDatasets(const std::vector<std::filesystem::path>& unsaved);
    void wireFolders();
    void wireAlerts();
    void wireLog();
    void archive(const std::string& runId);
    void fork(const std::string& runId);
    void sample(const std::vector<std::string>& runIds, const std::optional<SampleDialog::Clip>& clip);
    void askHostKey(const QString& host, const QString& type, const QString& fingerprint);
    void askSecret(const QString& prompt, bool echo);

    Options m_options;
    ProfileList m_profiles;
    ClusterWorker m_worker;
    ClipChecker* m_clipChecker;
    ClipOpener* m_clipOpener;
    FolderWatch* m_folderWatch;
    AlertWatcher* m_alertWatcher;
    bool m_connectAtStart;
    std::vector<HistoryEntry> m_history;  ///< visited, in order
    std::size_t m_at = 0;                 ///< the place on show
    bool m_choosing = false;              ///< which runs to open with is being read

    Sidebar* m_sidebar;
    QStackedWidget* m_stack;
    SandboxControl* m_sandbox;
    Toasts* m_toasts = nullptr;
    LogActions* m_log;
    RunsPage* m_runs = nullptr;
    // null until they are first gone to:
    ReviewPage* m_review = nullptr;
    LaunchPage* m_launch = nullptr;
    ClusterPage* m_cluster = nullptr;
    DatasetsPage* m_datasets = nullptr;
    bool m_leavesUnsaved = false;  ///< a person said so
    ComparePage* m_compare = nullptr;
    RunPage* m_run = nullptr;
    OfflineBanner* m_offline = nullptr;
    ConnectDialog* m_connect = nullptr;
    WindowStateSaver m_windowStateSaver;
};

}  // namespace dailies::ui
