#include "ui/runs/runs_page.h"

#include "core/tracking/run_tags.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/write_store.h"
#include "ui/charts/chart_grid.h"
#include "ui/link/cluster_worker.h"
#include "ui/runs/detail_panel.h"
#include "ui/runs/run_table.h"
#include "ui/runs/selection_bar.h"
#include "ui/runs/tag_editor.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QHeaderView>
#include <QLocale>
#include <QScrollBar>
#include <QSplitter>
#include <QStackedWidget>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kNarrowestTable = 400;  ///< beside the details: a name, a status and a number

constexpr int kChartsDelayMs = 60;  ///< many selection changes (shift and arrow keys) make one redrawing

enum Stack { Content, Empty, Nothing };
enum TableArea { Table, NoMatch };

QToolButton* makeTextButton(const QString& text, const QString& iconName) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setAccessibleName(text);
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
      m_sparklines(m_storeFile),
      m_best(m_storeFile),
      m_actions(m_storeFile),
      m_stack(new QStackedWidget),
      m_tableArea(new QStackedWidget),
      m_filter(new FilterBox),
      m_title(makeLabel(tr("Runs"), TextStyle::Display)),
      m_count(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_experiment(makeTextButton(tr("All experiments"), QStringLiteral("folder"))),
      m_views(new ViewsButton(m_storeFile, [this] { return viewState(); })),
      m_group(makeTextButton(tr("Group"), QStringLiteral("group"))),
      m_differs(makeTextButton(tr("Differences only"), QStringLiteral("filter"))),
      m_columns(makeTextButton(tr("Columns"), QStringLiteral("columns"))),
      m_more(makeIconButton(QStringLiteral("more"), tr("More"))),
      m_table(new RunTable(m_model, m_sparklines)),
      m_selectionBar(new SelectionBar),
      m_charts(new ChartGrid(m_storeFile)),
      m_detail(new DetailPanel(m_storeFile, worker)),
      m_split(new QSplitter(Qt::Horizontal)),
      m_noMatch(new EmptyState(QStringLiteral("search"), {}, {})) {
    setObjectName(QStringLiteral("page"));
    layOut();
    wire();
    makeActions();
    m_chartsLater.setSingleShot(true);
    m_chartsLater.setInterval(kChartsDelayMs);
    connect(&m_chartsLater, &QTimer::timeout, this, &RunsPage::updateCharts);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, &m_model, &RunTableModel::tick);
    m_clock.start();
    // Not before the worker has made the file: a reader would meet a database without tables.
    connect(&m_worker, &ClusterWorker::storeOpened, this, [this] {
        read();
        updateReadOnly();
    });
}

void RunsPage::layOut() {
    m_tableArea->addWidget(m_table);
    m_tableArea->addWidget(m_noMatch);
    m_clearFilter = m_noMatch->addAction(tr("Clear the filter"), ButtonKind::Normal);
    connect(m_clearFilter, &QPushButton::clicked, m_filter, &QLineEdit::clear);

    auto* upper = new QWidget;
    auto* rows = makeColumn(0);
    rows->addWidget(m_tableArea, 1);
    rows->addWidget(m_selectionBar);
    upper->setLayout(rows);
    auto* vertical = new QSplitter(Qt::Vertical);
    vertical->addWidget(upper);
    vertical->addWidget(m_charts);
    vertical->setStretchFactor(0, 2);
    vertical->setStretchFactor(1, 3);
    vertical->setSizes({340, 420});
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
           "logged, and clips to review. Or drop a folder of runs or clips here, whatever wrote them."));
    connect(empty->addAction(tr("Launch a sweep"), ButtonKind::Primary), &QPushButton::clicked, this,
            &RunsPage::launchRequested);
    connect(empty->addAction(tr("Open a folder…"), ButtonKind::Normal), &QPushButton::clicked, this,
            &RunsPage::openFolderRequested);
    connect(empty->addAction(tr("Import runs…"), ButtonKind::Normal), &QPushButton::clicked, this,
            &RunsPage::importRuns);
    m_stack->addWidget(content);
    m_stack->addWidget(empty);
    m_stack->addWidget(new QWidget);  // until the store has been read, neither of them
    m_stack->setCurrentIndex(Nothing);
    auto* all = makeColumn(0);
    all->addWidget(m_stack);
    setLayout(all);
    setFocusProxy(m_table);
}

