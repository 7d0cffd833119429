#pragma once

#include "core/sweep/sweep.h"
#include "ui/cluster/job_dialog.h"

#include <string>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QLineEdit;
class QSpinBox;

namespace dailies::ui {

/// A form for a job whose tasks share the work on a dataset of the connected cluster. Says what it comes to,
/// or what is wrong. Sends it through the worker and closes.
class DatasetJobDialog : public JobDialog {
    Q_OBJECT

public:
    QString summary() const;  ///< "4 tasks of 8 CPUs share the films"; empty while something is wrong
    QString problem() const;  ///< what is wrong; empty: nothing

protected:
    /// `about`: what the job does, below the title.
    DatasetJobDialog(ClusterWorker& worker, const QString& verb, const QString& elsewhere,
                     const QString& title, const QString& about, QWidget* parent);

    int add(const QString& name, QWidget* field, const QString& tip);  ///< the row
    void addWide(const QString& name, QWidget* field, const QString& tip);
    /// With a button that looks through the folders of the cluster.
    void addPath(const QString& name, QLineEdit* field, const QString& tip);
    /// With a button that asks for a file of this computer.
    void addLocalFile(const QString& name, QLineEdit* field, const QString& tip);
    /// What the job is called: as the last part of a folder, unless a name is typed.
    void addName(const QLineEdit& folder);
    /// How many tasks share the work. Without it there is one.
    void addTasks(const QString& tip);
    /// What a task is given. `gpus`: usual ones; below zero: none are asked for.
    void addResources(const QString& cpusTip, int gpus = -1, const QString& gpusTip = {});
    /// After all fields; the first has the focus.
    void finish(QWidget& first);

    std::string name() const;
    int tasks() const;
    sweep::Resources resources() const;
    /// "2 tasks of 1 GPU share the clips", of which one is "1 task of 1 GPU".
    QString tasksText(const QString& shared) const;

    /// What it comes to; empty while the form is not filled. Throws `Error` for what is wrong.
    virtual QString planned() = 0;

private:
    void plan() override;
    void browse(QLineEdit& field);

    QBoxLayout* m_column;
    QGridLayout* m_grid;
    QLineEdit* m_name;
    const QLineEdit* m_named = nullptr;              ///< the folder that the job is called after
    QSpinBox *m_tasks = nullptr, *m_gpus = nullptr;  ///< null: not asked for
    QSpinBox* m_cpus;
    QLineEdit *m_memory, *m_timeLimit;
    QLabel *m_summary, *m_problem;
};

/// What a person typed, without spaces around it.
std::string textIn(const QLineEdit& edit);

}  // namespace dailies::ui
