#pragma once

#include "remote/launch/curation_file.h"
#include "ui/curating/dataset_job_dialog.h"

class QCheckBox;

namespace dailies::ui {

/// Asks for films of the connected cluster and the folder that their clips go to.
class CurateDialog : public DatasetJobDialog {
    Q_OBJECT

public:
    explicit CurateDialog(ClusterWorker& worker, QWidget* parent = nullptr);

    remote::CurationRequest request() const;

private:
    QString planned() override;
    void submit() override;

    QLineEdit* m_films;
    QLineEdit* m_out;
    QCheckBox* m_writeClips;
    QCheckBox* m_writePreviews;
};

}  // namespace dailies::ui
