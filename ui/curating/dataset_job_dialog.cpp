#include "ui/curating/dataset_job_dialog.h"

#include "core/base/counts.h"
#include "core/base/error.h"
#include "ui/files/file_browser.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>

#include <algorithm>
#include <filesystem>

namespace dailies::ui {

namespace {

constexpr int kDialogWidth = 600;
constexpr int kMostTasks = 1000, kMostCpus = 1024, kMostGpus = 64;
constexpr int kUsualTasks = 2, kUsualCpus = 4;
constexpr const char* kUsualTimeLimit = "12:00:00";

/// "/data/sets/harbour/" → "harbour"
std::string lastFolder(const std::string& path) {
    const std::filesystem::path folder(path);
    return (folder.has_filename() ? folder : folder.parent_path()).filename().string();
}

}  // namespace

std::string textIn(const QLineEdit& edit) {
    return edit.text().trimmed().toStdString();
}

DatasetJobDialog::DatasetJobDialog(ClusterWorker& worker, const QString& verb, const QString& elsewhere,
                                   const QString& title, const QString& about, QWidget* parent)
    : JobDialog(worker, verb, elsewhere, parent),
      m_column(makeColumn(space::k12, {space::k24, space::k24, space::k24, space::k16})),
      m_grid(new QGridLayout),
      m_name(new QLineEdit),
      m_cpus(new QSpinBox),
      m_memory(new QLineEdit),
      m_timeLimit(new QLineEdit(QString::fromLatin1(kUsualTimeLimit))),
      m_summary(makeLabel({}, TextStyle::Body)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)) {
    setWindowTitle(title);
    setFixedWidth(kDialogWidth);
    m_column->addWidget(makeLabel(title, TextStyle::Title));
    auto* words = makeLabel(about, TextStyle::Body, TextTone::Muted);
    words->setWordWrap(true);
    // a dialog asks for its height before it knows how the words wrap
    words->setFixedHeight(words->heightForWidth(kDialogWidth - 2 * space::k24));
    m_column->addWidget(words);
    m_grid->setHorizontalSpacing(space::k12);
    m_grid->setVerticalSpacing(space::k8);
    m_grid->setColumnStretch(1, 1);
}

int DatasetJobDialog::add(const QString& name, QWidget* field, const QString& tip) {
    if (auto* edit = qobject_cast<QLineEdit*>(field))
        connect(edit, &QLineEdit::textChanged, this, &DatasetJobDialog::schedulePlan);
    if (auto* number = qobject_cast<QSpinBox*>(field))
        connect(number, &QSpinBox::valueChanged, this, &DatasetJobDialog::schedulePlan);
    return addField(*m_grid, name, field, tip);
}

void DatasetJobDialog::addWide(const QString& name, QWidget* field, const QString& tip) {
    const int row = add(name, field, tip);
    m_grid->removeWidget(field);
    m_grid->addWidget(field, row, 1, 1, 2);
}

void DatasetJobDialog::addPath(const QString& name, QLineEdit* field, const QString& tip) {
    const int row = add(name, field, tip);
    auto* open = makeButton(tr("Browse…"), ButtonKind::Normal, QStringLiteral("folder"));
    open->setToolTip(tr("Look through the folders of the cluster"));
    open->setAutoDefault(false);
    m_grid->addWidget(open, row, 2);
    connect(open, &QPushButton::clicked, this, [this, field] { browse(*field); });
}

void DatasetJobDialog::addLocalFile(const QString& name, QLineEdit* field, const QString& tip) {
    const int row = add(name, field, tip);
    auto* open = makeButton(tr("Open…"), ButtonKind::Normal, QStringLiteral("folder"));
    open->setToolTip(tr("Choose the file on this computer"));
    open->setAutoDefault(false);
    m_grid->addWidget(open, row, 2);
    connect(open, &QPushButton::clicked, this, [this, field, name] {
        chooseFile(
            *this, name, {}, [field](const QString& file) { field->setText(file); }, field->text());
    });
}

