#include "ui/run_page/run_page.h"

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/tracking/sampled_run.h"
#include "ui/bridge/read_store.h"
#include "ui/bridge/write_store.h"
#include "ui/charts/chart_grid.h"
#include "ui/link/cluster_worker.h"
#include "ui/run_details/fact_list.h"
#include "ui/run_details/log_panel.h"
#include "ui/run_details/log_view.h"
#include "ui/run_details/run_facts.h"
#include "ui/run_details/run_gates.h"
#include "ui/run_details/step_dialogs.h"
#include "ui/run_page/attempt_timeline.h"
#include "ui/run_page/checkpoints_tab.h"
#include "ui/run_page/clips_tab.h"
#include "ui/run_page/config_tab.h"
#include "ui/run_page/notes_tab.h"
#include "ui/run_page/overview_tab.h"
#include "ui/run_page/tags_tab.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/elided_edit.h"
#include "ui/widgets/fit_to_width.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QApplication>
#include <QBoxLayout>
#include <QClipboard>
#include <QKeyEvent>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QScrollArea>
#include <QShortcut>
#include <QStackedWidget>
#include <QTabBar>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <array>

namespace dailies::ui {

namespace {

constexpr int kReadDelayMs = 300;
constexpr int kNarrowestName = 120;

/// The run's colour, as it is everywhere.
class ColorDot : public QWidget {
public:
    explicit ColorDot(const std::string& runId) : m_runId(runId) { setFixedSize(14, 14); }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(Qt::NoPen);
        painter.setBrush(runColor(m_runId));
        painter.drawEllipse(QRectF(rect()).adjusted(1, 1, -1, -1));
    }

private:
    const std::string& m_runId;  ///< the page's
};

}  // namespace

