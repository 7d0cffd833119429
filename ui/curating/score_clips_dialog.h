#pragma once

#include "remote/launch/clip_scoring_file.h"
#include "ui/curating/dataset_job_dialog.h"

namespace dailies::ui {

/// Asks for a curated folder of the connected cluster, and which scorer of this machine is to be given its
/// clips.
class ScoreClipsDialog : public DatasetJobDialog {
    Q_OBJECT

public:
    /// `folder`: on the cluster; empty: none yet.
    explicit ScoreClipsDialog(ClusterWorker& worker, const QString& folder = {}, QWidget* parent = nullptr);

    remote::ClipScoringRequest request() const;

private:
    QString planned() override;
    void submit() override;

    QLineEdit* m_folder;
    QLineEdit* m_scorer;
    QLineEdit* m_scoreName;
    QSpinBox* m_frames;
};

}  // namespace dailies::ui