void RunsPage::wire() {
    connect(m_filter, &FilterBox::matcherChanged, this, [this](const RunMatcher& matcher) {
        m_model.setMatcher(matcher);
        m_views->stateChanged();
    });
    connect(m_filter, &FilterBox::left, this, [this] { m_table->setFocus(); });
    connect(m_filter, &FilterBox::used, this, &RunsPage::readVocabulary);

    connect(&m_model, &RunTableModel::columnsChanged, this, &RunsPage::columnsChanged);
    connect(&m_model, &RunTableModel::arranged, this, [this] {
        m_table->keepInPlace(m_model.rowOf(m_place.first), m_place.second);
        m_place = {};
        m_tableArea->setCurrentIndex(m_model.rowCount() == 0 && m_loaded ? NoMatch : Table);
        showNoMatch();
        showCounts();
        selectionChanged();
        m_views->stateChanged();
        showWanted();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &RunsPage::selectionChanged);
    connect(m_table, &RunTable::opened, this, &RunsPage::openRunRequested);
    connect(m_table, &RunTable::hovered, m_charts, &ChartGrid::setHovered);
    connect(m_table, &RunTable::visibilityToggled, this, &RunsPage::toggleHidden);
    connect(m_table, &RunTable::unhandledKeyPressed, this, &RunsPage::explain);
    connect(&m_model, &RunTableModel::renamed, this, &RunsPage::rename);
    connect(m_table, &QTableView::customContextMenuRequested, this, &RunsPage::showContextMenu);
    auto* header = m_table->horizontalHeader();
    connect(header, &QHeaderView::customContextMenuRequested, this, &RunsPage::showHeaderMenu);
    connect(header, &QHeaderView::sectionMoved, this,
            [this](int, int from, int to) { moveColumn(from, to); });
    connect(header, &QHeaderView::sortIndicatorChanged, m_views, &ViewsButton::stateChanged);

    connect(m_charts, &ChartGrid::remedyRequested, this,
            [this] { m_model.shownCount() > 0 ? m_commands.showAll->trigger() : m_filter->clear(); });
    connect(m_charts, &ChartGrid::failed, this, &RunsPage::failed);
    connect(m_charts, &ChartGrid::runHovered, m_table, &RunTable::setHovered);
    connect(m_charts, &ChartGrid::runsChosen, this, &RunsPage::selectRuns);
    connect(m_charts, &ChartGrid::openRunRequested, this, &RunsPage::openRunRequested);
    connect(m_detail, &DetailPanel::closed, this, [this] {
        m_detailDismissed = true;
        m_detail->hide();
        m_table->setFocus();
    });
    connect(m_detail, &DetailPanel::opened, this, &RunsPage::openRunRequested);
    connect(m_detail, &DetailPanel::failed, this, &RunsPage::failed);
    connect(m_views, &ViewsButton::chosen, this, &RunsPage::applyView);
    connect(m_views, &ViewsButton::failed, this, &RunsPage::failed);

    connect(&m_best, &BestValueReader::read, &m_model, &RunTableModel::setBest);
    connect(&m_best, &BestValueReader::failed, this, &RunsPage::failed);
    connect(&m_worker, &ClusterWorker::runsChanged, this, &RunsPage::runsChanged);

    connect(m_selectionBar, &SelectionBar::compareRequested, this, &RunsPage::compareSelected);
    connect(m_selectionBar, &SelectionBar::reviewRequested, this,
            [this] { emit reviewRequested(selectedOrShownRuns()); });
    connect(m_selectionBar, &SelectionBar::tagRequested, this, &RunsPage::editTags);
    connect(m_selectionBar, &SelectionBar::cancelRequested, this, &RunsPage::cancelSelected);
    connect(m_selectionBar, &SelectionBar::archiveRequested, this, &RunsPage::archiveSelected);
    connect(m_selectionBar, &SelectionBar::cleared, m_table, &QTableView::clearSelection);

    const auto count = [this](std::size_t runs) { return runs == 1 ? tr("1 run") : tr("%1 runs").arg(runs); };
    connect(&m_actions, &RunActions::failed, this, &RunsPage::failed);
    connect(&m_actions, &RunActions::tagged, this, &RunsPage::runsChanged);
    connect(&m_actions, &RunActions::archived, this, [this, count](const std::vector<std::string>& ids) {
        m_table->clearSelection();
        m_selectionBar->showUndo(tr("Archived %1").arg(count(ids.size())),
                                 [this, ids] { m_actions.restore(ids); });
        updateActions();
        runsChanged({});
    });
    connect(&m_actions, &RunActions::restored, this, [this, count](const std::vector<std::string>& ids) {
        m_selectionBar->showNotification(tr("Restored %1").arg(count(ids.size())));
        runsChanged({});
    });
    connect(&m_actions, &RunActions::purged, this, [this, count](const tracking::PurgeResult& freed) {
        m_table->clearSelection();
        m_selectionBar->showNotification(
            tr("Deleted %1 and %2 permanently; %3 freed")
                .arg(count(static_cast<std::size_t>(freed.runs)),
                     freed.points == 1 ? tr("1 point") : tr("%L1 points").arg(freed.points),
                     QLocale().formattedDataSize(std::max<std::int64_t>(0, freed.bytes))));
        runsChanged({});
    });
}

QTableView& RunsPage::table() {
    return *m_table;
}

void RunsPage::focusFilter() {
    m_filter->setFocus();
    m_filter->selectAll();
}

bool RunsPage::isSettled() const {
    return m_loaded && !m_reading && m_model.isSettled() && !m_chartsLater.isActive() &&
           m_charts->isSettled() && m_detail->isSettled() && m_sparklines.isSettled() && m_best.isSettled() &&
           !m_actions.busy();
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
                                              [&](const auto& id) { return !m_model.find(id); });
    m_readAll = false;
    all ? readAll() : readSome();
}

