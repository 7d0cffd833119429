#include "ui/runs/runs_page.h"

#include "ui/bridge/read_store.h"
#include "ui/charts/chart_grid.h"
#include "ui/charts/chart_grid.h"
#include "ui/cluster/cluster_worker.h"
#include "ui/runs/detail_panel.h"
#include "ui/runs/run_delegate.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr std::size_t kMostCurves =
    200;  ///< a chart a millisecond a curve: more would be late, and nobody could tell them apart
constexpr int kWidestColumn = 264;
constexpr int kChartsDelayMs = 60;  ///< many selection changes (shift and arrow keys) make one redrawing

QToolButton* makeTextButton(const QString& text, const QString& iconName) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setIcon(icon(iconName));
    button->setIconSize({16, 16});
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setFixedHeight(kControlHeight);
    return button;
}

}  // namespace

RunsPage::RunsPage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_stack(new QStackedWidget),
      m_search(new QLineEdit),
      m_count(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_differs(makeTextButton(tr("Differs only"), QStringLiteral("filter"))),
      m_columnsButton(makeTextButton(tr("Columns"), QStringLiteral("columns"))),
      m_columnsMenu(new QMenu(this)),
      m_cancel(makeButton(tr("Cancel"), ButtonKind::Danger, QStringLiteral("stop"))),
      m_review(makeButton(tr("Review"), ButtonKind::Primary, QStringLiteral("review"))),
      m_table(new QTableView),
      m_charts(new ChartGrid(m_storeFile)),
      m_detail(new DetailPanel(m_storeFile, worker)),
      m_split(new QSplitter(Qt::Horizontal)),
      m_noMatch(new EmptyState(
          QStringLiteral("search"), tr("No run matches"),
          tr("Every word must occur in a run's name, sweep, status or a param such as lr=0.01."))) {
    setObjectName(QStringLiteral("page"));
    setUpTable();

    auto* tableArea = new QStackedWidget;
    tableArea->addWidget(m_table);
    tableArea->addWidget(m_noMatch);
    connect(m_noMatch->addAction(tr("Clear the filter"), ButtonKind::Normal), &QPushButton::clicked, m_search,
            &QLineEdit::clear);

    auto* vertical = new QSplitter(Qt::Vertical);
    vertical->addWidget(tableArea);
    vertical->addWidget(m_charts);
    vertical->setStretchFactor(0, 2);
    vertical->setStretchFactor(1, 3);
    vertical->setSizes({300, 460});
    vertical->setChildrenCollapsible(false);
    m_split->addWidget(vertical);
    m_split->addWidget(m_detail);
    m_split->setStretchFactor(0, 1);
    m_split->setStretchFactor(1, 0);
    m_split->setCollapsible(0, false);
    m_detail->hide();

    auto* content = new QWidget;
    auto* column = makeColumn(0);
    column->addWidget(makeToolbar());
    column->addWidget(m_split, 1);
    content->setLayout(column);

    auto* empty = new EmptyState(
        QStringLiteral("runs"), tr("No runs yet"),
        tr("Launch a sweep and its runs appear here: live status from Slurm, curves as they are "
           "logged, and clips to review."));
    connect(empty->addAction(tr("Launch a sweep"), ButtonKind::Primary), &QPushButton::clicked, this,
            &RunsPage::launchRequested);
    m_stack->addWidget(content);
    m_stack->addWidget(empty);
    m_stack->addWidget(new QWidget);  // until the store has been read, neither of them
    m_stack->setCurrentIndex(2);
    auto* all = makeColumn(0);
    all->addWidget(m_stack);
    setLayout(all);

    connect(m_search, &QLineEdit::textChanged, this, [this, tableArea](const QString& text) {
        m_filter.setText(text);
        tableArea->setCurrentIndex(m_filter.rowCount() == 0 ? 1 : 0);
        showCounts();
        m_chartsLater.start();
    });
    connect(m_differs, &QToolButton::toggled, &m_model, &RunTableModel::setDiffersOnly);
    connect(&m_model, &RunTableModel::columnsChanged, this, [this] {
        sizeColumns();
        rebuildColumnsMenu();
        selectRuns(m_selection);
    });
    connect(m_detail, &DetailPanel::closed, this, [this] {
        m_detailDismissed = true;
        m_detail->hide();
        m_table->setFocus();
    });
    connect(m_detail, &DetailPanel::failed, this, &RunsPage::failed);
    connect(m_charts, &ChartGrid::failed, this, &RunsPage::failed);
    connect(&m_worker, &ClusterWorker::runsChanged, this, &RunsPage::runsChanged);
    connect(&Theme::instance(), &Theme::changed, m_table->viewport(), qOverload<>(&QWidget::update));

    m_chartsLater.setSingleShot(true);
    m_chartsLater.setInterval(kChartsDelayMs);
    connect(&m_chartsLater, &QTimer::timeout, this, &RunsPage::updateCharts);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, &m_model, &RunTableModel::tick);
    m_clock.start();
    // Not before the worker has made the file: a reader would meet a database without tables.
    connect(&m_worker, &ClusterWorker::storeOpened, this, &RunsPage::read);
}

