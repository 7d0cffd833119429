#include "ui/cluster/cluster_page.h"

#include "ui/bridge/read_store.h"
#include "ui/cluster/sandbox_control.h"
#include "ui/runs/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QHeaderView>
#include <QScrollArea>
#include <QStackedWidget>
#include <QTableWidget>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kIdRole = Qt::UserRole;

QTableWidget* makeTable(const QStringList& headings, const QString& name) {
    auto* table = new QTableWidget(0, static_cast<int>(headings.size()));
    table->setHorizontalHeaderLabels(headings);
    makeRowList(*table, name);
    table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return table;
}

void fill(QTableWidget* table, const std::vector<QStringList>& rows) {
    table->setRowCount(static_cast<int>(rows.size()));
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (int column = 0; column < rows[row].size(); ++column) {
            auto* item = new QTableWidgetItem(rows[row][column]);
            item->setToolTip(rows[row][column]);
            table->setItem(static_cast<int>(row), column, item);
        }
    }
    table->resizeColumnsToContents();
    for (int column = 0; column < table->columnCount(); ++column) {
        table->setColumnWidth(column, std::clamp(table->columnWidth(column) + space::k24, 96, 320));
    }
}

}  // namespace

ClusterPage::ClusterPage(std::filesystem::path storeFile, ClusterWorker& worker, SandboxControl& sandbox,
                         QWidget* parent)
    : QWidget(parent), m_storeFile(std::move(storeFile)), m_worker(worker), m_sandbox(sandbox) {
    setObjectName(QStringLiteral("page"));
    auto* content = new QWidget;
    content->setProperty("clear", true);
    auto* body = makeColumn(space::k16, {space::k16, space::k16, space::k16, space::k16});

    m_empty = new EmptyState(
        QStringLiteral("server-off"), tr("Not connected"),
        tr("Connect to a login node to launch sweeps and follow runs, or start the sandbox: a real "
           "Slurm on this machine, gone without a trace when you stop it."));
    connect(m_empty->addAction(tr("Connect…"), ButtonKind::Primary), &QPushButton::clicked, this,
            &ClusterPage::connectRequested);
    m_stack = new QStackedWidget;
    m_stack->addWidget(m_empty);
    m_stack->addWidget(makeFacts());
    body->addWidget(m_stack, 1);
    body->addWidget(makeSandboxCard());
    content->setLayout(body);
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* column = makeColumn(0);
    column->addWidget(makeHeader());
    column->addWidget(scroll, 1);
    setLayout(column);

    connect(&m_worker, &ClusterWorker::stateChanged, this, &ClusterPage::showLink);
    connect(&m_worker, &ClusterWorker::runsChanged, this, &ClusterPage::readJobs);
    connect(&m_sandbox, &SandboxControl::changed, this, &ClusterPage::showSandbox);
    connect(&m_sandbox, &SandboxControl::progress, m_sandboxState, &QLabel::setText);
    showLink();
    showSandbox();
    connect(&m_worker, &ClusterWorker::storeOpened, this, &ClusterPage::readJobs);
}

QWidget* ClusterPage::makeHeader() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    m_title = makeLabel(tr("Cluster"), TextStyle::Display);
    m_subtitle = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_disconnect = makeButton(tr("Disconnect"), ButtonKind::Ghost);
    m_connect = makeButton(tr("Connect…"), ButtonKind::Primary);
    row->addWidget(m_title);
    row->addWidget(m_subtitle);
    row->addStretch();
    row->addWidget(m_disconnect);
    row->addWidget(m_connect);
    bar->setLayout(row);
    connect(m_connect, &QPushButton::clicked, this, &ClusterPage::connectRequested);
    connect(m_disconnect, &QPushButton::clicked, &m_worker, &ClusterWorker::goOffline);
    return bar;
}

QWidget* ClusterPage::makeFacts() {
    auto* page = new QWidget;
    auto* column = makeColumn(space::k16);

    auto* facts = makeCard();
    auto* grid = new QGridLayout(facts);
    grid->setContentsMargins(space::k16, space::k16, space::k16, space::k16);
    grid->setHorizontalSpacing(space::k32);
    grid->setVerticalSpacing(space::k4);
    const auto fact = [&](const QString& name) {
        const int at = grid->columnCount();
        auto* value = new ElidedLabel(TextStyle::Strong);
        grid->addWidget(makeLabel(name, TextStyle::Caption, TextTone::Muted), 0, at);
        grid->addWidget(value, 1, at);
        return value;
    };
    m_host = fact(tr("Login node"));
    m_version = fact(tr("Slurm"));
    m_accounting = fact(tr("Accounting"));
    m_workspace = fact(tr("Workspace"));
    grid->setColumnStretch(grid->columnCount() - 1, 1);
    column->addWidget(facts);

    const auto card = [&](const QString& title, QWidget* table, int stretch) {
        auto* frame = makeCard();
        auto* inside = makeColumn(space::k8, {1, space::k12, 1, space::k8});
        auto* heading = makeLabel(title, TextStyle::Strong);
        heading->setContentsMargins(space::k16, 0, 0, 0);
        inside->addWidget(heading);
        inside->addWidget(table);
        frame->setLayout(inside);
        column->addWidget(frame, stretch);
        return inside;
    };
    m_partitions = makeTable(
        {tr("Partition"), tr("State"), tr("Nodes"), tr("CPUs a node"), tr("GPUs"), tr("Time limit")},
        tr("Partitions"));
    m_partitions->setMinimumHeight(4 * kRowHeight);
    card(tr("Partitions"), m_partitions, 1);
    m_jobs = makeTable({tr("Run"), tr("Sweep"), tr("Job"), tr("State"), tr("Reason")}, tr("Our jobs"));
    m_jobs->setMinimumHeight(4 * kRowHeight);
    auto* jobs = card(tr("Our jobs"), m_jobs, 2);
    m_noJobs = makeLabel(tr("None of our runs waits or runs here now."), TextStyle::Body, TextTone::Faint);
    m_noJobs->setContentsMargins(space::k16, 0, space::k16, space::k8);
    jobs->addWidget(m_noJobs);
    connect(m_jobs, &QTableWidget::itemActivated, this, [this](QTableWidgetItem* item) {
        emit runChosen(m_jobs->item(item->row(), 0)->data(kIdRole).toString().toStdString());
    });
    page->setLayout(column);
    return page;
}

