#pragma once

#include "remote/launch/caption_file.h"
#include "ui/curating/dataset_job_dialog.h"

class QCheckBox;
class QPlainTextEdit;

namespace dailies::ui {

/// Asks for a curated folder of the connected cluster, and which model is to describe its clips.
class CaptionDialog : public DatasetJobDialog {
    Q_OBJECT

public:
    /// `folder`: on the cluster; empty: none yet.
    explicit CaptionDialog(ClusterWorker& worker, const QString& folder = {}, QWidget* parent = nullptr);

    remote::CaptionRequest request() const;

private:
    QString planned() override;
    void submit() override;

    QLineEdit* m_folder;
    QLineEdit* m_server;
    QPlainTextEdit* m_prompt;
    QSpinBox* m_frames;
    QCheckBox* m_again;
};

}  // namespace dailies::ui
