#include "ui/scoring/score_dialog.h"

#include "core/config/scoring_job.h"
#include "remote/launch/source_runs.h"
#include "remote/service/scoring_service.h"
#include "ui/bridge/read_store.h"
#include "ui/widgets/choose_path.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLineEdit>
#include <QSpinBox>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kScoreWidth = 560;

}  // namespace

ScoreDialog::ScoreDialog(ClusterWorker& worker, std::vector<std::string> runIds, QWidget* parent)
    : JobDialog(worker, tr("Score"), tr("The clips are on %1; connect to it to score them."), parent),
      m_file(new QLineEdit),
      m_name(new QLineEdit),
      m_reference(new QLineEdit),
      m_parallel(new QSpinBox),
      m_timeLimit(new QLineEdit),
      m_summary(makeLabel({}, TextStyle::Body)),
      m_problem(makeLabel({}, TextStyle::Body, TextTone::Danger)) {
    setWindowTitle(tr("Score clips"));
    setFixedWidth(kScoreWidth);
    auto* column = makeColumn(0);
    column->addWidget(makeForm(), 1);
    column->addWidget(makeLine());
    column->addWidget(makeFooter());
    setLayout(column);

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
    const auto add = [&](const QString& name, QWidget* field, const QString& tip) {
        return addField(*grid, name, field, tip);
    };
    m_file->setPlaceholderText(tr("aesthetic.pt"));
    const int fileRow =
        add(tr("Scorer"), m_file,
            tr("A file that torch.jit.save wrote: forward(frames: uint8 [T, 3, H, W]) or forward(frames, "
               "caption: "
               "str) gives a number or a Dict[str, Tensor]"));
    auto* open = makeButton(tr("Open…"), ButtonKind::Normal, QStringLiteral("folder"));
    open->setToolTip(tr("Choose the scorer's file"));
    grid->addWidget(open, fileRow, 2);
    m_name->setPlaceholderText(tr("same as the file"));
    add(tr("Name"), m_name, tr("The metric is score/NAME"));
    m_reference->setPlaceholderText(tr("none"));
    add(tr("Reference"), m_reference,
        tr("A folder of videos on the cluster. Where the scorer has a method features, the Fréchet distance "
           "of "
           "each step's clips to them is score/NAME/frechet"));
    m_parallel->setRange(1, 10'000);
    add(tr("Jobs at once"), m_parallel, tr("How many of the jobs may run at the same time"));
    add(tr("Time limit"), m_timeLimit,
        tr("Per job, such as 0:20:00; a job that reaches it is continued by another"));
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
        schedulePlan();
    });
    for (auto* edit : {m_name, m_reference, m_timeLimit})
        connect(edit, &QLineEdit::textChanged, this, &ScoreDialog::schedulePlan);
    connect(m_parallel, &QSpinBox::valueChanged, this, &ScoreDialog::schedulePlan);
    return form;
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
            known.resources = remote::singleProcessResources(store, known.runIds);
            return known;
        },
        [this](const Known& known) {
            m_loaded = true;
            m_known = known;
            m_cluster = known.cluster;
            m_parallel->setValue(known.resources.parallelRuns);
            m_timeLimit->setText(QString::fromStdString(known.resources.timeLimit));
            m_file->setFocus();
            plan();
        },
        [this](const Error& error) { emit failed(error); });
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
        [wanted, profile = m_worker.profileFor(m_cluster)](const tracking::Store& store,
                                                           const std::stop_token& stop) {
            const auto plan = remote::previewScoring(store, wanted, profile);
            if (const auto nothing = remote::nothingToScore(store, wanted, stop))
                return Preview{{}, sanitized(*nothing)};
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
    const bool valid = !preview.summary.isEmpty();
    m_summary->setText(preview.summary);
    m_summary->setVisible(valid);
    m_problem->setText(preview.problem);
    m_problem->setVisible(!preview.problem.isEmpty());
    setValid(valid);
}

void ScoreDialog::chooseFile() {
    ui::chooseFile(*this, tr("Open a scorer"), tr("TorchScript modules (*.pt *.pth *.ts);;All files (*)"),
                   [this](const QString& file) { m_file->setText(file); });
}

void ScoreDialog::submit() {
    m_worker.score(request());
}

QString ScoreDialog::summary() const {
    return m_summary->text();
}

QString ScoreDialog::problem() const {
    return m_problem->text();
}

}  // namespace dailies::ui
