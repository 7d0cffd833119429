#include "ui/scoring/score_dialog.h"

#include "core/config/scoring_job.h"
#include "remote/cluster/chosen_runs.h"
#include "ui/bridge/read_store.h"
#include "ui/runs/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QFileDialog>
#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kScoreDelayMs = 150, kScoreWidth = 560;

QString inJobs(std::int64_t clips, std::size_t jobs, int atOnce) {
    QString text = clips == 1 ? ScoreDialog::tr("1 clip") : ScoreDialog::tr("%1 clips").arg(clips);
    text += jobs == 1 ? ScoreDialog::tr(" in 1 job") : ScoreDialog::tr(" in %1 jobs").arg(jobs);
    if (jobs > 1) text += ScoreDialog::tr(", %1 at once").arg(std::min(static_cast<int>(jobs), atOnce));
    return text;
}

}  // namespace

ScoreDialog::ScoreDialog(ClusterWorker& worker, std::vector<std::string> runIds, QWidget* parent)
    : QDialog(parent),
      m_worker(worker),
      m_file(new QLineEdit),
      m_name(new QLineEdit),
      m_reference(new QLineEdit),
      m_parallel(new QSpinBox),
      m_timeLimit(new QLineEdit),
      m_summary(makeLabel({}, TextStyle::Body)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)),
      m_target(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_send(makeButton(tr("Score"), ButtonKind::Primary, QStringLiteral("launch"))) {
    setWindowTitle(tr("Score the clips"));
    setAttribute(Qt::WA_DeleteOnClose);
    setFixedWidth(kScoreWidth);
    auto* column = makeColumn(0);
    column->addWidget(makeForm(), 1);
    column->addWidget(makeLine());
    column->addWidget(makeFooter());
    setLayout(column);

    m_later.setSingleShot(true);
    m_later.setInterval(kScoreDelayMs);
    connect(&m_later, &QTimer::timeout, this, &ScoreDialog::plan);
    connect(&m_worker, &ClusterWorker::stateChanged, this, &ScoreDialog::later);
    refreshFooter();
    load(std::move(runIds));
}

QWidget* ScoreDialog::makeForm() {
    auto* form = new QWidget;
    auto* column = makeColumn(space::k12, {space::k24, space::k24, space::k24, space::k16});
    column->addWidget(makeLabel(windowTitle(), TextStyle::Title));
    auto* about =
        makeLabel(tr("A scorer is a TorchScript module of yours: it is given each clip's frames, and "
                     "its caption if it asks for it. What it answers becomes a metric of the run. A "
                     "clip that it has scored is not scored again."),
                  TextStyle::Body, TextTone::Muted);
    about->setWordWrap(true);
    column->addWidget(about);

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(space::k8);
    int row = 0;
    const auto add = [&](const QString& name, QWidget* field, const QString& tip) {
        auto* label = makeLabel(name, TextStyle::Body, TextTone::Muted);
        label->setBuddy(field);
        field->setAccessibleName(name);
        field->setToolTip(tip);
        grid->addWidget(label, row, 0);
        grid->addWidget(field, row++, 1);
    };
    m_file->setPlaceholderText(tr("aesthetic.pt"));
    add(tr("Scorer"), m_file,
        tr("A file that torch.jit.save wrote: forward(frames: uint8 [T, 3, H, W]) or forward(frames, "
           "caption: "
           "str) gives a number or a Dict[str, Tensor]"));
    auto* open = makeButton(tr("Open…"), ButtonKind::Normal, QStringLiteral("folder"));
    open->setToolTip(tr("Choose the scorer's file"));
    grid->addWidget(open, 0, 2);
    m_name->setPlaceholderText(tr("as the file"));
    add(tr("Name"), m_name, tr("The metric is score/NAME"));
    m_reference->setPlaceholderText(tr("none"));
    add(tr("Reference"), m_reference,
        tr("A folder of videos on the cluster. Where the scorer has a method features, the Fréchet distance "
           "of "
           "each step's clips to them is score/NAME/frechet"));
    m_parallel->setRange(1, 10'000);
    add(tr("Jobs at once"), m_parallel, tr("How many of the jobs may run at the same time"));
    add(tr("Time limit"), m_timeLimit, tr("Of each job, as 0:20:00; one that reaches it goes on in another"));
    grid->setColumnStretch(1, 1);
    column->addLayout(grid);
    m_summary->setWordWrap(true);
    m_problem->setWordWrap(true);
    m_problem->setTextInteractionFlags(Qt::TextSelectableByMouse);
    column->addWidget(m_summary);
    column->addWidget(m_problem);
    column->addStretch();
    form->setLayout(column);

    connect(open, &QPushButton::clicked, this, &ScoreDialog::chooseFile);
    connect(m_file, &QLineEdit::textChanged, this, [this](const QString& file) {
        m_name->setPlaceholderText(QString::fromStdString(config::scorerNameOf(file.toStdString())));
        later();
    });
    for (auto* edit : {m_name, m_reference, m_timeLimit})
        connect(edit, &QLineEdit::textChanged, this, &ScoreDialog::later);
    connect(m_parallel, &QSpinBox::valueChanged, this, &ScoreDialog::later);
    return form;
}

QWidget* ScoreDialog::makeFooter() {
    auto* footer = new QWidget;
    auto* row = makeRow(space::k8, {space::k24, space::k12, space::k24, space::k12});
    auto* cancel = makeButton(tr("Cancel"));
    m_target->setWordWrap(true);
    row->addWidget(m_target, 1);
    row->addWidget(cancel);
    row->addWidget(m_send);
    m_send->setToolTip(tr("Send the jobs to the cluster (Ctrl+Enter)"));
    footer->setLayout(row);
    connect(cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_send, &QPushButton::clicked, this, &ScoreDialog::send);
    return footer;
}

void ScoreDialog::load(std::vector<std::string> runIds) {
    m_loading = readStore(
        this, m_worker.storeFile(),
        [shown = std::move(runIds)](const tracking::Store& store, const std::stop_token&) {
            Known known;
            for (const auto& id : shown)
                if (!store.clips({id}).empty()) known.runIds.push_back(id);
            if (!known.runIds.empty())
                known.cluster = tagOf(*store.run(known.runIds.front()), tracking::tag::kCluster);
            known.resources = remote::resourcesOfOneProcess(store, known.runIds);
            return known;
        },
        [this](const Known& known) {
            m_loaded = true;
            m_known = known;
            m_parallel->setValue(known.resources.parallelRuns);
            m_timeLimit->setText(QString::fromStdString(known.resources.timeLimit));
            m_file->setFocus();
            plan();
        },
        [this](const Error& error) { emit failed(error); });
}

void ScoreDialog::later() {
    if (m_loaded) m_later.start();
    refreshFooter();
}

remote::ScoringRequest ScoreDialog::request() const {
    const auto text = [](const QLineEdit* edit) { return edit->text().trimmed().toStdString(); };
    remote::ScoringRequest request;
    request.runIds = m_known.runIds;
    request.scorer = text(m_file);
    request.name = text(m_name);
    request.reference = text(m_reference);
    request.resources = m_known.resources;
    request.resources.parallelRuns = m_parallel->value();
    request.resources.timeLimit = text(m_timeLimit);
    return request;
}

void ScoreDialog::plan() {
    m_task.cancel();
    const auto wanted = request();
    if (wanted.scorer.empty()) {
        m_planning = false;
        return showPreview({});
    }
    m_planning = true;
    m_task = readStore(
        this, m_worker.storeFile(),
        [wanted, profile = m_worker.profileFor(m_known.cluster)](const tracking::Store& store,
                                                                 const std::stop_token&) {
            remote::requireModule(wanted.scorer);
            const auto plan =
                remote::planScoring(store, wanted, wanted.scorer.string(), profile, profile.workspace, {});
            return Preview{inJobs(plan.clips, plan.runs.size(), wanted.resources.parallelRuns), {}};
        },
        [this](const Preview& preview) {
            m_planning = false;
            showPreview(preview);
        },
        [this](const Error& error) {
            m_planning = false;
            showPreview({{}, QString::fromStdString(error.full())});
        });
}

void ScoreDialog::showPreview(const Preview& preview) {
    m_valid = !preview.summary.isEmpty();
    m_summary->setText(preview.summary);
    m_summary->setVisible(m_valid);
    m_problem->setText(preview.problem);
    m_problem->setVisible(!preview.problem.isEmpty());
    refreshFooter();
}

bool ScoreDialog::isConnected() const {
    return m_worker.info() && (m_known.cluster.empty() || m_worker.info()->profile.name == m_known.cluster);
}

void ScoreDialog::refreshFooter() {
    const QString cluster = inert(m_known.cluster);
    m_target->setText(isConnected() ? tr("on %1").arg(cluster)
                                    : tr("The clips are on %1; connect to it to score them.").arg(cluster));
    m_target->setVisible(m_loaded);
    m_send->setText(isConnected() ? tr("Score") : tr("Connect…"));
    m_send->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Return));  // a new text takes the old one away
    m_send->setEnabled(!isConnected() || (m_valid && !m_worker.busy()));
}

void ScoreDialog::chooseFile() {
    auto* dialog = new QFileDialog(this, tr("Open a scorer"), {},
                                   tr("TorchScript modules (*.pt *.pth *.ts);;All files (*)"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &QFileDialog::fileSelected, m_file, &QLineEdit::setText);
    dialog->open();
}

void ScoreDialog::send() {
    if (!isConnected()) {
        emit connectRequested();
        return;
    }
    m_worker.score(request());
    accept();
}

QString ScoreDialog::summary() const {
    return m_summary->text();
}

QString ScoreDialog::problem() const {
    return m_problem->text();
}

}  // namespace dailies::ui
