#include "ui/curating/caption_dialog.h"

#include "remote/service/dataset_service.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QSpinBox>

namespace dailies::ui {

namespace {

constexpr int kPromptHeight = 84, kMostPictures = 256;
constexpr const char* kExample = "vllm serve Qwen/Qwen2.5-VL-7B-Instruct --port ${port}";

}  // namespace

CaptionDialog::CaptionDialog(ClusterWorker& worker, const QString& folder, QWidget* parent)
    : DatasetJobDialog(
          worker, tr("Caption"), tr("Connect to %1 to caption clips there."), tr("Caption clips"),
          tr("A vision-language model describes each clip that is kept and has no caption yet. Every answer "
             "is kept as it comes; refused, truncated and repetitive ones are told apart. Captions by hand "
             "stay. Sent again, the job goes on with what is missing."),
          parent),
      m_folder(new QLineEdit(folder)),
      m_server(new QLineEdit),
      m_prompt(new QPlainTextEdit(QString::fromStdString(captioning::CaptionSettings().prompt))),
      m_frames(new QSpinBox),
      m_again(new QCheckBox(tr("Also replace captions that another model or prompt wrote"))) {
    m_folder->setPlaceholderText(QStringLiteral("/data/sets/harbour"));
    addPath(tr("Curated folder"), m_folder, tr("On the cluster; its clips.jsonl says which clips are kept"));
    m_server->setPlaceholderText(QLatin1String(kExample));
    addWide(
        tr("Model server"), m_server,
        tr("A command that each task runs on its node, with ${port} as a free port: vLLM, SGLang, llama.cpp. "
           "Or the URL of an OpenAI-compatible server that runs, such as http://node:8000/v1"));
    m_prompt->setTabChangesFocus(true);
    m_prompt->setFixedHeight(kPromptHeight);
    addWide(tr("Prompt"), m_prompt, tr("What the model is asked about each clip"));
    connect(m_prompt, &QPlainTextEdit::textChanged, this, &CaptionDialog::schedulePlan);
    m_frames->setRange(1, kMostPictures);
    m_frames->setValue(captioning::CaptionSettings().frames);
    add(tr("Pictures per clip"), m_frames, tr("Spread over the clip"));
    addWide(QString(), m_again,
            tr("Without this, only clips whose caption was of no use are asked for again"));
    addName(*m_folder);
    addTasks(tr("How many of them share the clips, each with a server of its own"));
    addResources(tr("They decode the clips"), 1, tr("For the model that each task serves"));
    finish(folder.isEmpty() ? *m_folder : *m_server);
}

remote::CaptionRequest CaptionDialog::request() const {
    remote::CaptionRequest request;
    request.name = name();
    request.job.folder = textIn(*m_folder);
    const auto server = textIn(*m_server);
    const bool isUrl = server.starts_with("http://") || server.starts_with("https://");
    (isUrl ? request.job.server : request.job.serve) = server;
    request.job.settings.prompt = m_prompt->toPlainText().trimmed().toStdString();
    request.job.settings.frames = m_frames->value();
    request.job.again = m_again->isChecked();
    request.tasks = tasks();
    request.resources = resources();
    return request;
}

QString CaptionDialog::planned() {
    if (textIn(*m_folder).empty() || textIn(*m_server).empty()) return {};
    remote::previewCaptions(request(), m_worker.profileFor(m_cluster));
    return tasksText(tr("clips"));
}

void CaptionDialog::submit() {
    m_worker.caption(request());
}

}  // namespace dailies::ui
