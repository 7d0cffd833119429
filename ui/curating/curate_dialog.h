#pragma once

#include "remote/launch/curation_file.h"
#include "ui/cluster/job_dialog.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace dailies::ui {

/// Asks for films of the connected cluster and the folder that their clips go to, and by how many tasks. Says
/// what it comes to, or what is wrong. Sends it through the worker and closes.
class CurateDialog : public JobDialog {
    Q_OBJECT

public:
    explicit CurateDialog(ClusterWorker& worker, QWidget* parent = nullptr);

    remote::CurationRequest request() const;
    QString summary() const;  ///< "4 tasks of 8 CPUs share the films"; empty while something is wrong
    QString problem() const;  ///< what is wrong; empty: nothing

private:
    QWidget* makeForm();
    void browse(QLineEdit& field);
    void plan() override;
    void submit() override;

    QLineEdit* m_films;
    QLineEdit* m_out;
    QLineEdit* m_name;
    QCheckBox* m_writeClips;
    QCheckBox* m_writePreviews;
    QSpinBox* m_tasks;
    QSpinBox* m_cpus;
    QLineEdit* m_memory;
    QLineEdit* m_timeLimit;
    QLabel* m_summary;
    QLabel* m_problem;
};

}  // namespace dailies::ui