QWidget* RunsPage::makeToolbar() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k16, 0, space::k16, 0});
    row->addWidget(makeLabel(tr("Runs"), TextStyle::Display));
    row->addWidget(m_count);
    row->addSpacing(space::k8);
    m_search->setPlaceholderText(tr("Filter: name, status, lr=0.01 …"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(180);
    m_search->setMaximumWidth(320);
    m_search->setAccessibleName(tr("Filter the runs"));
    m_search->setToolTip(tr("Ctrl+F"));
    row->addWidget(m_search, 1);
    row->addStretch();
    m_differs->setCheckable(true);
    m_differs->setChecked(true);
    m_differs->setToolTip(tr("Show only params that are not the same in all runs"));
    row->addWidget(m_differs);
    m_columnsButton->setPopupMode(QToolButton::InstantPopup);
    m_columnsButton->setMenu(m_columnsMenu);
    m_columnsButton->setToolTip(tr("Which metrics have a column"));
    row->addWidget(m_columnsButton);
    m_cancel->hide();
    m_cancel->setToolTip(tr("Cancel the selected runs' jobs (Del)"));
    row->addWidget(m_cancel);
    m_review->setToolTip(tr("Watch the clips of the selected runs side by side (Ctrl+Enter)"));
    row->addWidget(m_review);
    bar->setLayout(row);

    connect(m_cancel, &QPushButton::clicked, this, [this] { m_worker.cancelRuns(selectedRuns()); });
    connect(m_review, &QPushButton::clicked, this, [this] { emit reviewRequested(chosenRuns()); });
    return bar;
}

void RunsPage::setUpTable() {
    m_filter.setSourceModel(&m_model);
    m_table->setModel(&m_filter);
    m_table->setItemDelegate(new RunDelegate(m_model, m_table));
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(-1, Qt::AscendingOrder);  // as the store gives them: newest first
    m_table->setShowGrid(false);
    m_table->setWordWrap(false);
    m_table->setMouseTracking(true);
    m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    m_table->setTabKeyNavigation(false);
    m_table->setAccessibleName(tr("Runs"));
    m_table->verticalHeader()->hide();
    m_table->verticalHeader()->setDefaultSectionSize(kRowHeight);
    m_table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    auto* header = m_table->horizontalHeader();
    header->setFont(Theme::font(TextStyle::Caption));
    header->setHighlightSections(false);
    header->setSectionsMovable(true);
    header->setStretchLastSection(true);
    header->setMinimumSectionSize(64);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::selectionChanged);
    connect(m_table, &QTableView::customContextMenuRequested, this, &RunsPage::showContextMenu);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& at) {
        emit runOpened(at.data(RunTableModel::IdRole).toString().toStdString());
    });

    const auto shortcut = [this](const QKeySequence& keys, auto call) {
        auto* action = new QAction(m_table);
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        connect(action, &QAction::triggered, this, call);
        addAction(action);
    };
    shortcut(QKeySequence(Qt::CTRL | Qt::Key_Return), [this] { emit reviewRequested(chosenRuns()); });
    shortcut(QKeySequence(Qt::Key_C), [this] { emit compareRequested(chosenRuns()); });
    shortcut(QKeySequence(Qt::CTRL | Qt::Key_F), [this] { focusFilter(); });
    shortcut(QKeySequence(Qt::Key_Escape), [this] { m_table->clearSelection(); });
    shortcut(QKeySequence(Qt::Key_Delete), [this] {
        if (m_cancel->isVisible()) {
            m_cancel->click();
        }
    });
}