QWidget* ClusterPage::makeSandboxCard() {
    auto* card = makeCard();
    auto* row = makeRow(space::k16, {space::k16, space::k16, space::k16, space::k16});
    auto* words = makeColumn(space::k4);
    words->addWidget(makeLabel(tr("Sandbox cluster"), TextStyle::Strong));
    m_sandboxState = makeLabel({}, TextStyle::Body, TextTone::Muted);
    m_sandboxState->setWordWrap(true);
    words->addWidget(m_sandboxState);
    row->addLayout(words, 1);
    m_sandboxSwitch = makeButton({});
    row->addWidget(m_sandboxSwitch);
    card->setLayout(row);
    connect(m_sandboxSwitch, &QPushButton::clicked, this, [this] {
        if (m_sandbox.running()) {
            m_sandbox.stop();
        } else {
            m_sandbox.start();
        }
    });
    return card;
}

void ClusterPage::showLink() {
    const auto& info = m_worker.info();
    const QString name = QString::fromStdString(m_worker.clusterName());
    const LinkState state = m_worker.state();
    m_stack->setCurrentIndex(info ? 1 : 0);
    m_subtitle->setText(info ? name : QString());
    m_disconnect->setVisible(state != LinkState::Offline);
    m_connect->setText(info ? tr("Change…") : tr("Connect…"));
    m_connect->setVisible(info.has_value());
    if (state == LinkState::Reconnecting) {
        m_empty->setTexts(tr("Reconnecting to %1").arg(name),
                          tr("The connection was lost. Dailies tries again by itself; nothing that the runs "
                             "write is lost."));
    } else if (state == LinkState::Connecting) {
        m_empty->setTexts(tr("Connecting to %1").arg(name), tr("This takes a few seconds."));
    } else {
        m_empty->setTexts(tr("Not connected"), tr("Connect to a login node to launch sweeps and follow runs, "
                                                  "or start the sandbox: a real Slurm on "
                                                  "this machine, gone without a trace when you stop it."));
    }
    if (!info) {
        return;
    }
    const auto& profile = info->profile;
    m_host->setFullText(inert(profile.user.empty() ? profile.host : profile.user + "@" + profile.host));
    m_version->setFullText(inert(info->facts.version));
    m_accounting->setFullText(info->facts.accounting ? tr("yes") : tr("no (states come from the queue)"));
    m_workspace->setFullText(inert(info->workspace));
    std::vector<QStringList> rows;
    for (const auto& partition : info->facts.partitions) {
        rows.push_back({inert(partition.name) + (partition.isDefault ? tr(" (default)") : QString()),
                        partition.up ? tr("up") : tr("down"), QString::number(partition.nodes),
                        QString::number(partition.cpusPerNode),
                        partition.gres.empty() ? QStringLiteral("—") : inert(partition.gres),
                        inert(partition.timeLimit)});
    }
    fill(m_partitions, rows);
    readJobs();
}

void ClusterPage::showSandbox() {
    m_sandboxSwitch->setEnabled(!m_sandbox.busy());
    m_sandboxSwitch->setText(m_sandbox.running() ? tr("Stop") : tr("Start and connect"));
    if (m_sandbox.busy()) {
        m_sandboxState->setText(tr("Working…"));
    } else {
        m_sandboxState->setText(m_sandbox.running()
                                    ? tr("Running on this machine. Stopping it ends its jobs.")
                                    : tr("A real Slurm and SSH server on this machine, for trying things out "
                                         "without a cluster."));
    }
}

void ClusterPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    readJobs();
}

void ClusterPage::readJobs() {
    if (!isVisible()) {
        return;  // runs change every second while nobody looks
    }
    if (m_reading) {
        m_readAgain = true;
        return;
    }
    m_reading = true;
    const auto done = [this] {
        m_reading = false;
        if (m_readAgain) {
            m_readAgain = false;
            readJobs();
        }
    };
    readStore(
        this, m_storeFile,
        [cluster = m_worker.clusterName()](const tracking::Store& store, std::stop_token) {
            auto runs = store.activeRuns();
            std::erase_if(
                runs, [&](const auto& run) { return tagOf(run, tracking::tag::kCluster) != cluster; });
            return runs;
        },
        [this, done](const std::vector<tracking::Run>& runs) {
            showJobs(runs);
            done();
        },
        [this, done](const Error& error) {
            emit failed(error);
            done();
        });
}

void ClusterPage::showJobs(const std::vector<tracking::Run>& runs) {
    std::vector<QStringList> rows;
    for (const auto& run : runs) {
        const auto tag = [&](const char* key) { return inert(tagOf(run, key)); };
        rows.push_back({inert(run.name), tag(tracking::tag::kSweepName), tag(tracking::tag::kJob),
                        tag(tracking::tag::kSlurmState), reasonText(run)});
    }
    fill(m_jobs, rows);
    for (std::size_t row = 0; row < runs.size(); ++row) {
        m_jobs->item(static_cast<int>(row), 0)->setData(kIdRole, QString::fromStdString(runs[row].id));
    }
    m_noJobs->setVisible(runs.empty());
}

}  // namespace dailies::ui
