#include "ui/curating/score_clips_dialog.h"

#include "core/config/scoring_job.h"
#include "remote/service/dataset_service.h"

#include <QLineEdit>
#include <QSpinBox>

namespace dailies::ui {

ScoreClipsDialog::ScoreClipsDialog(ClusterWorker& worker, const QString& folder, QWidget* parent)
    : DatasetJobDialog(
          worker, tr("Score"), tr("Connect to %1 to score clips there."), tr("Score clips of a dataset"),
          tr("A scorer is a TorchScript module of yours: it is given frames of each clip that is kept, and "
             "its caption if it asks for it. Each number that it answers gets a row of thresholds beside the "
             "others. Sent again, the job goes on with what is missing."),
          parent),
      m_folder(new QLineEdit(folder)),
      m_scorer(new QLineEdit),
      m_scoreName(new QLineEdit),
      m_frames(new QSpinBox) {
    m_folder->setPlaceholderText(QStringLiteral("/data/sets/harbour"));
    addPath(tr("Curated folder"), m_folder, tr("On the cluster; its clips.jsonl says which clips are kept"));
    m_scorer->setPlaceholderText(tr("aesthetic.pt"));
    addLocalFile(
        tr("Scorer"), m_scorer,
        tr("A file on this computer that torch.jit.save wrote: forward(frames: uint8 [T, 3, H, W]) or "
           "forward(frames, caption: str) gives a number or a Dict[str, Tensor]"));
    const auto nameAsFile = [this] {
        m_scoreName->setPlaceholderText(
            textIn(*m_scorer).empty() ? tr("same as the file")
                                      : QString::fromStdString(config::scorerNameOf(textIn(*m_scorer))));
    };
    nameAsFile();
    connect(m_scorer, &QLineEdit::textChanged, this, nameAsFile);
    add(tr("Score's name"), m_scoreName, tr("What its numbers are called, in clips.jsonl as score/NAME"));
    m_frames->setRange(1, curation::kMostFramesScored);
    m_frames->setValue(curation::ClipScoringJob().frames);
    add(tr("Frames per clip"), m_frames, tr("At most, spread over the clip"));
    addName(*m_folder);
    addTasks(tr("How many of them share the clips"));
    addResources(tr("They decode the clips"), 1, tr("For the scorer; without one it runs on CPUs"));
    finish(folder.isEmpty() ? *m_folder : *m_scorer);
}

remote::ClipScoringRequest ScoreClipsDialog::request() const {
    remote::ClipScoringRequest request;
    request.name = name();
    request.job.folder = textIn(*m_folder);
    request.job.scorer = textIn(*m_scorer);
    const auto typed = textIn(*m_scoreName);
    request.job.name = typed.empty() ? config::scorerNameOf(request.job.scorer) : typed;
    request.job.frames = m_frames->value();
    request.tasks = tasks();
    request.resources = resources();
    return request;
}

QString ScoreClipsDialog::planned() {
    if (textIn(*m_folder).empty() || textIn(*m_scorer).empty()) return {};
    remote::previewClipScores(request(), m_worker.profileFor(m_cluster));
    return tasksText(tr("clips"));
}

void ScoreClipsDialog::submit() {
    m_worker.scoreClips(request());
}

}  // namespace dailies::ui