void RunsPage::focusFilter() {
    m_search->setFocus();
    m_search->selectAll();
}

bool RunsPage::settled() const {
    return m_loaded && !m_reading && !m_chartsLater.isActive() && m_charts->settled() && m_detail->settled();
}

void RunsPage::runsChanged(const std::vector<std::string>& runIds) {
    if (runIds.empty()) {
        m_readAll = true;
    }
    m_toRead.insert(runIds.begin(), runIds.end());
    read();
}

void RunsPage::read() {
    if (m_reading || (!m_readAll && m_toRead.empty())) {
        return;
    }
    m_reading = true;
    // An unknown id means new runs, and those come in their order only with the whole list.
    const bool all = m_readAll || std::any_of(m_toRead.begin(), m_toRead.end(),
                                              [&](const auto& id) { return m_model.rowOf(id) < 0; });
    const std::vector<std::string> ids(m_toRead.begin(), m_toRead.end());
    m_toRead.clear();
    m_readAll = false;
    readStore(
        this, m_storeFile,
        [all, ids](const tracking::Store& store, std::stop_token) {
            if (all) {
                return shareRuns(store.runs());
            }
            std::vector<tracking::Run> runs;
            for (const auto& id : ids) {
                if (auto run = store.run(id)) {
                    runs.push_back(std::move(*run));
                }
            }
            return shareRuns(std::move(runs));
        },
        [this, all](std::vector<RunPtr> runs) {
            m_reading = false;
            apply(std::move(runs), all);
            read();
        },
        [this](const Error& error) {
            m_reading = false;
            m_loaded = true;
            emit failed(error);
        });
}

void RunsPage::apply(std::vector<RunPtr> runs, bool all) {
    std::vector<std::string> changed;
    if (all) {
        std::vector<std::string> oldestFirst;
        for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
            oldestFirst.push_back((*run)->id);
        }
        RunColors::instance().assign(oldestFirst);
        m_model.setRuns(std::move(runs));
    } else {
        for (const auto& run : runs) {
            changed.push_back(run->id);
        }
        m_model.updateRuns(runs);
    }
    m_loaded = true;
    m_stack->setCurrentIndex(m_model.rowCount() == 0 ? 1 : 0);
    showCounts();
    updateCharts();
    m_charts->runsChanged(changed);
    updateDetail();
}

void RunsPage::showCounts() {
    const int all = m_model.rowCount();
    const int shown = m_filter.rowCount();
    const auto active = std::count_if(m_model.runs().begin(), m_model.runs().end(),
                                      [](const auto& run) { return isActive(run->status); });
    QString text = shown == all ? QString::number(all) : tr("%1 of %2").arg(shown).arg(all);
    if (active > 0) {
        text += tr(" · %1 active").arg(active);
    }
    m_count->setText(text);
}

std::vector<std::string> RunsPage::selectedRuns() const {
    std::vector<std::string> ids;
    auto rows = m_table->selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.row() < b.row(); });
    for (const auto& row : rows) {
        ids.push_back(row.data(RunTableModel::IdRole).toString().toStdString());
    }
    return ids;
}

std::vector<std::string> RunsPage::shownRuns() const {
    std::vector<std::string> ids;
    for (int row = 0; row < m_filter.rowCount(); ++row) {
        ids.push_back(m_filter.index(row, 0).data(RunTableModel::IdRole).toString().toStdString());
    }
    return ids;
}

std::vector<std::string> RunsPage::chosenRuns() const {
    auto ids = selectedRuns();
    return ids.empty() ? shownRuns() : ids;
}