RunPage::RunPage(std::filesystem::path storeFile, ClusterWorker& worker, QWidget* parent)
    : QWidget(parent),
      m_storeFile(std::move(storeFile)),
      m_worker(worker),
      m_stack(new QStackedWidget),
      m_empty(new EmptyState(QStringLiteral("runs"), tr("No run is open"),
                             tr("Choose one in the table and press Enter."))),
      m_color(new ColorDot(m_runId)),
      m_name(new ElidedEdit),
      m_statusIcon(new QLabel),
      m_status(new ElidedLabel(TextStyle::Body)),
      m_place(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_progress(new QProgressBar),
      m_archivedBar(makeCard()),
      m_cancel(makeButton(tr("Cancel"), ButtonKind::Danger, QStringLiteral("stop"))),
      m_review(makeButton(tr("Review"), ButtonKind::Primary, QStringLiteral("review"))),
      m_compare(makeButton(tr("Compare with…"), ButtonKind::Normal, QStringLiteral("columns"))),
      m_more(makeIconButton(QStringLiteral("more"), tr("More"))),
      m_tabs(new QTabWidget),
      m_overview(new OverviewTab),
      m_config(new ConfigTab),
      m_charts(new ChartGrid(m_storeFile)),
      m_clips(new ClipsTab(m_storeFile)),
      m_checkpoints(new CheckpointsTab(m_storeFile, worker)),
      m_timeline(new AttemptTimeline),
      m_attempts(new FactList),
      m_log(new LogPanel(m_storeFile, worker)),
      m_notes(new NotesTab(m_storeFile)),
      m_tags(new TagsTab(m_storeFile)) {
    setObjectName(QStringLiteral("page"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Run"));
    setFocusPolicy(Qt::StrongFocus);
    makeTabs();
    auto* content = new QWidget;
    auto* column = makeColumn(0);
    column->addWidget(makeHeader());
    column->addWidget(m_archivedBar);
    column->addWidget(m_tabs, 1);
    content->setLayout(column);
    connect(m_empty->addAction(tr("Back"), ButtonKind::Primary), &QPushButton::clicked, this,
            &RunPage::backRequested);
    m_stack->addWidget(content);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(new QWidget);  // until the store has been read, neither of them
    m_stack->setCurrentIndex(2);
    auto* all = makeColumn(0);
    all->addWidget(m_stack);
    setLayout(all);

    onThemeChange(this, [this] { showHeader(); });  // the status has a colour
    connect(new QShortcut(QKeySequence::Find, this), &QShortcut::activated, this, [this] {
        if (m_tabs->currentWidget() == m_log) m_log->focusSearch();
        if (m_tabs->currentWidget() == m_config) m_config->focusSearch();
    });
    m_readLater.setSingleShot(true);
    m_readLater.setInterval(kReadDelayMs);
    connect(&m_readLater, &QTimer::timeout, this, &RunPage::read);
    m_clock.setInterval(1000);
    connect(&m_clock, &QTimer::timeout, this, &RunPage::tick);
    m_clock.start();
    connect(&m_worker, &ClusterWorker::stateChanged, this, &RunPage::showHeader);
    connect(&m_worker, &ClusterWorker::runsChanged, this, [this](const std::vector<std::string>& ids) {
        if (m_runId.empty() || (!ids.empty() && std::find(ids.begin(), ids.end(), m_runId) == ids.end()))
            return;
        m_stale = true;
        if (isVisible()) m_readLater.start();
    });
}

QWidget* RunPage::makeHeader() {
    auto* bar = new QFrame;
    bar->setProperty("bar", true);
    auto* rows = makeColumn(space::k4, {space::k8, space::k12, space::k16, space::k8});
    auto* top = makeRow(space::k8);
    auto* back = makeIconButton(QStringLiteral("chevron-left"), tr("Back (Esc)"));
    connect(back, &QToolButton::clicked, this, &RunPage::backRequested);
    excludeFromPalette(*back);  // the window has it
    top->addWidget(back);
    top->addWidget(m_color);
    m_name->setFont(Theme::font(TextStyle::Display));
    m_name->setFrame(false);
    m_name->setObjectName(QStringLiteral("title"));
    m_name->setAccessibleName(tr("Name of the run"));
    m_name->setToolTip(tr("Click to rename (F2). Enter saves, Esc cancels"));
    m_name->setMinimumWidth(kNarrowestName);
    m_name->installEventFilter(this);
    top->addWidget(m_name, 1);
    m_cancel->setToolTip(tr("Cancel the run's job"));
    m_review->setToolTip(tr("Review its clips (R)"));
    m_compare->setToolTip(tr("Choose runs to compare it with (C)"));
    top->addWidget(m_cancel);
    top->addWidget(m_compare);
    top->addWidget(m_review);
    auto* menu = new QMenu(m_more);
    menu->setToolTipsVisible(true);
    const auto entry = [&](const char* iconName, const QString& text, auto call) {
        return menu->addAction(icon(QLatin1String(iconName)), text, this, call);
    };
    m_fork = entry("branch", tr("Fork with changed params…"), [this] { emit forkRequested(m_runId); });
    m_extend = entry("play", tr("Extend…"), [this] {
        openExtendDialog({*m_records.run}, this,
                         [this, id = m_runId](qint64 steps) { emit extendRequested(id, steps); });
    });
    m_sample = entry("image", tr("Sample clips…"), [this] { emit sampleRequested(m_runId); });
    m_batch = entry("datasets", tr("Show a batch…"), [this] {
        openBatchDialog(*m_records.run, this,
                        [this, id = m_runId](qint64 step) { emit batchRequested(id, step); });
    });
    menu->addSeparator();
    m_copyId = entry("copy", tr("Copy run id"), [this] {
        QApplication::clipboard()->setText(QString::fromStdString(m_runId));
        emit notification(tr("Copied the run's id"));
    });
    m_archive = entry("trash", tr("Archive"), [this] { setArchived(true); });
    setPaletteWords(*m_fork, tr("clone duplicate"));
    setPaletteWords(*m_extend, tr("train longer continue resume"));
    setPaletteWords(*m_batch, tr("data x-ray clips step"));
    setPaletteWords(*m_archive, tr("delete remove"));
    setPaletteWords(*m_cancel, tr("stop kill"));
    m_more->setMenu(menu);
    m_more->setPopupMode(QToolButton::InstantPopup);
    top->addWidget(m_more);
    rows->addLayout(top);

    auto* below = makeRow(space::k8, {space::k32 + space::k12, 0, 0, 0});
    below->addWidget(m_statusIcon);
    below->addWidget(m_status, 1);
    below->addWidget(m_place);
    rows->addLayout(below);
    m_progress->setTextVisible(false);
    m_progress->setRange(0, 1000);
    m_progress->setAccessibleName(tr("Progress"));
    rows->addWidget(m_progress);
    bar->setLayout(rows);
    auto* fit = new FitToWidth(*bar);
    fit->iconsOnly({m_compare, m_cancel, m_review});

    auto* archived = makeRow(space::k8, {space::k16, space::k8, space::k8, space::k8});
    archived->addWidget(makeLabel(tr("This run is archived: hidden from all lists, with nothing deleted."),
                                  TextStyle::Body, TextTone::Warning),
                        1);
    auto* restore = makeButton(tr("Restore"), ButtonKind::Primary);
    connect(restore, &QPushButton::clicked, this, [this] { setArchived(false); });
    archived->addWidget(restore);
    m_archivedBar->setLayout(archived);
    m_archivedBar->hide();

    connect(m_cancel, &QPushButton::clicked, this, [this] { m_worker.cancelRuns({m_runId}); });
    connect(m_review, &QPushButton::clicked, this, [this] { emit reviewRequested({m_runId}); });
    connect(m_compare, &QPushButton::clicked, this, [this] { emit compareRequested(m_runId); });
    connect(m_name, &QLineEdit::editingFinished, this, &RunPage::rename);
    return bar;
}

void RunPage::makeTabs() {
    auto* attempts = new QScrollArea;
    auto* sheet = new QWidget;
    sheet->setProperty("clear", true);
    auto* column = makeColumn(space::k16, {space::k16, space::k16, space::k16, space::k16});
    column->addWidget(m_timeline);
    column->addWidget(m_attempts);
    column->addStretch();
    sheet->setLayout(column);
    attempts->setWidget(sheet);
    attempts->setWidgetResizable(true);
    attempts->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    m_tabs->setDocumentMode(true);
    m_tabs->addTab(m_overview, tr("Overview"));
    m_tabs->addTab(m_config, tr("Config"));
    m_tabs->addTab(m_charts, tr("Curves"));
    m_tabs->addTab(m_clips, tr("Clips"));
    m_tabs->addTab(m_checkpoints, tr("Checkpoints"));
    m_tabs->addTab(attempts, tr("Attempts"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_notes, tr("Notes"));
    m_tabs->addTab(m_tags, tr("Tags"));
    m_tabs->tabBar()->setDrawBase(false);
    m_tabs->tabBar()->setExpanding(false);
    for (int i = 0; i < m_tabs->count(); ++i)
        m_tabs->setTabToolTip(i, QStringLiteral("%1 (%2)").arg(m_tabs->tabText(i)).arg(i + 1));

    connect(m_config, &ConfigTab::notification, this, &RunPage::notification);
    connect(m_checkpoints, &CheckpointsTab::notification, this, &RunPage::notification);
    connect(m_checkpoints, &CheckpointsTab::pulled, this, &RunPage::read);
    connect(m_charts, &ChartGrid::failed, this, &RunPage::failed);
    connect(m_clips, &ClipsTab::failed, this, &RunPage::failed);
    connect(m_log, &LogPanel::failed, this, &RunPage::failed);
    connect(m_notes, &NotesTab::failed, this, &RunPage::failed);
    connect(m_tags, &TagsTab::failed, this, &RunPage::failed);
    connect(m_tags, &TagsTab::changed, this, &RunPage::read);
    connect(m_charts, &ChartGrid::stepChosen, this, [this](const std::string&, double step) {
        m_charts->setStepCursor(step);
        m_clips->showNearest(step);
        showTab(Tab::Clips);
    });
    connect(m_clips, &ClipsTab::stepChosen, m_charts, [this](double step) { m_charts->setStepCursor(step); });
}

void RunPage::setRun(const std::string& runId) {
    m_notes->saveNow();
    if (runId != m_runId) {
        m_runId = runId;
        m_records = {};
        m_loaded = false;
        m_stack->setCurrentIndex(2);
        m_charts->setStepCursor(std::nullopt);
        m_tabs->setCurrentIndex(0);
    }
    read();
}

void RunPage::showTab(Tab tab) {
    m_tabs->setCurrentIndex(static_cast<int>(tab));
}

void RunPage::showTab(std::string_view title) {
    static constexpr std::array<std::string_view, 9> kTitles{
        "overview", "config", "curves", "clips", "checkpoints", "attempts", "log", "notes", "tags"};
    const std::string wanted =
        QString::fromUtf8(title.data(), static_cast<qsizetype>(title.size())).toLower().toStdString();
    const auto found = std::find(kTitles.begin(), kTitles.end(), wanted);
    if (found == kTitles.end())
        throw InputError(
            "a run's page has no tab '" + sanitizedText(title) + "'",
            "Choose one of: overview, config, curves, clips, checkpoints, attempts, log, notes, tags.");
    showTab(static_cast<Tab>(found - kTitles.begin()));
}

void RunPage::read() {
    m_stale = false;
    if (m_runId.empty()) {
        m_loaded = true;
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    m_task.cancel();
    m_reading = true;
    m_task = readStore(
        this, m_storeFile,
        [id = m_runId](const tracking::Store& store, const std::stop_token&) {
            return loadRecords(store, id);
        },
        [this](RunRecords records) {
            m_reading = false;
            apply(std::move(records));
        },
        [this](const Error& error) {
            m_reading = false;
            m_loaded = true;
            m_empty->setTexts(tr("The run cannot be read"), sanitized(error.full()));
            m_stack->setCurrentWidget(m_empty);
            emit failed(error);
        });
}

void RunPage::apply(RunRecords records) {
    m_records = std::move(records);
    m_loaded = true;
    if (!m_records.run) {
        m_empty->setTexts(tr("This run is not in the store any more"),
                          tr("It was deleted permanently, by this program or another one."));
        m_stack->setCurrentWidget(m_empty);
        return;
    }
    m_stack->setCurrentIndex(0);
    const auto& run = *m_records.run;
    const auto shared = std::make_shared<const tracking::Run>(run);
    m_config->setRun(run);
    m_charts->setExperiment(run.experiment);
    m_charts->setRuns({{.run = shared}}, sanitized(run.name));
    m_charts->runsChanged({run.id});
    m_clips->setRun(run.id);
    m_checkpoints->setRecords(m_records);
    m_log->setRun(run, m_records.attempts);
    m_log->setProgress(progressText(m_records));
    m_notes->setRun(run);
    m_tags->setRun(run);
    const auto count = [this](Tab tab, const QString& name, std::size_t number) {
        m_tabs->setTabText(static_cast<int>(tab),
                           number == 0 ? name : QStringLiteral("%1  %2").arg(name).arg(number));
    };
    count(Tab::Checkpoints, tr("Checkpoints"), m_records.checkpoints.size());
    count(Tab::Attempts, tr("Attempts"), m_records.attempts.size());
    const bool noted = run.tags.find(NotesTab::kTag) != run.tags.end();
    // Always one, or the tabs behind it would move with the first word.
    m_tabs->setTabIcon(static_cast<int>(Tab::Notes),
                       icon(QStringLiteral("note"), noted ? colors().accent : colors().textFaint));
    showHeader();
    tick();
}

void RunPage::showHeader() {
    if (!m_records.run) return;
    const auto& run = *m_records.run;
    m_color->update();
    if (!m_name->hasFocus()) m_name->setText(sanitized(run.name));
    m_statusIcon->setPixmap(
        icon(statusIcon(run), statusColor(run)).pixmap(QSize(16, 16), devicePixelRatioF()));
    QStringList words{statusText(run)};
    if (const QString reason = reasonText(run); !reason.isEmpty()) words << reason;
    const std::string connectedTo = m_worker.connectedTo();
    if (const QString age = freshnessText(m_records, connectedTo, unixMillis()); !age.isEmpty()) words << age;
    static_cast<ElidedLabel*>(m_status)->setFullText(words.join(QStringLiteral(" · ")));
    setTone(m_status, run.status == tracking::RunStatus::Failed ? TextTone::Danger : TextTone::Normal);
    QStringList place;
    for (const char* key : {tracking::tag::kCluster, tracking::tag::kJob})
        if (const auto value = tagOf(run, key); !value.empty())
            place << (key == tracking::tag::kJob ? tr("job %1").arg(sanitized(value)) : sanitized(value));
    m_place->setText(place.join(QStringLiteral(" · ")));
    const Pace pace = paceOf(m_records);
    m_progress->setVisible(isActive(run.status) && pace.steps > 0);
    if (pace.steps > 0)
        m_progress->setValue(static_cast<int>(1000 * std::min(pace.step, pace.steps) / pace.steps));
    m_cancel->setVisible(isActive(run.status) && !run.deleted);
    const QString offline = tr("Connect to the run's cluster to cancel its job");
    setAvailable(*m_cancel, connectedTo.empty() ? offline : QString());
    m_cancel->setToolTip(connectedTo.empty() ? offline : tr("Cancel the run's job"));
    const QString archived = run.deleted ? tr("Archived runs must be restored first") : QString();
    for (const auto& [action, why] :
         {std::pair{m_fork, whyNotForked(run)}, std::pair{m_extend, whyNotExtended(run)},
          std::pair{m_sample, whyNotSampled(run)}, std::pair{m_batch, whyNoBatch(run)}}) {
        setAvailable(*action, run.deleted ? archived : why);
        action->setToolTip(disabledReason(*action).isEmpty() ? action->text() : disabledReason(*action));
    }
    setAvailable(*m_archive, run.deleted ? tr("The run is archived") : QString());
    m_archivedBar->setVisible(run.deleted);
    setAvailable(*m_compare, archived);
    setAvailable(*m_review, archived);
    const QString target = targetName(sanitized(run.name));
    for (const auto& [control, named] :
         std::initializer_list<std::pair<QObject*, QString>>{{m_fork, tr("Fork %1…")},
                                                             {m_extend, tr("Extend %1…")},
                                                             {m_sample, tr("Sample clips of %1…")},
                                                             {m_batch, tr("Show a batch of %1…")},
                                                             {m_copyId, tr("Copy the id of %1")},
                                                             {m_archive, tr("Archive %1")},
                                                             {m_cancel, tr("Cancel %1")},
                                                             {m_review, tr("Review %1")},
                                                             {m_compare, tr("Compare %1 with…")}})
        setPaletteName(*control, named.arg(target));
}

void RunPage::tick() {
    if (!m_records.run || (m_loaded && !isVisible())) return;
    const std::int64_t now = knownUntilMs(m_records, m_worker.connectedTo(), unixMillis());
    m_overview->setRecords(m_records, now);
    m_timeline->setSpans(timelineOf(m_records, now));
    auto groups = attemptFacts(m_records, now);
    if (groups.empty())
        groups.push_back({.facts = {{tr("No attempt yet"), tr("No job of this run has started.")}}});
    m_attempts->setGroups(std::move(groups));
}

void RunPage::rename() {
    if (!m_records.run) return;
    const std::string name = m_name->text().trimmed().toStdString();
    if (name == m_records.run->name || sanitized(m_records.run->name) == m_name->text()) return;
    if (name.empty()) {
        m_name->setText(sanitized(m_records.run->name));
        return;
    }
    writeStore(
        this, m_storeFile,
        [id = m_runId, name](tracking::Store& store) { store.setTag(id, "mlflow.runName", name); },
        [this] { read(); },
        [this](const Error& error) {
            m_name->setText(sanitized(m_records.run->name));
            emit failed(error);
        });
}

void RunPage::setArchived(bool archived) {
    writeStore(
        this, m_storeFile,
        [id = m_runId, archived](tracking::Store& store) {
            archived ? store.deleteRuns({id}) : store.restoreRuns({id});
        },
        [this] { read(); }, [this](const Error& error) { emit failed(error); });
}

bool RunPage::isSettled() const {
    return m_loaded && !m_reading && !m_readLater.isActive() &&
           (!m_records.run ||
            (m_charts->isSettled() && m_clips->isSettled() && m_log->isSettled() && m_notes->isSettled()));
}

void RunPage::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers() & Qt::ControlModifier;
    const int digit = event->key() - Qt::Key_1;
    if (!control && !(event->modifiers() & Qt::AltModifier) && digit >= 0 && digit < m_tabs->count())
        return showTab(static_cast<Tab>(digit));
    switch (event->key()) {
        case Qt::Key_Escape:
            return emit backRequested();
        case Qt::Key_F2:
            m_name->setFocus();
            return m_name->selectAll();
        case Qt::Key_R:
            return m_review->isEnabled() && !control ? m_review->click() : event->ignore();
        case Qt::Key_C:
            return m_compare->isEnabled() && !control ? m_compare->click() : event->ignore();
        case Qt::Key_Space:
            return m_clips->playhead().toggle();
        default:
            QWidget::keyPressEvent(event);
    }
}

bool RunPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == m_name && event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Escape) {
            m_name->setText(m_records.run ? sanitized(m_records.run->name) : QString());
            setFocus();
            return true;
        }
        if (key == Qt::Key_Return || key == Qt::Key_Enter) {
            setFocus();  // leaving the field keeps the name
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void RunPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    setFocus();
    if (m_stale) read();
    tick();
}

}  // namespace dailies::ui