void RunsPage::readAll() {
    m_toRead.clear();
    readStore(
        this, m_storeFile,
        [first = !m_loaded, archived = m_archived](const tracking::Store& store, std::stop_token) {
            Loaded loaded;
            if (first) {
                loaded.views = readViews(store);
            }
            loaded.goals = compare::goalsOf(store.sweeps());
            auto runs = archived ? store.deletedRuns() : store.runs();
            loaded.colors = tracking::runColors(runs);
            loaded.set = makeRunSet(std::move(runs));
            return loaded;
        },
        [this, archived = m_archived](Loaded loaded) {
            m_reading = false;
            if (archived == m_archived) {
                apply(std::move(loaded));
            }
            read();
        },
        [this](const Error& error) {
            m_reading = false;
            m_loaded = true;
            emit failed(error);
        });
}

void RunsPage::readSome() {
    readStore(
        this, m_storeFile,
        [ids = std::vector<std::string>(m_toRead.begin(), m_toRead.end())](const tracking::Store& store,
                                                                           std::stop_token) {
            std::vector<RunPtr> runs;
            for (auto& run : store.runs(ids)) {
                runs.push_back(std::make_shared<const tracking::Run>(std::move(run)));
            }
            return runs;
        },
        [this](std::vector<RunPtr> runs) {
            m_reading = false;
            applySome(std::move(runs));
            read();
        },
        [this](const Error& error) {
            m_reading = false;
            emit failed(error);
        });
    m_toRead.clear();
}

void RunsPage::apply(Loaded loaded) {
    RunColors::instance().assign(loaded.colors);
    m_actions.storeColors(std::move(loaded.colors));
    m_model.setGoals(std::move(loaded.goals));
    if (loaded.views) {
        applyView(loaded.views->last);
        m_views->setViews(std::move(loaded.views->named));
    }
    const bool nothing = loaded.set.runs.empty() && !m_archived;
    saveScrollPosition();
    m_model.setRuns(std::move(loaded.set));
    m_loaded = true;
    m_vocabularyStale = true;
    if (m_filter->wantsVocabulary()) {
        readVocabulary();
    }
    m_stack->setCurrentIndex(nothing ? Empty : Content);
    m_sparklines.invalidate({});
    readBest({});
    m_charts->runsChanged({});
    showCounts();
}

void RunsPage::applySome(std::vector<RunPtr> runs) {
    std::vector<std::string> changed;
    std::vector<tracking::RunColor> colors;
    for (const auto& run : runs) {
        changed.push_back(run->id);
        if (const auto color = tracking::runColorOf(tagOf(*run, tracking::tag::kColor))) {
            colors.push_back({run->id, *color, true});
        }
    }
    RunColors::instance().assign(colors);
    saveScrollPosition();
    m_model.updateRuns(runs);
    m_vocabularyStale = true;
    if (m_filter->wantsVocabulary()) {
        readVocabulary();
    }
    m_sparklines.invalidate(changed);
    readBest(changed);
    m_charts->runsChanged(changed);
}

