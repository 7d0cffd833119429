#pragma once

#include "remote/cluster/remote_folder.h"
#include "ui/bridge/run_async.h"
#include "ui/link/cluster_worker.h"

#include <QDialog>

#include <string>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace dailies::ui {

class ElidedLabel;
class EmptyState;
class RemoteItemsModel;

/// Looks through the folders of the connected cluster for a dataset, and copies one there. Opens with the
/// folder that the person typed before. Keys: Return opens a folder or takes a file, Backspace goes up,
/// letters filter, Ctrl+Return takes the folder that is shown, Ctrl+L types a path, F5 looks again.
class FileBrowser : public QDialog {
    Q_OBJECT

public:
    enum class Wanted { Folder, FolderOrShard };

    /// `path`: where to begin; "" for the home folder.
    FileBrowser(ClusterWorker& worker, Wanted wanted, const std::string& path, QWidget* parent = nullptr);

    const std::string& folder() const { return m_folder.path; }
    bool isSettled() const { return !m_loading; }
    bool uploading() const { return m_uploading; }

    void go(const std::string& path);
    /// What the cluster answered.
    void display(const remote::RemoteFolder& folder);
    /// Copies a local folder or file into the one that is shown. On a connection of its own, so that curves
    /// stay live; what arrived before it was stopped need not be sent again.
    void upload(const QString& local);

signals:
    /// An absolute path on the cluster.
    void chosen(const QString& path);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void reject() override;
    void resizeEvent(QResizeEvent* event) override;

private:
    QWidget* makeHead();
    QWidget* makeFoot();
    void fail(const Error& error);
    void activate(const QModelIndex& index);
    void up();
    void take();
    void refreshCrumbs();
    void refreshFoot();
    void refreshColumns();  ///< those that say something, as far as there is room
    void refreshBody();     ///< the table, or why there is none
    void typePath();
    void chooseUpload();
    void endUpload();
    const remote::RemoteItem* selected() const;
    /// What the button would take; empty: nothing.
    std::string wantedPath() const;
    std::string childPath(const std::string& name) const;

    ClusterWorker& m_worker;
    Wanted m_wanted;
    remote::RemoteFolder m_folder;
    std::string m_asked, m_select;  ///< the path that is awaited; what is selected once it is there
    bool m_loading = false, m_uploading = false;
    AsyncTask m_upload;
    RemoteItemsModel* m_model;
    QStackedWidget* m_place;  ///< crumbs, or the path as text
    QWidget* m_crumbs;
    QBoxLayout* m_crumbRow;
    QLineEdit* m_path;
    QLineEdit* m_filter;
    QStackedWidget* m_body;  ///< the table, or why there is none
    QTableView* m_table;
    EmptyState* m_empty;
    ElidedLabel* m_hint;
    QProgressBar* m_progress;
    QPushButton* m_send;
    QPushButton* m_cancel;
    QPushButton* m_take;
};

}  // namespace dailies::ui
