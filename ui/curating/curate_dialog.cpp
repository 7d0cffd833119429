#include "ui/curating/curate_dialog.h"

#include "remote/service/dataset_service.h"

#include <QCheckBox>
#include <QLineEdit>

namespace dailies::ui {

CurateDialog::CurateDialog(ClusterWorker& worker, QWidget* parent)
    : DatasetJobDialog(
          worker, tr("Curate"), tr("Connect to %1 to curate films there."), tr("Curate films"),
          tr("Films on the cluster are cut into clips, each with its scores and a verdict; thresholds can be "
             "moved later without decoding anything again. The tasks share the films. Sent again, the job "
             "goes on with what is missing."),
          parent),
      m_films(new QLineEdit),
      m_out(new QLineEdit),
      m_writeClips(new QCheckBox(tr("Write the clips that are kept as H.264 files"))),
      m_writePreviews(new QCheckBox(tr("Write small previews of all clips"))) {
    m_films->setPlaceholderText(QStringLiteral("/data/films"));
    addPath(tr("Films"), m_films,
            tr("A film, or a folder with films at any depth, on the cluster or in a bucket (s3://footage/)"));
    m_out->setPlaceholderText(QStringLiteral("/data/sets/harbour"));
    addPath(
        tr("Folder for clips"), m_out,
        tr("Receives clips.jsonl, the scores of every frame, and the clips; created if it does not exist"));
    addName(*m_out);
    m_writeClips->setChecked(true);
    add(QString(), m_writeClips,
        tr("Training reads these; without them the list says where each clip is in its film"));
    m_writePreviews->setChecked(true);
    add(QString(), m_writePreviews, tr("Lets you look at the clips on this computer"));
    addTasks(tr("How many of them share the films"));
    addResources(tr("Each decodes one film at a time"));
    finish(*m_films);
}

remote::CurationRequest CurateDialog::request() const {
    remote::CurationRequest request;
    request.job.films = {textIn(*m_films)};
    request.job.out = textIn(*m_out);
    request.name = name();
    request.job.writeClips = m_writeClips->isChecked();
    request.job.writePreviews = m_writePreviews->isChecked();
    request.tasks = tasks();
    request.resources = resources();
    return request;
}

QString CurateDialog::planned() {
    if (textIn(*m_films).empty() || textIn(*m_out).empty()) return {};
    remote::previewCuration(request(), m_worker.profileFor(m_cluster));
    return tasksText(tr("films"));
}

void CurateDialog::submit() {
    m_worker.curate(request());
}

}  // namespace dailies::ui