void RunsPage::readVocabulary() {
    if (!m_vocabularyStale || m_model.runs().empty()) {
        return;
    }
    m_vocabularyStale = false;
    runAsync(
        this,
        [runs = m_model.runs()](std::stop_token) {
            std::vector<const tracking::Run*> pointers;
            for (const auto& run : runs) {
                pointers.push_back(run.get());
            }
            return std::make_shared<const query::Vocabulary>(query::vocabularyOf(pointers));
        },
        [this](const VocabularyPtr& vocabulary) { m_filter->setVocabulary(vocabulary); },
        [this](const Error& error) { emit failed(error); });
}

void RunsPage::readBest(const std::vector<std::string>& changed) {
    for (const auto& key : m_model.columnChoice().best) {
        std::vector<std::string> ids;
        if (changed.empty()) {
            for (const auto& run : m_model.runs()) {
                if (run->metrics.contains(key)) {
                    ids.push_back(run->id);
                }
            }
        }
        m_best.request(key, m_model.goalOf(key), changed.empty() ? ids : changed);
    }
}

void RunsPage::updateReadOnly() {
    const QString reason = sanitized(m_worker.readOnly());
    m_actions.setReadOnly(reason);
    m_views->setReadOnly(reason);
    if (reason.isEmpty()) {
        storeWriter(m_storeFile);  // looks after curves that others log, before anybody asks for them
    }
    selectionChanged();
}

/// The row at the top is to stay there while rows come above it; a table that is not scrolled shows what is
/// new instead.
void RunsPage::saveScrollPosition() {
    const int row = m_table->firstVisibleRow();
    const auto run = row >= 0 && m_table->verticalScrollBar()->value() > 0 ? m_model.runAt(row) : nullptr;
    m_place = run ? std::pair(run->id, m_table->rowViewportPosition(row)) : std::pair(std::string(), 0);
}

void RunsPage::showNoMatch() {
    const QString filter = m_filter->text().trimmed();
    m_clearFilter->setVisible(!filter.isEmpty());
    if (!filter.isEmpty()) {
        m_noMatch->setTexts(tr("No results for “%1”").arg(filter.left(80)),
                            tr("Words must occur in a run's name, sweep, status or a param such as lr=0.01; "
                               "a filter compares, as in metrics.loss < 0.5."));
    } else {
        m_noMatch->setTexts(m_archived ? tr("No archived runs") : tr("No runs here"),
                            m_archived ? tr("Runs that you archive are kept here and can be restored.")
                                       : tr("This experiment has no runs."));
    }
}

void RunsPage::showCounts() {
    const QLocale locale;
    const int shown = m_model.shownCount();
    const int all = static_cast<int>(m_model.runs().size());
    QString text = shown == all ? locale.toString(all)
                                : tr("%1 of %2").arg(locale.toString(shown), locale.toString(all));
    const auto active = std::count_if(m_model.runs().begin(), m_model.runs().end(),
                                      [](const auto& run) { return isActive(run->status); });
    if (active > 0 && !m_archived) {
        text += tr(" · %1 active").arg(active);
    }
    if (m_model.groupCount() > 0) {
        text += m_model.groupCount() == 1 ? tr(" · 1 group") : tr(" · %1 groups").arg(m_model.groupCount());
    }
    m_count->setText(text);
}

std::vector<std::string> RunsPage::selectedRuns() const {
    std::vector<int> rows;
    for (const auto& range : m_table->selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row) {
            rows.push_back(row);
        }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    std::vector<std::string> ids;
    for (const int row : rows) {
        if (const auto run = row < m_model.rowCount() ? m_model.runAt(row) : nullptr) {
            ids.push_back(run->id);
        }
    }
    return ids;
}

std::vector<std::string> RunsPage::selectedOrShownRuns() const {
    auto ids = selectedRuns();
    if (ids.empty()) {
        for (const auto& charted : m_model.shownRuns()) {
            ids.push_back(charted.run->id);
        }
    }
    return ids;
}

void RunsPage::selectRuns(const std::vector<std::string>& runIds) {
    QItemSelection selection;
    std::vector<int> rows;
    for (const auto& id : runIds) {
        if (const int row = m_model.rowOf(id); row >= 0) {
            rows.push_back(row);
        }
    }
    // Neighbours become one range: a thousand brushed runs are a few ranges then.
    std::sort(rows.begin(), rows.end());
    const int last = m_model.columnCount() - 1;
    for (std::size_t from = 0; from < rows.size();) {
        std::size_t to = from;
        while (to + 1 < rows.size() && rows[to + 1] == rows[to] + 1) {
            ++to;
        }
        selection.append(QItemSelectionRange(m_model.index(rows[from], 0), m_model.index(rows[to], last)));
        from = to + 1;
    }
    m_table->selectionModel()->select(selection, QItemSelectionModel::ClearAndSelect);
    if (!rows.empty()) {
        m_table->selectionModel()->setCurrentIndex(m_model.index(rows.front(), 0),
                                                   QItemSelectionModel::NoUpdate);
        m_table->scrollTo(m_model.index(rows.front(), 0));
    }
}

