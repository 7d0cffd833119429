#include "ui/cluster/adopt_panel.h"

#include "ui/cluster/snapshot_table.h"
#include "ui/link/cluster_worker.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace dailies::ui {

namespace {

std::vector<SnapshotModel::Column> sweepColumns() {
    return {{QObject::tr("Launched"), 150},
            {QObject::tr("Sweep"), 220},
            {QObject::tr("Runs"), 80, true},
            {QObject::tr("Names"), 300}};
}

SnapshotRow rowOf(const remote::UntrackedSweep& sweep) {
    QStringList names;
    for (const auto& run : sweep.runs) names << sanitized(run.name);
    const auto count = static_cast<double>(sweep.runs.size());
    SnapshotRow row;
    row.key = QString::fromStdString(sweep.id);
    row.cells = {{timeText(sweep.createdMs), static_cast<double>(sweep.createdMs), StatusTone::Muted},
                 {sanitized(sweep.name)},
                 {QString::number(sweep.runs.size()), count},
                 {names.join(QStringLiteral(", ")), 0, StatusTone::Muted}};
    return row;
}

}  // namespace

AdoptPanel::AdoptPanel(ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_worker(worker),
      m_table(new SnapshotTable(sweepColumns(), tr("Sweeps of other databases"),
                                static_cast<int>(sweepColumns().size()) - 1)),
      m_text(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_adopt(makeButton(tr("Adopt"), ButtonKind::Primary)),
      m_adoptAll(makeButton(tr("Adopt all"))),
      m_look(makeButton(tr("Refresh"), ButtonKind::Ghost)) {
    m_text->setWordWrap(true);
    m_adopt->setToolTip(tr("Add the chosen sweep's runs to this database and follow them"));
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(m_text, 1);
    for (auto* button : {m_look, m_adoptAll, m_adopt}) bar->addWidget(button, 0, Qt::AlignTop);
    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(m_table, 1);
    column->addStretch();
    setLayout(column);
    connect(m_look, &QPushButton::clicked, this, &AdoptPanel::checkNow);
    connect(m_adopt, &QPushButton::clicked, this, [this] { adopt(false); });
    connect(m_adoptAll, &QPushButton::clicked, this, [this] { adopt(true); });
    connect(m_table, &SnapshotTable::chosen, this, &AdoptPanel::refresh);
    connect(&m_worker, &ClusterWorker::untrackedFound, this, &AdoptPanel::display);
    connect(&m_worker, &ClusterWorker::failed, this, [this] {
        m_looking = false;
        refresh();
    });
    connect(&m_worker, &ClusterWorker::stateChanged, this, [this](ConnectionState state) {
        m_looking = false;
        if (state == ConnectionState::Offline) {
            m_sweeps.clear();
            m_table->facts().setRows({});
            m_looked = false;
        } else if (state == ConnectionState::Connected && isVisible()) {
            checkNow();
        }
        refresh();
    });
    refresh();
}

void AdoptPanel::checkNow() {
    if (!m_worker.connectedTo().empty()) {
        m_looking = true;
        m_worker.findUntracked();
    }
    refresh();
}

void AdoptPanel::display(std::vector<remote::UntrackedSweep> sweeps) {
    m_looking = false;
    m_looked = true;
    m_sweeps = std::move(sweeps);
    std::vector<SnapshotRow> rows;
    for (const auto& sweep : m_sweeps) rows.push_back(rowOf(sweep));
    m_table->facts().setRows(std::move(rows));
    refresh();
}

void AdoptPanel::adopt(bool all) {
    const auto key = m_table->currentKey().toStdString();
    auto chosen = m_sweeps;
    if (!all) std::erase_if(chosen, [&](const auto& sweep) { return sweep.id != key; });
    if (chosen.empty()) return;
    m_looking = true;
    m_worker.adopt(chosen);
    refresh();
}

void AdoptPanel::refresh() {
    const bool connected = !m_worker.connectedTo().empty();
    m_text->setText(
        !connected  ? tr("Connect to see sweeps in the workspace that another database launched.")
        : m_looking ? tr("Looking through the workspace…")
        : !m_looked ? QString()
        : m_sweeps.empty()
            ? tr("All sweeps in this workspace are already in this database.")
            : tr("Launched into the same workspace from another computer or database. Adopted runs are "
                 "followed here like your own; nothing on the cluster changes."));
    const bool ready = connected && !m_looking;
    // A disabled button would hand the focus on to whatever comes next in the window.
    for (auto* button : {m_look, m_adopt, m_adoptAll})
        if (!ready && button->hasFocus()) setFocus();
    const QString why = !connected ? tr("Connect to a cluster first")
                        : ready    ? QString()
                                   : tr("It is looking through the workspace");
    const auto gate = [&](QPushButton* button, bool any, const QString& none) {
        setAvailable(*button, !why.isEmpty() ? why : any ? QString() : none);
    };
    gate(m_look, true, {});
    gate(m_adopt, !m_table->currentKey().isEmpty(), tr("Choose a sweep first"));
    gate(m_adoptAll, !m_sweeps.empty(), tr("No sweep to adopt"));
    m_table->setVisible(!m_sweeps.empty());
}

}  // namespace dailies::ui
