#pragma once

#include "remote/launch/scoring_launch.h"
#include "ui/cluster/job_dialog.h"

#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QSpinBox;

namespace dailies::ui {

/// Asks for a scorer, a TorchScript module, to which the clips of runs are given, and what its metrics are
/// called. Says what it comes to, or what is wrong. Sends it through the worker and closes.
class ScoreDialog : public JobDialog {
    Q_OBJECT

public:
    ScoreDialog(ClusterWorker& worker, std::vector<std::string> runIds, QWidget* parent = nullptr);

    QString summary() const;  ///< "24 clips in 4 jobs, 2 at once"; empty while something is wrong
    QString problem() const;  ///< what is wrong; empty: nothing

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
    void load(std::vector<std::string> runIds);
    void plan() override;
    void showPreview(const Preview& preview);
    void chooseFile();
    void submit() override;
    remote::ScoringRequest request() const;

    Known m_known;

    QLineEdit* m_file;
    QLineEdit* m_name;
    QLineEdit* m_reference;
    QSpinBox* m_parallel;
    QLineEdit* m_timeLimit;
    QLabel* m_summary;
    QLabel* m_problem;
};

}  // namespace dailies::ui
