#include "ui/compare/compare_page.h"

#include "core/compare/best_points.h"
#include "core/compare/best_run.h"
#include "core/compare/export.h"
#include "ui/bridge/read_store.h"
#include "ui/charts/chart_grid.h"
#include "ui/compare/compare_clips.h"
#include "ui/compare/compare_table.h"
#include "ui/compare/run_header_bar.h"
#include "ui/link/cluster_worker.h"
#include "ui/playback/playhead.h"
#include "ui/theme/icons.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>
#include <QWheelEvent>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kChartsHeight = 520;
constexpr int kReadDelayMs = 400;

QLabel* makeSectionTitle(const QString& text) {
    auto* title = makeLabel(text, TextStyle::Title);
    title->setContentsMargins(space::k16, space::k16, space::k16, space::k8);
    return title;
}

}  // namespace

ComparePage::ComparePage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_count(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_search(new QLineEdit),
      m_differences(new QToolButton),
      m_copy(new QToolButton),
      m_bestFirst(new QToolButton),
      m_code(new QToolButton),
      m_runHeaders(new RunHeaderBar),
      m_table(new CompareTable),
      m_nothing(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_notice(makeLabel({}, TextStyle::Body, TextTone::Warning)),
      m_chartsTitle(makeSectionTitle(tr("Curves"))),
      m_clipsTitle(makeSectionTitle(tr("Clips"))),
      m_charts(new ChartGrid(m_storeFile)),
      m_clips(new CompareClips(m_storeFile)),
      m_scroll(new QScrollArea),
      m_sideways(new QScrollBar(Qt::Horizontal)),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(QStringLiteral("columns"), {}, {})) {
    setObjectName(QStringLiteral("page"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Compare"));
    setFocusPolicy(Qt::StrongFocus);
    connect(m_empty->addAction(tr("Choose runs"), ButtonKind::Primary), &QPushButton::clicked, this,
            &ComparePage::runsRequested);
    m_stack->addWidget(makeSheet());
    m_stack->addWidget(m_empty);
    m_stack->addWidget(new QWidget);  // until the store has been read, neither of them
    auto* column = makeColumn(0);
    column->addWidget(makeBar());
    column->addWidget(m_stack, 1);
    setLayout(column);
    makeActions();
    setRuns({});

    m_readLater.setSingleShot(true);
    m_readLater.setInterval(kReadDelayMs);
    connect(&m_readLater, &QTimer::timeout, this, &ComparePage::read);
    connect(m_runHeaders, &RunHeaderBar::currentChosen, this, &ComparePage::setCurrent);
    connect(m_runHeaders, &RunHeaderBar::moved, this, &ComparePage::moveRun);
    const auto idAt = [this](int at) { return m_data.runs[static_cast<std::size_t>(at)]->id; };
    connect(m_runHeaders, &RunHeaderBar::referenceChosen, this,
            [this, idAt](int at) { setReference(idAt(at)); });
    connect(m_runHeaders, &RunHeaderBar::removed, this, [this, idAt](int at) { removeRun(idAt(at)); });
    connect(m_runHeaders, &RunHeaderBar::opened, this,
            [this, idAt](int at) { emit openRunRequested(idAt(at)); });
    connect(m_charts, &ChartGrid::failed, this, &ComparePage::failed);
    connect(m_charts, &ChartGrid::stepChosen, this, [this](const std::string& runId, double step) {
        m_clips->showNearest(step, runId);
        m_charts->setStepCursor(step);  // where no clip is near, the chosen step still stands
        if (m_clips->hasClips()) m_scroll->ensureWidgetVisible(m_clips, 0, 0);
    });
    connect(m_clips, &CompareClips::stepChanged, m_charts,
            [this](double step) { m_charts->setStepCursor(step); });
    connect(m_clips, &CompareClips::loaded, this, [this] {
        m_runHeaders->update();
        showCharts();  // now the runs have their colours
    });
    connect(m_clips, &CompareClips::failed, this, &ComparePage::failed);
    connect(m_sideways, &QScrollBar::valueChanged, this, &ComparePage::scrollColumns);
    connect(&worker, &ClusterWorker::runsChanged, this, [this](const std::vector<std::string>& changed) {
        const bool ours = changed.empty() || std::any_of(changed.begin(), changed.end(), [this](auto& id) {
                              return std::find(m_runIds.begin(), m_runIds.end(), id) != m_runIds.end();
                          });
        if (!ours || m_runIds.empty()) return;
        m_stale = true;
        if (isVisible()) m_readLater.start();
        m_charts->runsChanged(changed);
    });
    connect(&worker, &ClusterWorker::stateChanged, this, &ComparePage::showData);
}

QWidget* ComparePage::makeBar() {
    auto* bar = makePageBar();
    auto* row = makeRow(space::k8, {space::k8, 0, space::k16, 0});
    auto* back = makeIconButton(QStringLiteral("chevron-left"), tr("Back (Esc)"));
    connect(back, &QToolButton::clicked, this, &ComparePage::backRequested);
    excludeFromPalette(*back);  // the window has it
    row->addWidget(back);
    row->addWidget(makeLabel(tr("Compare"), TextStyle::Display));
    row->addWidget(m_count);
    row->addSpacing(space::k8);
    m_search->setPlaceholderText(tr("Find a key or a value"));
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->setClearButtonEnabled(true);
    m_search->setMaximumWidth(320);
    m_search->setMinimumWidth(160);
    m_search->setAccessibleName(tr("Find a key or a value"));
    m_search->setToolTip(tr("Find rows by key, unit, or value (/ or Ctrl+F)"));
    m_search->installEventFilter(this);
    row->addWidget(m_search, 1);
    row->addStretch();
    const auto prepare = [](QToolButton* button, const QString& text, const QString& iconName) {
        button->setText(text);
        button->setIcon(icon(iconName));
        button->setIconSize({16, 16});
        button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        button->setFixedHeight(kControlHeight);
        button->setAccessibleName(text);
    };
    prepare(m_differences, tr("Differences only"), QStringLiteral("filter"));
    m_differences->setCheckable(true);
    m_differences->setChecked(true);
    m_differences->setToolTip(tr("Only rows that are not the same in all runs (D)"));
    row->addWidget(m_differences);
    prepare(m_bestFirst, tr("Best run as reference"), QStringLiteral("star"));
    m_bestFirst->setToolTip(tr("Compare all others with the run that did best (B)"));
    connect(m_bestFirst, &QToolButton::clicked, this, &ComparePage::setBestAsReference);
    row->addWidget(m_bestFirst);
    prepare(m_code, tr("Code"), QStringLiteral("branch"));
    m_code->setToolTip(tr("What differs between the code of the run in front and the reference's"));
    m_code->hide();  // most comparisons are of dailies-train, which is one version
    connect(m_code, &QToolButton::clicked, this, &ComparePage::compareCode);
    excludeFromPalette(*m_code);  // an action names the runs
    row->addWidget(m_code);
    prepare(m_copy, tr("Copy"), QStringLiteral("copy"));
    m_copy->setToolTip(tr("Copy the rows on show as a table (Ctrl+C: Markdown)"));
    m_copy->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_copy);
    connect(menu->addAction(tr("As Markdown")), &QAction::triggered, this,
            [this] { copy(markdown(), tr("Markdown")); });
    connect(menu->addAction(tr("As CSV")), &QAction::triggered, this, [this] { copy(csv(), tr("CSV")); });
    m_copy->setMenu(menu);
    excludeFromPalette(*m_copy);  // there are actions for it
    row->addWidget(m_copy);
    bar->setLayout(row);
    auto* fit = new FitToWidth(*bar);
    fit->iconsOnly({m_copy, m_code, m_bestFirst, m_differences});
    fit->hide(*m_count);
    fit->narrow(*m_search, 80);
    connect(m_search, &QLineEdit::textChanged, this, &ComparePage::refilter);
    connect(m_differences, &QToolButton::toggled, this, &ComparePage::refilter);
    return bar;
}

QWidget* ComparePage::makeSheet() {
    auto* content = new QWidget;
    content->setProperty("clear", true);
    auto* column = makeColumn(0);
    m_notice->setContentsMargins(space::k16, space::k8, space::k16, space::k8);
    m_notice->setWordWrap(true);
    m_nothing->setContentsMargins(space::k16, space::k16, space::k16, space::k16);
    m_charts->setFixedHeight(kChartsHeight);
    column->addWidget(m_notice);
    column->addWidget(m_nothing);
    column->addWidget(m_table);
    column->addWidget(m_clipsTitle);
    column->addWidget(m_clips);
    column->addWidget(m_chartsTitle);
    column->addWidget(m_charts);
    column->addStretch();
    content->setLayout(column);
    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);  // heads and table stay equally wide
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->verticalScrollBar()->setSingleStep(kRowHeight);
    m_table->installEventFilter(this);
    m_runHeaders->installEventFilter(this);
    m_sideways->setAccessibleName(tr("Scroll the runs"));
    connect(m_scroll->verticalScrollBar(), &QScrollBar::valueChanged, this, &ComparePage::markLink);

    auto* sheet = new QWidget;
    auto* all = makeColumn(0);
    all->addWidget(makeLinks());
    all->addWidget(m_runHeaders);
    all->addWidget(m_scroll, 1);
    all->addWidget(m_sideways);
    sheet->setLayout(all);
    return sheet;
}

void ComparePage::setRuns(const std::vector<std::string>& runIds) {
    m_runIds.clear();
    for (const auto& id : runIds)
        if (std::find(m_runIds.begin(), m_runIds.end(), id) == m_runIds.end() &&
            m_runIds.size() < kMaxCompared)
            m_runIds.push_back(id);
    m_notice->setText(
        runIds.size() > kMaxCompared
            ? tr("Comparing the first %1 of %2 selected runs.").arg(kMaxCompared).arg(runIds.size())
            : QString());
    m_reference = m_runIds.empty() ? std::string() : m_runIds.front();
    m_best.clear();
    m_current = 0;
    m_loaded = false;
    m_stack->setCurrentIndex(2);
    m_scroll->verticalScrollBar()->setValue(0);
    m_gone.reset();
    m_clips->setRuns(m_runIds);
    read();
}

void ComparePage::read() {
    m_task.cancel();
    m_stale = false;
    if (m_runIds.empty()) {
        m_reading = false;
        return apply({});
    }
    m_reading = true;
    m_task = readStore(
        this, m_storeFile,
        [ids = m_runIds](const tracking::Store& store, const std::stop_token& stop) {
            return loadCompare(store, ids, stop);
        },
        [this](CompareData found) {
            m_reading = false;
            apply(std::move(found));
            readBest();
        },
        [this](const Error& error) {
            m_reading = false;
            m_loaded = true;
            m_stack->setCurrentWidget(m_empty);
            m_empty->setTexts(tr("The runs cannot be read"), sanitized(error.full()));
            emit failed(error);
        });
}

void ComparePage::readBest() {
    m_bestTask.cancel();
    m_readingBest = true;
    m_bestTask = readStore(
        this, m_storeFile,
        [ids = loadedIds(), goals = m_data.goals](const tracking::Store& store, const std::stop_token& stop) {
            return compare::bestPoints(store, ids, goals, stop);
        },
        [this](compare::BestPoints best) {
            m_readingBest = false;
            m_best = std::move(best);
            showData();
        },
        [this](const Error& error) {
            m_readingBest = false;
            emit failed(error);
        });
}

std::vector<std::string> ComparePage::loadedIds() const {
    std::vector<std::string> ids;
    for (const auto& run : m_data.runs) ids.push_back(run->id);
    return ids;
}

void ComparePage::apply(CompareData found) {
    m_data = std::move(found);
    m_loaded = true;
    if (!m_data.gone.empty()) {
        m_notice->setText(m_data.gone.size() == 1
                              ? tr("1 run was deleted and is left out.")
                              : tr("%1 runs were deleted and are left out.").arg(m_data.gone.size()));
    }
    const auto ids = loadedIds();
    if (std::find(ids.begin(), ids.end(), m_reference) == ids.end())
        m_reference = ids.empty() ? std::string() : ids.front();
    showData();
    showCharts();
}

void ComparePage::showData() {
    const auto count = m_data.runs.size();
    updateActions();
    m_count->setText(count == 0 ? QString() : count == 1 ? tr("1 run") : tr("%1 runs").arg(count));
    m_columns.count = static_cast<int>(count);
    const auto ids = loadedIds();
    const auto reference = std::find(ids.begin(), ids.end(), m_reference);
    m_runHeaders->setRuns(
        m_data.runs,
        static_cast<std::size_t>(reference == ids.end() ? 0 : std::distance(ids.begin(), reference)));
    setCurrent(std::clamp(m_current, 0, std::max(static_cast<int>(count) - 1, 0)));
    m_notice->setVisible(!m_notice->text().isEmpty());
    compareRuns();
}

/// On a worker: fifty runs of hundreds of keys take longer than a frame.
void ComparePage::compareRuns() {
    m_comparisonTask.cancel();
    m_comparing = true;
    m_comparisonTask = runAsync(
        this,
        [data = m_data, best = m_best, reference = m_reference,
         connectedTo = m_worker.connectedTo()](const std::stop_token&) {
            return std::make_shared<const compare::Comparison>(
                makeComparison(data, best, reference, connectedTo));
        },
        [this](std::shared_ptr<const compare::Comparison> comparison) {
            m_comparing = false;
            m_comparison = std::move(comparison);
            showComparison();
        },
        [this](const Error& error) {
            m_comparing = false;
            emit failed(error);
        });
}

void ComparePage::showComparison() {
    m_copy->setEnabled(m_data.runs.size() > 1);
    if (m_data.runs.size() < 2) {
        m_empty->setTexts(
            m_data.runs.size() == 1 ? tr("Select at least two runs to compare")
                                    : tr("Nothing to compare yet"),
            tr("Select two to fifty runs in the table and press C: their configurations, metrics, curves "
               "and clips stand side by side here."));
        m_stack->setCurrentWidget(m_empty);
    } else {
        m_stack->setCurrentIndex(0);
    }
    refilter();
    layOutColumns();
}

void ComparePage::showCharts() {
    ChartedRuns charted;
    bool sameExperiment = true;
    for (const auto& run : m_data.runs) {
        charted.push_back({.run = run});
        sameExperiment &= run->experiment == m_data.runs.front()->experiment;
    }
    m_charts->setExperiment(sameExperiment && !m_data.runs.empty() ? m_data.runs.front()->experiment
                                                                   : std::string());
    m_charts->setRuns(charted, m_count->text());
}

void ComparePage::refilter() {
    if (!m_comparison) return;
    m_table->setComparison(m_comparison, {.differencesOnly = m_differences->isChecked(),
                                          .words = m_search->text().trimmed().toStdString()});
    const bool nothing = m_table->lines().empty();
    m_table->setVisible(!nothing);
    m_nothing->setVisible(nothing);
    showLinks();
    m_nothing->setText(!m_search->text().isEmpty()
                           ? (m_differences->isChecked()
                                  ? tr("No results for “%1” among the differences. Press D to look "
                                       "through all rows.")
                                  : tr("No results for “%1”."))
                                 .arg(m_search->text().trimmed())
                           : tr("No differences between these runs. Press D to show all rows."));
}

void ComparePage::layOutColumns() {
    const int viewport = m_scroll->viewport()->width();
    m_columns.fit(viewport);
    m_sideways->setRange(0, m_columns.overflow(viewport));
    m_sideways->setPageStep(viewport - CompareColumns::kKeyWidth);
    m_sideways->setSingleStep(m_columns.width / 2);
    m_sideways->setVisible(m_columns.overflow(viewport) > 0);
    m_sideways->setValue(m_columns.offset);
    m_runHeaders->setColumns(m_columns);
    m_table->setColumns(m_columns);
}

void ComparePage::scrollColumns(int offset) {
    m_columns.offset = offset;
    m_runHeaders->setColumns(m_columns);
    m_table->setColumns(m_columns);
}

void ComparePage::setCurrent(int column) {
    m_current = column;
    updateActions();
    m_runHeaders->setCurrent(column);
    m_table->setCurrent(column);
    const int left = m_columns.left(column), right = left + m_columns.width;
    const int viewport = m_scroll->viewport()->width();
    if (left < CompareColumns::kKeyWidth)
        m_sideways->setValue(m_columns.offset + left - CompareColumns::kKeyWidth);
    else if (right > viewport)
        m_sideways->setValue(m_columns.offset + right - viewport);
}

void ComparePage::setReference(const std::string& runId) {
    m_reference = runId;
    showData();
}

void ComparePage::setBestAsReference() {
    std::vector<const tracking::Run*> runs;
    for (const auto& run : m_data.runs) runs.push_back(run.get());
    const auto best = compare::bestRun(runs, m_best, m_data.goals);
    if (!best) return emit notification(tr("No single run is best on any metric"));
    setCurrent(static_cast<int>(best->run));
    setReference(runs[best->run]->id);
    emit notification(
        tr("%1 has the best %2").arg(sanitized(runs[best->run]->name), sanitized(best->metric)));
}

void ComparePage::removeRun(const std::string& runId) {
    std::erase(m_runIds, runId);
    std::erase_if(m_data.runs, [&](const RunPtr& run) { return run->id == runId; });
    if (m_reference == runId) m_reference = m_data.runs.empty() ? std::string() : m_data.runs.front()->id;
    showData();
    showCharts();
    m_clips->setRuns(m_runIds);
}

void ComparePage::moveRun(int from, int to) {
    const int last = static_cast<int>(m_data.runs.size()) - 1;
    if (from == to || from < 0 || to < 0 || from > last || to > last) return;
    const auto move = [&](auto& list) {
        const auto item = list[static_cast<std::size_t>(from)];
        list.erase(list.begin() + from);
        list.insert(list.begin() + to, item);
    };
    move(m_data.runs);
    m_runIds = loadedIds();
    m_current = to;
    showData();
    showCharts();
    m_clips->setRuns(m_runIds);
}

bool ComparePage::isSettled() const {
    return m_loaded && !m_reading && !m_readingBest && !m_comparing && !m_readLater.isActive() &&
           (m_data.runs.size() < 2 || (m_charts->isSettled() && m_clips->isSettled()));
}

QString ComparePage::markdown() const {
    return QString::fromStdString(compare::toMarkdown(*m_comparison, m_table->lines()));
}

QString ComparePage::csv() const {
    return QString::fromStdString(compare::toCsv(*m_comparison, m_table->lines()));
}

void ComparePage::copy(const QString& text, const QString& what) {
    QApplication::clipboard()->setText(text);
    emit notification(tr("Copied the rows on show as %1").arg(what));
}

// -- events

bool ComparePage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape || key == Qt::Key_Return || key == Qt::Key_Enter || key == Qt::Key_Down) {
            if (key == Qt::Key_Escape) m_search->clear();
            setFocus();
            return true;
        }
    }
    if (event->type() == QEvent::Wheel && watched != m_search) {
        auto* wheel = static_cast<QWheelEvent*>(event);
        const bool turned = wheel->modifiers() & Qt::ShiftModifier;
        const int sideways = wheel->angleDelta().x() != 0 ? wheel->angleDelta().x()
                             : turned                     ? wheel->angleDelta().y()
                                                          : 0;
        if (sideways != 0) {
            m_sideways->setValue(m_sideways->value() - sideways);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void ComparePage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    layOutColumns();
}

void ComparePage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    layOutColumns();
    setFocus();
    if (m_stale) read();
}

}  // namespace dailies::ui
