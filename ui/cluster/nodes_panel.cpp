#include "ui/cluster/nodes_panel.h"

#include "ui/cluster/snapshot_table.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

namespace slurm = remote::slurm;

constexpr int kNodeSearchWidth = 220;
constexpr int kMaxGridHeight = 124;  ///< of the squares; more are scrolled to

}  // namespace

NodesPanel::NodesPanel(QWidget* parent)
    : QWidget(parent),
      m_squares(new QScrollArea),
      m_grid(new NodeGrid),
      m_table(new SnapshotTable(nodeColumns(), tr("Nodes"), static_cast<int>(nodeColumns().size()) - 1)),
      m_jobs(new ElidedLabel(TextStyle::Body, TextTone::Muted)) {
    auto* squares = new QWidget;
    squares->setProperty("clear", true);
    auto* inside = makeColumn(0, {space::k16, space::k4, space::k16, space::k8});
    inside->addWidget(m_grid);
    inside->addStretch();
    squares->setLayout(inside);
    m_squares->setWidget(squares);
    m_squares->setWidgetResizable(true);
    m_squares->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_squares->setFocusPolicy(Qt::NoFocus);
    m_jobs->setContentsMargins(space::k16, space::k8, space::k16, space::k8);
    m_jobs->setMinimumHeight(kRowHeight);
    auto* column = makeColumn(0);
    column->addWidget(makeBar());
    column->addWidget(m_squares);
    column->addWidget(makeLine());
    column->addWidget(m_table, 1);
    column->addWidget(m_jobs);
    setLayout(column);
    m_jobs->hide();
    connect(m_grid, &NodeGrid::chosen, m_table, &SnapshotTable::choose);
    connect(m_table, &SnapshotTable::chosen, this, [this](const QString& name) {
        m_grid->choose(name);
        showJobs();
    });
}

QWidget* NodesPanel::makeBar() {
    auto* bar = new QWidget;
    auto* row = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    m_search = new QLineEdit;
    m_search->setPlaceholderText(tr("Search nodes (Ctrl+F)"));
    m_search->setAccessibleName(tr("Search nodes"));
    m_search->setClearButtonEnabled(true);
    m_search->setFixedWidth(kNodeSearchWidth);
    m_chips = makeRow(space::k4);
    row->addWidget(m_search);
    row->addLayout(m_chips);
    row->addStretch();
    bar->setLayout(row);
    connect(m_search, &QLineEdit::textChanged, this,
            [this](const QString& words) { m_table->facts().setSearch(words); });
    for (int i = 0; i < slurm::kNodeConditions; ++i) {
        const auto condition = static_cast<slurm::NodeCondition>(i);
        auto* chip = makeButton({}, ButtonKind::Ghost);
        chip->setCheckable(true);
        chip->setToolTip(tr("Show only these nodes"));
        chip->hide();
        m_chips->addWidget(chip);
        m_chipOf.emplace_back(condition, chip);
        connect(chip, &QPushButton::toggled, this, [this, condition](bool on) {
            on ? void(m_filter.insert(condition)) : void(m_filter.erase(condition));
            refresh();
        });
    }
    return bar;
}

void NodesPanel::display(std::shared_ptr<const remote::ClusterView> view) {
    m_view = std::move(view);
    refresh();
}

void NodesPanel::focusSearch() {
    m_search->setFocus();
    m_search->selectAll();
}

void NodesPanel::refresh() {
    if (!m_view) {
        m_grid->setSquares({});
        m_table->facts().setRows({});
        return;
    }
    showChips();
    m_grid->setSquares(nodeSquares(*m_view, m_filter));
    fitSquares();
    m_table->facts().setRows(nodeRows(*m_view, m_filter));
    showJobs();
}

/// As many lines as there are, up to a limit: the list below is what one reads.
void NodesPanel::fitSquares() {
    const int needed = m_grid->heightForWidth(m_squares->width() - 2 * space::k16 - space::k12);
    m_squares->setFixedHeight(std::min(needed + space::k12, kMaxGridHeight));
}

void NodesPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitSquares();
}

void NodesPanel::showChips() {
    std::array<int, slurm::kNodeConditions> counts{};
    for (const slurm::Node& node : m_view->snapshot.nodes) {
        ++counts[static_cast<std::size_t>(node.condition)];
    }
    for (auto& [condition, chip] : m_chipOf) {
        const int count = counts[static_cast<std::size_t>(condition)];
        chip->setVisible(count > 0 || chip->isChecked());
        chip->setText(QStringLiteral("%1 %2").arg(displayName(condition)).arg(count));
    }
}

void NodesPanel::showJobs() {
    const QString name = m_table->currentKey();
    m_jobs->setVisible(m_view && !name.isEmpty());
    if (!m_view || name.isEmpty()) {
        return;
    }
    QStringList jobs;
    if (const auto found = m_view->jobsOn.find(name.toStdString()); found != m_view->jobsOn.end()) {
        for (const std::size_t at : found->second) {
            const slurm::QueuedJob& job = m_view->snapshot.jobs[at];
            jobs << QStringLiteral("%1 %2 (%3)")
                        .arg(sanitized(job.status.job), sanitized(job.name), sanitized(job.user));
        }
    }
    m_jobs->setFullText(jobs.isEmpty() ? tr("%1: no jobs running").arg(name)
                                       : tr("%1: %2").arg(name, jobs.join(QStringLiteral("  ·  "))));
}

}  // namespace dailies::ui
