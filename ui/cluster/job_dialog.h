#pragma once

#include "ui/bridge/run_async.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/form_dialog.h"

#include <QDialog>
#include <QTimer>

#include <cstdint>
#include <string>

class QLabel;
class QPushButton;

namespace dailies::ui {

/// A form for jobs on runs of one cluster. It plans a moment after something was changed, and is sent through
/// the worker once that cluster is connected.
class JobDialog : public QDialog {
    Q_OBJECT

public:
    bool isSettled() const { return m_loaded && !m_planning && !m_later.isActive(); }

signals:
    void connectRequested();
    void failed(const dailies::Error& error);

protected:
    /// `verb`: what the button does. `elsewhere`: what its foot says while the cluster, %1, is not connected.
    JobDialog(ClusterWorker& worker, const QString& verb, const QString& elsewhere, QWidget* parent);

    /// Jobs are sent by Ctrl+Enter: Enter alone, in a field, sends nothing and opens nothing.
    void keyPressEvent(QKeyEvent* event) override;

    QWidget* makeFooter();
    /// "24 clips in 4 jobs, 2 at once"
    static QString inJobs(std::int64_t clips, std::size_t jobs, int atOnce);
    void schedulePlan();  ///< plans soon
    void refreshFooter();
    /// Whether what the form says can be sent.
    void setValid(bool valid);

    virtual void plan() = 0;
    virtual void submit() = 0;

    ClusterWorker& m_worker;
    AsyncTask m_loading, m_task;
    std::string m_cluster;  ///< that the runs are on
    bool m_loaded = false, m_planning = false;

private:
    bool isConnected() const;
    void send();

    QString m_verb, m_elsewhere;
    QTimer m_later;
    QLabel* m_target;
    QPushButton* m_send;
    bool m_valid = false;
};

}  // namespace dailies::ui