void DatasetJobDialog::addName(const QLineEdit& folder) {
    m_named = &folder;
    const auto refresh = [this] {
        const auto named = lastFolder(textIn(*m_named));
        m_name->setPlaceholderText(named.empty() ? tr("same as the folder") : QString::fromStdString(named));
    };
    refresh();
    connect(&folder, &QLineEdit::textChanged, this, refresh);
    add(tr("Name"), m_name, tr("What the job is called under Runs"));
}

void DatasetJobDialog::addTasks(const QString& tip) {
    m_tasks = new QSpinBox;
    m_tasks->setRange(1, kMostTasks);
    m_tasks->setValue(kUsualTasks);
    add(tr("Tasks"), m_tasks, tip);
}

void DatasetJobDialog::addResources(const QString& cpusTip, int gpus, const QString& gpusTip) {
    if (gpus >= 0) {
        m_gpus = new QSpinBox;
        m_gpus->setRange(0, kMostGpus);
        m_gpus->setValue(gpus);
        add(tr("GPUs per task"), m_gpus, gpusTip);
    }
    m_cpus->setRange(1, kMostCpus);
    m_cpus->setValue(kUsualCpus);
    add(tr("CPUs per task"), m_cpus, cpusTip);
    m_memory->setPlaceholderText(tr("the cluster's default"));
    add(tr("Memory per task"), m_memory, tr("Such as 16G"));
    add(tr("Time limit"), m_timeLimit, tr("Per task, such as 12:00:00; one that reaches it is continued"));
}

void DatasetJobDialog::finish(QWidget& first) {
    m_column->addLayout(m_grid);
    for (auto* label : {m_summary, m_problem}) {
        label->setWordWrap(true);
        m_column->addWidget(label);
    }
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_column->addStretch();
    auto* form = new QWidget;
    form->setLayout(m_column);
    auto* all = makeColumn(0);
    all->addWidget(form, 1);
    all->addWidget(makeLine());
    all->addWidget(makeFooter());
    setLayout(all);
    m_loaded = true;
    first.setFocus();
    plan();
}

void DatasetJobDialog::browse(QLineEdit& field) {
    if (!m_worker.info()) {
        emit connectRequested();
        return;
    }
    auto* browser = new FileBrowser(m_worker, FileBrowser::Wanted::Folder, textIn(field), this);
    connect(browser, &FileBrowser::chosen, &field, &QLineEdit::setText);
    browser->open();
}

std::string DatasetJobDialog::name() const {
    const auto typed = textIn(*m_name);
    return typed.empty() ? lastFolder(textIn(*m_named)) : typed;
}

int DatasetJobDialog::tasks() const {
    return m_tasks ? m_tasks->value() : 1;
}

sweep::Resources DatasetJobDialog::resources() const {
    sweep::Resources resources;
    resources.parallelRuns = tasks();
    resources.gpusPerNode = m_gpus ? m_gpus->value() : 0;
    resources.cpusPerRank = m_cpus->value();
    resources.memory = textIn(*m_memory);
    resources.timeLimit = textIn(*m_timeLimit);
    return resources;
}

QString DatasetJobDialog::tasksText(const QString& shared) const {
    const auto wanted = resources();
    const auto each =
        QString::fromStdString(wanted.gpusPerNode > 0 ? pluralize(wanted.gpusPerNode, "GPU", "GPUs")
                                                      : pluralize(wanted.cpusPerRank, "CPU", "CPUs"));
    return tasks() == 1 ? tr("1 task of %1").arg(each)
                        : tr("%1 tasks of %2 share the %3").arg(tasks()).arg(each, shared);
}

void DatasetJobDialog::plan() {
    QString summary, problem;
    try {
        summary = planned();
    } catch (const Error& error) {
        problem = QString::fromStdString(error.full());
    }
    m_summary->setText(summary);
    m_summary->setVisible(!summary.isEmpty());
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
    setValid(!summary.isEmpty());
}

QString DatasetJobDialog::summary() const {
    return m_summary->text();
}

QString DatasetJobDialog::problem() const {
    return m_problem->text();
}

}  // namespace dailies::ui
