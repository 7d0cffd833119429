#pragma once

#include "ui/cluster/cluster_worker.h"
#include "ui/cluster/profile_list.h"
#include "ui/main_window/options.h"

#include <QMainWindow>

#include <string>
#include <vector>

class QStackedWidget;

namespace dailies::ui {

class ClusterPage;
class ConnectDialog;
class LaunchPage;
class ReviewPage;
class RunsPage;
class SandboxControl;
class Sidebar;
class Toasts;

/// The window: the sidebar, the four pages, and what they share: the worker that talks to the cluster, the
/// profiles, the messages. It passes requests between the pages and does nothing else.
class MainWindow : public QMainWindow {
    Q_OBJECT

public:
    explicit MainWindow(const Options& options);
    ~MainWindow() override;

    void showPage(Page page);
    /// Opens the connect dialog (one at a time) and returns it.
    ConnectDialog& openConnectDialog();
    /// The page on show has loaded what it shows.
    bool settled() const;

    ClusterWorker& worker() { return m_worker; }
    RunsPage& runsPage() { return *m_runs; }

private:
    void buildPages();
    void wire();
    void addShortcuts();
    void toggleTheme();
    void review(const std::vector<std::string>& runIds);
    void askHostKey(const QString& host, const QString& type, const QString& fingerprint);
    void askSecret(const QString& prompt, bool echo);

    Options m_options;
    ProfileList m_profiles;
    ClusterWorker m_worker;
    bool m_connectAtStart;

    Sidebar* m_sidebar;
    QStackedWidget* m_stack;
    SandboxControl* m_sandbox;
    Toasts* m_toasts = nullptr;
    RunsPage* m_runs = nullptr;
    ReviewPage* m_review = nullptr;
    LaunchPage* m_launch = nullptr;
    ClusterPage* m_cluster = nullptr;
    ConnectDialog* m_connect = nullptr;
};

}  // namespace dailies::ui
