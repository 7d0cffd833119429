#pragma once

#include "remote/cluster/scoring_launch.h"
#include "ui/bridge/run_async.h"
#include "ui/cluster/cluster_worker.h"

#include <QDialog>
#include <QTimer>

#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace dailies::ui {

/// Asks for a scorer, a TorchScript module, to which the clips of runs are given, and what its metrics are
/// called. Says what it comes to, or what is wrong. Sends it through the worker and closes.
class ScoreDialog : public QDialog {
    Q_OBJECT

public:
    ScoreDialog(ClusterWorker& worker, std::vector<std::string> runIds, QWidget* parent = nullptr);

    bool settled() const { return m_loaded && !m_planning && !m_later.isActive(); }
    QString summary() const;  ///< "24 clips in 4 jobs, 2 at once"; empty while something is wrong
    QString problem() const;  ///< what is wrong; empty: nothing

signals:
    void connectRequested();
    void failed(const dailies::Error& error);

private:
    /// What the form begins with.
    struct Known {
        std::vector<std::string> runIds;  ///< those that have clips
        std::string cluster;
        sweep::Resources resources;
    };
    struct Preview {
        QString summary, problem;
    };

    QWidget* makeForm();
    QWidget* makeFooter();
    void load(std::vector<std::string> runIds);
    void later();
    void plan();
    void showPreview(const Preview& preview);
    void refreshFooter();
    void chooseFile();
    void send();
    bool isConnected() const;  ///< to the cluster that holds the clips
    remote::ScoringRequest request() const;

    ClusterWorker& m_worker;
    AsyncTask m_loading, m_task;
    QTimer m_later;
    Known m_known;
    bool m_loaded = false, m_planning = false, m_valid = false;

    QLineEdit* m_file;
    QLineEdit* m_name;
    QLineEdit* m_reference;
    QSpinBox* m_parallel;
    QLineEdit* m_timeLimit;
    QLabel* m_summary;
    QLabel* m_problem;
    QLabel* m_target;
    QPushButton* m_send;
};

}  // namespace dailies::ui
