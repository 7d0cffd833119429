#pragma once

#include "remote/launch/shard_file.h"
#include "ui/curating/dataset_job_dialog.h"

namespace dailies::ui {

/// Asks for a curated folder of the connected cluster, and where its shards go.
class ShardDialog : public DatasetJobDialog {
    Q_OBJECT

public:
    /// `folder`: on the cluster; empty: none yet.
    explicit ShardDialog(ClusterWorker& worker, const QString& folder = {}, QWidget* parent = nullptr);

    remote::ShardRequest request() const;

private:
    QString planned() override;
    void submit() override;

    QLineEdit* m_folder;
    QLineEdit* m_out;
    QSpinBox* m_size;
};

}  // namespace dailies::ui