void RunsPage::selectRuns(const std::vector<std::string>& runIds) {
    QItemSelection selection;
    for (const auto& id : runIds) {
        if (const int row = m_model.rowOf(id); row >= 0) {
            const QModelIndex at = m_filter.mapFromSource(m_model.index(row, 0));
            selection.select(at, at);
        }
    }
    m_table->selectionModel()->select(selection,
                                      QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
}

void RunsPage::selectionChanged() {
    m_selection = selectedRuns();
    const bool anyActive = std::any_of(m_selection.begin(), m_selection.end(), [this](const auto& id) {
        const auto run = m_model.find(id);
        return run && isActive(run->status);
    });
    m_cancel->setVisible(anyActive);
    m_detailDismissed = m_detailDismissed && !m_selection.empty();
    updateDetail();
    m_chartsLater.start();
}

void RunsPage::updateDetail() {
    const auto run = m_selection.size() == 1 ? m_model.find(m_selection.front()) : nullptr;
    if (run) {
        m_detail->setRun(*run, m_model.variedParams());
    }
    m_detail->setVisible(run && !m_detailDismissed);
}

ChartedRuns RunsPage::chartedRuns() const {
    ChartedRuns charted;
    for (const auto& id : chosenRuns()) {
        charted.push_back({.run = m_model.find(id)});
    }
    return charted;
}

void RunsPage::updateCharts() {
    auto charted = chartedRuns();
    const std::size_t all = charted.size();
    charted.resize(std::min(all, kMostCurves));
    const QString noun = all == 1 ? tr("run") : tr("runs");
    QString caption =
        m_selection.empty() ? tr("%1 %2").arg(all).arg(noun) : tr("%1 selected %2").arg(all).arg(noun);
    if (all > kMostCurves) {
        caption = tr("the first %1 of %2 runs").arg(kMostCurves).arg(all);
    }
    m_charts->setRuns(charted, caption);
}

void RunsPage::sizeColumns() {
    for (int column = 0; column < m_model.columnCount(); ++column) {
        m_table->resizeColumnToContents(column);
        m_table->setColumnWidth(column, std::clamp(m_table->columnWidth(column), 84, kWidestColumn));
    }
}

void RunsPage::rebuildColumnsMenu() {
    m_columnsMenu->clear();
    const auto shown = m_model.metricColumns();
    for (const auto& key : m_model.metricKeys()) {
        auto* action = m_columnsMenu->addAction(inert(key));
        action->setCheckable(true);
        action->setChecked(std::find(shown.begin(), shown.end(), key) != shown.end());
        connect(action, &QAction::toggled, this, [this, key](bool on) {
            auto keys = m_model.metricColumns();
            std::erase(keys, key);
            if (on) {
                keys.push_back(key);
            }
            // Rebuilding the menu deletes this action, so not while it signals.
            QTimer::singleShot(0, this, [this, keys] { m_model.setMetricColumns(keys); });
        });
    }
}

void RunsPage::showContextMenu(const QPoint& position) {
    const auto ids = selectedRuns();
    if (ids.empty()) {
        return;
    }
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    connect(menu->addAction(icon(QStringLiteral("review")), tr("Review clips")), &QAction::triggered, this,
            [this] { emit reviewRequested(chosenRuns()); });
    connect(menu->addAction(icon(QStringLiteral("copy")),
                            ids.size() == 1 ? tr("Copy run id") : tr("Copy run ids")),
            &QAction::triggered, this, [ids] {
                QStringList text;
                for (const auto& id : ids) {
                    text << QString::fromStdString(id);
                }
                QApplication::clipboard()->setText(text.join(QLatin1Char('\n')));
            });
    menu->addSeparator();
    auto* cancel = menu->addAction(icon(QStringLiteral("stop")), tr("Cancel"));
    cancel->setEnabled(!m_cancel->isHidden());
    connect(cancel, &QAction::triggered, this, [this, ids] { m_worker.cancelRuns(ids); });
    menu->popup(m_table->viewport()->mapToGlobal(position));
}

}  // namespace dailies::ui
