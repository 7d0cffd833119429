#include "ui/cluster/queue_panel.h"

#include "core/base/text.h"
#include "ui/cluster/snapshot_table.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QButtonGroup>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {

namespace slurm = remote::slurm;

constexpr int kSearchWidth = 260;

/// "n1: 1.9 of 2 CPUs, 1.2 GiB; GPU 0 93 %, 68.4 of 79.6 GiB, 640 W, 61 °C"
QString useText(const std::vector<slurm::NodeUsage>& nodes) {
    QStringList lines;
    for (const slurm::NodeUsage& node : nodes) {
        QString line = QObject::tr("%1: %2 of %3 CPUs busy, %4 of memory")
                           .arg(sanitized(node.node))
                           .arg(node.cpus, 0, 'f', 1)
                           .arg(node.cpusGiven)
                           .arg(bytesText(node.memory << 20));
        for (const slurm::GpuUsage& gpu : node.gpus) {
            line += QObject::tr("; GPU %1: %2 % busy, %3 of %4, %5 W, %6 °C")
                        .arg(gpu.index)
                        .arg(gpu.busy * 100, 0, 'f', 0)
                        .arg(bytesText(gpu.memoryUsed << 20), bytesText(gpu.memoryTotal << 20))
                        .arg(gpu.watts, 0, 'f', 0)
                        .arg(gpu.celsius, 0, 'f', 0);
        }
        lines << line;
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

QueuePanel::QueuePanel(ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_worker(worker),
      m_table(new SnapshotTable(queueColumns(), tr("Queue"), static_cast<int>(queueColumns().size()) - 1)),
      m_none(makeLabel({}, TextStyle::Body, TextTone::Faint)) {
    m_none->setContentsMargins(space::k16, space::k16, space::k16, space::k16);
    auto* column = makeColumn(0);
    column->addWidget(makeBar());
    column->addWidget(m_none);
    column->addWidget(m_table, 1);
    column->addWidget(makeDetails());
    setLayout(column);

    connect(m_table, &SnapshotTable::chosen, this, [this] {
        m_measured.clear();
        m_use->clear();
        showDetails();
    });
    connect(m_table, &SnapshotTable::activatedKey, this, &QueuePanel::openRun);
    connect(m_table, &SnapshotTable::folded, this, [this](const QString& key) {
        if (!m_choice.open.erase(key)) {
            m_choice.open.insert(key);
        }
        refresh();
    });
    connect(&m_worker, &ClusterWorker::usageMeasured, this,
            [this](const std::string& job, const std::vector<slurm::NodeUsage>& nodes) {
                if (QString::fromStdString(job) == m_measured) {
                    m_use->setText(useText(nodes));
                }
            });
    connect(&m_worker, &ClusterWorker::usageUnavailable, this,
            [this](const std::string& job, const QString& why) {
                if (QString::fromStdString(job) == m_measured) {
                    m_use->setText(why);
                }
            });
    showDetails();
}

QWidget* QueuePanel::makeBar() {
    auto* bar = new QWidget;
    auto* row = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    m_mine = makeButton(tr("Mine"), ButtonKind::Ghost);
    m_everybody = makeButton(tr("All users"), ButtonKind::Ghost);
    auto* group = new QButtonGroup(this);
    for (auto* button : {m_mine, m_everybody}) {
        button->setCheckable(true);
        group->addButton(button);
        row->addWidget(button);
    }
    m_mine->setChecked(true);
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search jobs (Ctrl+F)"));
    m_search->setAccessibleName(tr("Search jobs"));
    m_search->setClearButtonEnabled(true);
    m_search->setFixedWidth(kSearchWidth);
    m_count = makeLabel({}, TextStyle::Body, TextTone::Muted);
    row->addWidget(m_search);
    row->addWidget(m_count);
    row->addStretch();
    bar->setLayout(row);
    connect(m_everybody, &QPushButton::toggled, this, [this](bool everybody) {
        m_choice.everybody = everybody;
        refresh();
    });
    connect(m_search, &QLineEdit::textChanged, this,
            [this](const QString& words) { m_table->facts().setSearch(words); });
    return bar;
}

QWidget* QueuePanel::makeDetails() {
    m_details = new QWidget;
    auto* column = makeColumn(0);
    column->addWidget(makeLine());
    auto* row = makeRow(space::k8, {space::k16, space::k12, space::k16, space::k12});
    auto* words = makeColumn(space::k4);
    m_title = new ElidedLabel(TextStyle::Strong);
    m_why = new ElidedLabel(TextStyle::Body);
    m_facts = new ElidedLabel(TextStyle::Body, TextTone::Muted);
    m_use = makeLabel({}, TextStyle::Mono, TextTone::Muted);
    m_use->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_use->setWordWrap(true);
    for (auto* label : {m_title, m_why, m_facts}) {
        words->addWidget(label);
    }
    words->addWidget(m_use);
    row->addLayout(words, 1);
    m_open = makeButton(tr("Open run"), ButtonKind::Normal, QStringLiteral("open"));
    m_measure = makeButton(tr("Measure usage"));
    m_measure->setToolTip(tr("Sample its CPU, memory, and GPU usage for one second"));
    m_hold = makeButton(tr("Hold"));
    m_hold->setToolTip(tr("Hold the job until you release it"));
    m_release = makeButton(tr("Release"));
    m_cancel = makeButton(tr("Cancel…"), ButtonKind::Danger);
    for (auto* button : {m_open, m_measure, m_hold, m_release, m_cancel}) {
        row->addWidget(button, 0, Qt::AlignTop);
    }
    column->addLayout(row);
    m_details->setLayout(column);

    const auto change = [this](ClusterWorker::JobChange what) {
        std::vector<std::string> jobs;
        if (const QString key = m_table->currentKey(); !key.isEmpty()) {
            jobs.push_back(key.section(QStringLiteral("_["), 0, 0).toStdString());
        }
        m_worker.changeJobs(what, jobs);
    };
    connect(m_open, &QPushButton::clicked, this, [this] { openRun(m_table->currentKey()); });
    connect(m_measure, &QPushButton::clicked, this, [this] {
        const auto jobs = chosenJobs();
        const auto running = std::ranges::find_if(
            jobs, [](const slurm::QueuedJob* job) { return job->status.state == "RUNNING"; });
        if (running == jobs.end()) {
            return;
        }
        m_measured = QString::fromStdString((*running)->status.job);
        m_use->setText(tr("Measuring %1…").arg(m_measured));
        m_worker.measureUsage((*running)->status.job);
    });
    connect(m_hold, &QPushButton::clicked, this, [change] { change(ClusterWorker::JobChange::Hold); });
    connect(m_release, &QPushButton::clicked, this, [change] { change(ClusterWorker::JobChange::Release); });
    connect(m_cancel, &QPushButton::clicked, this, &QueuePanel::cancelChosen);
    return m_details;
}

void QueuePanel::display(std::shared_ptr<const remote::ClusterView> view, bool live) {
    m_view = std::move(view);
    m_live = live;
    refresh();
}

void QueuePanel::setRuns(RunsByJob runs) {
    if (runs == m_runs) {
        return;
    }
    m_runs = std::move(runs);
    refresh();
}

void QueuePanel::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

void QueuePanel::refresh() {
    m_table->setColumnHidden(kQueueUserColumn, !m_choice.everybody);
    if (!m_view) {
        m_table->facts().setRows({});
        return;
    }
    m_table->facts().setRows(queueRows(*m_view, m_choice, m_runs));
    int jobs = 0, waiting = 0;
    for (const slurm::QueuedJob& job : m_view->snapshot.jobs) {
        if (!m_choice.everybody && job.user != m_view->snapshot.user) {
            continue;
        }
        jobs += job.tasks;
        waiting += job.status.state == "PENDING" ? job.tasks : 0;
    }
    m_count->setText(jobs == 0   ? QString()
                     : jobs == 1 ? (waiting == 1 ? tr("1 job, pending") : tr("1 job"))
                                 : tr("%1 jobs, %2 pending").arg(jobs).arg(waiting));
    m_none->setVisible(jobs == 0);
    m_none->setText(m_choice.everybody ? tr("The queue is empty. New jobs start right away.")
                                       : tr("You have no pending or running jobs here."));
    showDetails();
}

std::vector<const slurm::QueuedJob*> QueuePanel::chosenJobs() const {
    std::vector<const slurm::QueuedJob*> chosen;
    const std::string key = m_table->currentKey().toStdString();
    if (!m_view || key.empty()) {
        return chosen;
    }
    for (const slurm::QueuedJob& job : m_view->snapshot.jobs) {
        if (job.status.job == key || job.status.job.starts_with(key + "_")) {
            chosen.push_back(&job);
        }
    }
    return chosen;
}

std::string QueuePanel::runOf(const QString& key) const {
    const auto run = m_runs.find(key.toStdString());
    return run == m_runs.end() ? std::string() : run->second.runId;
}

void QueuePanel::openRun(const QString& key) {
    if (const std::string run = runOf(key); !run.empty()) {
        emit openRunRequested(run);
        return;
    }
    const int row = m_table->facts().rowOf(key);
    if (row >= 0 && m_table->facts().rowAt(row).open) {
        emit m_table->folded(key);
    }
}

void QueuePanel::showDetails() {
    const auto jobs = chosenJobs();
    m_details->setVisible(!jobs.empty());
    if (jobs.empty()) {
        return;
    }
    const slurm::QueuedJob& job = *jobs.front();
    const QString key = m_table->currentKey();
    const auto any = [&](auto test) {
        return std::ranges::any_of(jobs, [&](const slurm::QueuedJob* one) { return test(*one); });
    };
    const auto waits = [](const slurm::QueuedJob& one) { return one.status.state == "PENDING"; };
    const auto held = [](const slurm::QueuedJob& one) { return one.status.reason.starts_with("JobHeld"); };
    const bool ours = m_live && job.user == m_view->snapshot.user;

    QStringList title{key, sanitized(job.name)};
    for (const std::string& word : {job.user, job.partition, job.account, job.qos}) {
        if (!word.empty()) {
            title << sanitized(word);
        }
    }
    m_title->setFullText(title.join(QStringLiteral("  ·  ")));
    m_why->setFullText(sanitized(slurm::explain(job.status)));
    const auto counted = [](int count, const QString& one, const QString& several) {
        return count == 1 ? one : several.arg(count);
    };
    QStringList given{counted(job.nodes, tr("1 node"), tr("%1 nodes")),
                      counted(job.cpus, tr("1 CPU"), tr("%1 CPUs"))};
    if (job.gpus > 0) given << counted(job.gpus, tr("1 GPU"), tr("%1 GPUs"));
    if (job.memory > 0) given << bytesText(job.memory << 20);
    QStringList facts{given.join(QStringLiteral(", ")) +
                      (jobs.size() > 1 || job.tasks > 1 ? tr(" per task") : QString())};
    if (job.status.submitTime > 0) {
        facts << tr("submitted %1").arg(timeText(job.status.submitTime * 1000));
    }
    if (job.status.startTime > 0) {
        facts << tr("started %1").arg(timeText(job.status.startTime * 1000));
        if (job.timeLimit > 0) {
            facts << tr("limit at %1").arg(timeText((job.status.startTime + job.timeLimit) * 1000));
        }
    }
    if (job.expectedStart > 0) {
        facts << tr("expected at %1").arg(timeText(job.expectedStart * 1000));
    }
    if (job.status.restarts > 0) {
        facts << counted(static_cast<int>(job.status.restarts), tr("restarted once"),
                         tr("restarted %1 times"));
    }
    m_facts->setFullText(facts.join(QStringLiteral("  ·  ")));
    m_use->setVisible(!m_measured.isEmpty());

    m_open->setVisible(!runOf(key).empty());
    m_measure->setVisible(ours &&
                          any([](const slurm::QueuedJob& one) { return one.status.state == "RUNNING"; }));
    m_hold->setVisible(ours && any([&](const slurm::QueuedJob& one) { return waits(one) && !held(one); }));
    m_release->setVisible(ours && any([&](const slurm::QueuedJob& one) { return waits(one) && held(one); }));
    m_cancel->setVisible(ours);
}

void QueuePanel::cancelChosen() {
    const auto jobs = chosenJobs();
    if (jobs.empty() || !m_cancel->isVisible()) {
        return;
    }
    int tasks = 0;
    std::vector<std::string> runs;
    for (const slurm::QueuedJob* job : jobs) {
        tasks += job->tasks;
    }
    const QString key = m_table->currentKey();
    if (const std::string run = runOf(key); !run.empty()) {
        runs.push_back(run);
    }
    auto* box = new QMessageBox(QMessageBox::Question, tr("Cancel jobs"),
                                tasks == 1 ? tr("Cancel job %1?").arg(key)
                                           : tr("Cancel job %1 and its %2 tasks?").arg(key).arg(tasks),
                                QMessageBox::NoButton, this);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->setInformativeText(tr("Work since the last checkpoint is lost."));
    auto* yes =
        box->addButton(tasks == 1 ? tr("Cancel job") : tr("Cancel jobs"), QMessageBox::DestructiveRole);
    box->addButton(tasks == 1 ? tr("Keep it") : tr("Keep them"), QMessageBox::RejectRole);
    connect(box, &QMessageBox::buttonClicked, this, [this, yes, key, runs](QAbstractButton* button) {
        if (button != yes) {
            return;
        }
        if (!runs.empty()) {
            m_worker.cancelRuns(runs);  // the run's row says so, too
        } else {
            m_worker.changeJobs(ClusterWorker::JobChange::Cancel,
                                {key.section(QStringLiteral("_["), 0, 0).toStdString()});
        }
    });
    box->open();
}

}  // namespace dailies::ui
