#include "ui/curating/shard_dialog.h"

#include "remote/service/dataset_service.h"

#include <QLineEdit>
#include <QSpinBox>

namespace dailies::ui {

namespace {
constexpr int kMostMib = 1 << 20, kMibStep = 256;
}

ShardDialog::ShardDialog(ClusterWorker& worker, const QString& folder, QWidget* parent)
    : DatasetJobDialog(
          worker, tr("Pack"), tr("Connect to %1 to pack clips there."), tr("Pack clips into shards"),
          tr("The clips that are kept become WebDataset shards, which many ranks read faster than files. "
             "Sent "
             "again, the job adds what is kept since and excludes what is dropped since, without rewriting a "
             "shard."),
          parent),
      m_folder(new QLineEdit(folder)),
      m_out(new QLineEdit),
      m_size(new QSpinBox) {
    m_folder->setPlaceholderText(QStringLiteral("/data/sets/harbour"));
    addPath(tr("Curated folder"), m_folder, tr("On the cluster; its clips.jsonl says which clips are kept"));
    m_out->setPlaceholderText(QStringLiteral("/data/shards/harbour"));
    addPath(tr("Folder for shards"), m_out, tr("Created if it does not exist"));
    addName(*m_out);
    m_size->setRange(1, kMostMib);
    m_size->setSingleStep(kMibStep);
    m_size->setValue(curation::ShardJob().sizeMib);
    m_size->setSuffix(tr(" MiB"));
    add(tr("Shard size"), m_size, tr("At most, unless one clip takes more"));
    addResources(tr("Clips without a file of their own are encoded, one film a CPU"));
    finish(folder.isEmpty() ? *m_folder : *m_out);
}

remote::ShardRequest ShardDialog::request() const {
    remote::ShardRequest request;
    request.name = name();
    request.job.folder = textIn(*m_folder);
    request.job.out = textIn(*m_out);
    request.job.sizeMib = m_size->value();
    request.resources = resources();
    return request;
}

QString ShardDialog::planned() {
    if (textIn(*m_folder).empty() || textIn(*m_out).empty()) return {};
    remote::previewShards(request(), m_worker.profileFor(m_cluster));
    return tasksText(tr("clips"));
}

void ShardDialog::submit() {
    m_worker.shard(request());
}

}  // namespace dailies::ui