void RunsPage::showRuns(const std::vector<std::string>& runIds) {
    m_wanted = runIds;
    if (m_archived) {
        showArchived(false);
    } else {
        runsChanged(runIds);
    }
}

void RunsPage::showWanted() {
    if (m_wanted.empty() || !m_model.isSettled()) {
        return;
    }
    if (!std::ranges::all_of(m_wanted, [this](const auto& id) { return m_model.find(id) != nullptr; })) {
        return;  // not read yet
    }
    if (std::ranges::all_of(m_wanted, [this](const auto& id) { return m_model.rowOf(id) >= 0; })) {
        selectRuns(std::exchange(m_wanted, {}));
        return;
    }
    showExperiment({});
    m_filter->clear();
    m_model.setCollapsed({});
}

void RunsPage::selectionChanged() {
    m_selection = selectedRuns();
    const bool anyActive = std::any_of(m_selection.begin(), m_selection.end(), [this](const auto& id) {
        const auto run = m_model.find(id);
        return run && isActive(run->status);
    });
    m_selectionBar->setState({.runs = static_cast<int>(m_selection.size()),
                              .anyActive = anyActive,
                              .archived = m_archived,
                              .readOnly = m_actions.readOnly()});
    m_detailDismissed = m_detailDismissed && !m_selection.empty();
    updateActions();
    updateDetail();
    m_chartsLater.start();
}

void RunsPage::updateDetail() {
    const auto run = m_selection.size() == 1 ? m_model.find(m_selection.front()) : nullptr;
    const bool shown = run && !m_detailDismissed && m_hasRoomForDetail;
    if (shown) m_detail->setRun(*run, m_model.shownKeys().variedParams());
    m_detail->setVisible(shown);
}

/// Beside a table too narrow to read they would help nobody; Enter opens the run's own page.
void RunsPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool room = width() >= m_detail->minimumWidth() + kNarrowestTable;
    if (std::exchange(m_hasRoomForDetail, room) != room) updateDetail();
}

ChartedRuns RunsPage::chartedRuns() const {
    auto shown = m_model.shownRuns();
    if (const auto& hidden = m_model.hidden(); !hidden.empty()) {
        std::erase_if(shown, [&](const ChartedRun& charted) { return hidden.contains(charted.run->id); });
    }
    if (!m_selection.empty()) {
        const std::set<std::string> selected(m_selection.begin(), m_selection.end());
        for (auto& charted : shown) {
            charted.emphasized = selected.contains(charted.run->id);
        }
    }
    return shown;
}

void RunsPage::updateCharts() {
    const auto charted = chartedRuns();
    const auto selected =
        std::count_if(charted.begin(), charted.end(), [](const ChartedRun& run) { return run.emphasized; });
    QString caption = selected > 0
                          ? (selected == 1 ? tr("1 selected run") : tr("%L1 selected runs").arg(selected))
                          : (charted.size() == 1 ? tr("1 run") : tr("%L1 runs").arg(charted.size()));
    if (const auto hidden = static_cast<std::size_t>(m_model.shownCount()) - charted.size(); hidden > 0) {
        caption += tr(" · %L1 hidden").arg(hidden);
    }
    const bool allHidden = charted.empty() && m_model.shownCount() > 0;
    const bool noMatch = m_model.shownCount() == 0 && !m_filter->text().trimmed().isEmpty();
    m_charts->setWithheld(allHidden ? tr("The curves of all runs shown are hidden.")
                          : noMatch ? tr("No run matches the filter.")
                                    : QString(),
                          allHidden ? tr("Show all curves") : tr("Clear the filter"));
    m_charts->setRuns(charted, caption);
}

void RunsPage::columnsChanged() {
    // The model was reset, which cleared the selection and the header's state.
    const int sorted = m_model.sortColumn();
    {
        const QSignalBlocker quiet(m_table->horizontalHeader());
        m_table->horizontalHeader()->setSortIndicator(
            sorted, m_model.spec().descending ? Qt::DescendingOrder : Qt::AscendingOrder);
    }
    if (!m_selection.empty()) {
        selectRuns(std::vector(m_selection));
    }
}

}  // namespace dailies::ui
