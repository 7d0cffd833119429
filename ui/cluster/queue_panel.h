#pragma once

#include "ui/cluster/cluster_rows.h"
#include "ui/link/cluster_worker.h"

#include <QWidget>

#include <memory>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

class ElidedLabel;
class SnapshotTable;

/// The cluster's queue: ours or everybody's, searched and sorted, an array in one line that opens; what is
/// known of the chosen job, and what can be done to it if it is ours.
class QueuePanel : public QWidget {
    Q_OBJECT

public:
    explicit QueuePanel(ClusterWorker& worker, QWidget* parent = nullptr);

    /// `live`: as the cluster is now; else what is remembered, which nothing can be done to.
    void display(std::shared_ptr<const remote::ClusterView> view, bool live);
    void setRuns(RunsByJob runs);  ///< whose jobs are whose
    void focusSearch();

signals:
    void openRunRequested(const std::string& runId);

private:
    QWidget* makeBar();
    QWidget* makeDetails();
    void refresh();
    void showDetails();
    void openRun(const QString& key);
    void cancelChosen();
    /// The jobs that the chosen row stands for.
    std::vector<const remote::slurm::QueuedJob*> chosenJobs() const;
    std::string runOf(const QString& key) const;

    ClusterWorker& m_worker;
    std::shared_ptr<const remote::ClusterView> m_view;
    bool m_live = false;
    QueueFilter m_choice;
    RunsByJob m_runs;

    QPushButton* m_mine;
    QPushButton* m_everybody;
    QLineEdit* m_search;
    QLabel* m_count;
    SnapshotTable* m_table;
    QLabel* m_none;
    QWidget* m_details;
    ElidedLabel* m_title;
    ElidedLabel* m_why;
    ElidedLabel* m_facts;
    QLabel* m_use;
    QString m_measured;  ///< the job whose use is shown or asked for
    QPushButton* m_open;
    QPushButton* m_measure;
    QPushButton* m_hold;
    QPushButton* m_release;
    QPushButton* m_cancel;
};

}  // namespace dailies::ui
