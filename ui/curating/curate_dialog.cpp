#include "ui/curating/curate_dialog.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "remote/service/dataset_service.h"
#include "ui/files/file_browser.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <filesystem>

namespace dailies::ui {

namespace {

constexpr int kCurateWidth = 600;
constexpr int kMostTasks = 1000, kMostCpus = 1024;
constexpr int kUsualTasks = 2, kUsualCpus = 4;
constexpr const char* kUsualTimeLimit = "12:00:00";

std::string textIn(const QLineEdit& edit) {
    return edit.text().trimmed().toStdString();
}

/// "/data/sets/harbour/" → "harbour"
std::string lastPart(const std::string& path) {
    const std::filesystem::path folder(path);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

}  // namespace

CurateDialog::CurateDialog(ClusterWorker& worker, QWidget* parent)
    : JobDialog(worker, tr("Curate"), tr("Connect to %1 to curate films there."), parent),
      m_films(new QLineEdit),
      m_out(new QLineEdit),
      m_name(new QLineEdit),
      m_writeClips(new QCheckBox(tr("Write the clips that are kept as H.264 files"))),
      m_writePreviews(new QCheckBox(tr("Write small previews of all clips"))),
      m_tasks(new QSpinBox),
      m_cpus(new QSpinBox),
      m_memory(new QLineEdit),
      m_timeLimit(new QLineEdit(QString::fromLatin1(kUsualTimeLimit))),
      m_summary(makeLabel({}, TextStyle::Body)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)) {
    setWindowTitle(tr("Curate films"));
    setFixedWidth(kCurateWidth);
    auto* column = makeColumn(0);
    column->addWidget(makeForm(), 1);
    column->addWidget(makeLine());
    column->addWidget(makeFooter());
    setLayout(column);
    m_loaded = true;
    m_films->setFocus();
    plan();
}

QWidget* CurateDialog::makeForm() {
    auto* form = new QWidget;
    auto* column = makeColumn(space::k12, {space::k24, space::k24, space::k24, space::k16});
    column->addWidget(makeLabel(windowTitle(), TextStyle::Title));
    auto* about =
        makeLabel(tr("Films on the cluster are cut into clips, each with its scores and a verdict; "
                     "thresholds can be moved later without decoding anything again. The tasks share the "
                     "films. Sent again, the job goes on with what is missing."),
                  TextStyle::Body, TextTone::Muted);
    about->setWordWrap(true);
    column->addWidget(about);

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    const auto add = [&](const QString& name, QWidget* field, const QString& tip) {
        return addField(*grid, name, field, tip);
    };
    const auto addPath = [&](const QString& name, QLineEdit* field, const QString& tip) {
        const int row = add(name, field, tip);
        auto* open = makeButton(tr("Browse…"), ButtonKind::Normal, QStringLiteral("folder"));
        open->setToolTip(tr("Look through the folders of the cluster"));
        open->setAutoDefault(false);
        grid->addWidget(open, row, 2);
        connect(open, &QPushButton::clicked, this, [this, field] { browse(*field); });
    };
    m_films->setPlaceholderText(QStringLiteral("/data/films"));
    addPath(tr("Films"), m_films, tr("A film, or a folder with films at any depth, on the cluster"));
    m_out->setPlaceholderText(QStringLiteral("/data/sets/harbour"));
    addPath(
        tr("Folder for clips"), m_out,
        tr("Receives clips.jsonl, the scores of every frame, and the clips; created if it does not exist"));
    m_name->setPlaceholderText(tr("same as the folder"));
    add(tr("Name"), m_name, tr("What the job is called under Runs"));
    m_writeClips->setChecked(true);
    add(QString(), m_writeClips,
        tr("Training reads these; without them the list says where each clip is in its film"));
    m_writePreviews->setChecked(true);
    add(QString(), m_writePreviews, tr("Lets you look at the clips on this computer"));
    m_tasks->setRange(1, kMostTasks);
    m_tasks->setValue(kUsualTasks);
    add(tr("Tasks"), m_tasks, tr("How many of them share the films"));
    m_cpus->setRange(1, kMostCpus);
    m_cpus->setValue(kUsualCpus);
    add(tr("CPUs per task"), m_cpus, tr("Each decodes one film at a time"));
    m_memory->setPlaceholderText(tr("the cluster's default"));
    add(tr("Memory per task"), m_memory, tr("Such as 16G"));
    add(tr("Time limit"), m_timeLimit, tr("Per task, such as 12:00:00; one that reaches it is continued"));
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    for (auto* label : {m_summary, m_problem}) {
        label->setWordWrap(true);
        column->addWidget(label);
    }
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addStretch();
    form->setLayout(column);

    connect(m_out, &QLineEdit::textChanged, this, [this](const QString& folder) {
        const auto name = lastPart(folder.trimmed().toStdString());
        m_name->setPlaceholderText(name.empty() ? tr("same as the folder") : QString::fromStdString(name));
    });
    for (auto* edit : {m_films, m_out, m_name, m_memory, m_timeLimit})
        connect(edit, &QLineEdit::textChanged, this, &CurateDialog::schedulePlan);
    for (auto* number : {m_tasks, m_cpus})
        connect(number, &QSpinBox::valueChanged, this, &CurateDialog::schedulePlan);
    return form;
}

void CurateDialog::browse(QLineEdit& field) {
    if (!m_worker.info()) {
        emit connectRequested();
        return;
    }
    auto* browser = new FileBrowser(m_worker, FileBrowser::Wanted::Folder, textIn(field), this);
    connect(browser, &FileBrowser::chosen, &field, &QLineEdit::setText);
    browser->open();
}

remote::CurationRequest CurateDialog::request() const {
    remote::CurationRequest request;
    request.job.films = {textIn(*m_films)};
    request.job.out = textIn(*m_out);
    request.name = textIn(*m_name).empty() ? lastPart(request.job.out) : textIn(*m_name);
    request.job.writeClips = m_writeClips->isChecked();
    request.job.writePreviews = m_writePreviews->isChecked();
    request.tasks = request.resources.parallelRuns = m_tasks->value();
    request.resources.cpusPerRank = m_cpus->value();
    request.resources.memory = textIn(*m_memory);
    request.resources.timeLimit = textIn(*m_timeLimit);
    return request;
}

void CurateDialog::plan() {
    QString summary, problem;
    // nothing is wrong with a form that is not filled yet
    if (!textIn(*m_films).empty() && !textIn(*m_out).empty()) try {
            const auto wanted = request();
            remote::previewCuration(wanted, m_worker.profileFor(m_cluster));
            const auto cpus = QString::fromStdString(pluralize(m_cpus->value(), "CPU", "CPUs"));
            summary = wanted.tasks == 1 ? tr("1 task of %1").arg(cpus)
                                        : tr("%1 tasks of %2 share the films").arg(wanted.tasks).arg(cpus);
        } catch (const Error& error) {
            problem = QString::fromStdString(error.full());
        }
    m_summary->setText(summary);
    m_summary->setVisible(!summary.isEmpty());
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    setValid(!summary.isEmpty());
}

void CurateDialog::submit() {
    m_worker.curate(request());
}

QString CurateDialog::summary() const {
    return m_summary->text();
}

QString CurateDialog::problem() const {
    return m_problem->text();
}

}  // namespace dailies::ui
