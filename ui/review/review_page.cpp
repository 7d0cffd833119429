#include "ui/review/review_page.h"

#include "core/base/files.h"
#include "core/tracking/imported_run.h"
#include "core/tracking/scored_run.h"
#include "ui/playback/frame_curve_strip.h"
#include "ui/playback/transport_bar.h"
#include "ui/review/arena/arena_view.h"
#include "ui/review/arrangement_picker.h"
#include "ui/review/cheat_sheet.h"
#include "ui/review/clip_comparison.h"
#include "ui/review/judging/drawing_bar.h"
#include "ui/review/judging/note_panel.h"
#include "ui/review/judging/review_controller.h"
#include "ui/review/last_viewed_sweep.h"
#include "ui/review/morning/morning_view.h"
#include "ui/review/outputs/clip_exporter.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/viewport/view_settings.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAbstractItemView>
#include <QBoxLayout>
#include <QComboBox>
#include <QKeyEvent>
#include <QMenu>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kStepsPerSecond = 4;  ///< slow enough to see what a step has changed
constexpr std::size_t kMaxTilesToForesee = 128;

bool onlyScore(const std::vector<tracking::Run>& runs) {
    return std::ranges::all_of(
        runs, [](const tracking::Run& run) { return run.tags.contains(tracking::tag::kScoredRun); });
}

/// Opened together from a folder of clips: they go by its name.
bool areOfOneFolder(const std::vector<tracking::Run>& runs) {
    return !runs.empty() && std::ranges::all_of(runs, [&](const tracking::Run& run) {
        return tracking::isImported(run) && run.experimentId == runs.front().experimentId;
    });
}

}  // namespace

ReviewPage::ReviewPage(std::filesystem::path storeFile, QWidget* parent) : QWidget(parent) {
    m_request.storeFile = std::move(storeFile);
    setObjectName(QStringLiteral("page"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(QStringLiteral("Review"));
    reload();  // on a thread of its own, while the widgets are made
    // Each widget is made in the one that holds it: one that gets its parent later has the style sheet worked
    // out again for all that it holds.
    QBoxLayout* page = makeColumn(0);
    setLayout(page);
    m_modes = new QStackedWidget(this);
    page->addWidget(m_modes);
    auto* wallRoom = new QWidget(m_modes);
    setDisabledReason(*wallRoom, tr("Go back to the wall first"));
    m_modes->addWidget(wallRoom);
    QBoxLayout* column = makeColumn(0);
    wallRoom->setLayout(column);
    m_header = makePageBar();
    column->addWidget(m_header);
    m_stack = new QStackedWidget(wallRoom);
    column->addWidget(m_stack, 1);

    auto* room = new QWidget(m_stack);
    m_stack->addWidget(room);
    setDisabledReason(*room, tr("No clip is on the wall"));
    QBoxLayout* roomColumn = makeColumn(0);
    room->setLayout(roomColumn);
    QBoxLayout* wallRow = makeRow(0);
    roomColumn->addLayout(wallRow, 1);
    m_views = new QStackedWidget(room);
    wallRow->addWidget(m_views, 1);
    m_wall = new WallView(m_player, m_views);
    m_views->addWidget(m_wall);
    m_comparison = new ClipComparison(m_player, m_views);
    setDisabledReason(*m_comparison, tr("Compare a clip with the reference first"));
    m_views->addWidget(m_comparison);
    roomColumn->addWidget(makeLine());
    m_transport = new TransportBar(m_player.playhead(), room);
    excludeFromPalette(*m_transport);  // there are actions for all of it
    roomColumn->addWidget(m_transport);
    buildTileSize();
    m_reviewController = new ReviewController(m_request.storeFile, *m_wall, m_player, *m_transport, this);
    wallRow->addWidget(&m_reviewController->panel());
    roomColumn->insertWidget(0, &m_reviewController->drawingBar());
    buildHeader();
    m_clipExporter = new ClipExporter(m_request.storeFile, room);
    connect(m_clipExporter, &ClipExporter::saved, this, &ReviewPage::saved);
    connect(m_clipExporter, &ClipExporter::notification, this, &ReviewPage::notification);
    roomColumn->addWidget(m_clipExporter);

    m_empty = new EmptyState(QStringLiteral("review"), {}, {}, m_stack);
    connect(m_empty->addAction(QStringLiteral("Launch a sweep"), ButtonKind::Primary), &QPushButton::clicked,
            this, &ReviewPage::launchRequested);
    connect(m_empty->addAction(tr("Open a folder of clips…"), ButtonKind::Normal), &QPushButton::clicked,
            this, &ReviewPage::openFolderRequested);
    m_stack->addWidget(m_empty);
    m_stack->addWidget(new QWidget(m_stack));  // blank, until the store has been read once
    m_stack->setCurrentIndex(2);
    buildModes();

    connect(m_transport, &TransportBar::stepChosen, this, &ReviewPage::showStep);
    connect(m_comparison, &ClipComparison::closed, this, &ReviewPage::showWall);
    connect(m_comparison, &ClipComparison::neighborRequested, this, [this](int columns, int rows) {
        m_wall->moveSelection(columns, rows);
        refreshComparison();
    });
    onThemeChange(this, [this] { refreshScene(); });
    connect(m_wall, &WallView::selectionChanged, this, &ReviewPage::holdSelectedClip);
    connect(m_wall, &WallView::selectionChanged, this, [this] {
        m_transport->curveStrip().setCurves(
            m_wall->scene().frameCurves(m_wall->selectedColumn(), m_wall->selectedRow()));
    });
    connect(m_wall, &WallView::offsetsChanged, this, &ReviewPage::refreshComparison);
    connect(m_wall, &WallView::menuRequested, this, [this](const QPoint& place) { showClipMenu(place); });
    m_wall->installEventFilter(this);
    m_stepPlayhead.setReadyCheck([this](int) { return m_player.isComplete(); });
    connect(&m_player, &ClipPlayer::pictureChanged, &m_stepPlayhead, &Playhead::framesArrived);
    connect(&m_stepPlayhead, &Playhead::frameChanged, this, &ReviewPage::showStep);
    m_transport->setStepPlayhead(m_stepPlayhead);
    connect(&m_reviewController->reviewModel(), &ReviewModel::changed, this, &ReviewPage::refreshScene);
    connect(&m_reviewController->reviewModel(), &ReviewModel::notification, this, &ReviewPage::notification);
    connect(&m_reviewController->reviewModel(), &ReviewModel::failed, this, &ReviewPage::failed);
    connect(m_reviewController, &ReviewController::filterChanged, this, &ReviewPage::refreshScene);
    addKeys();
    m_reviewController->addKeys(m_keys);
    addModeKeys();
    connect(&m_keys, &ShortcutActions::changed, this, &ReviewPage::describeTools);
    describeTools();
    m_transport->setKeys(m_keys);
    offerActions();
    m_keys.setFile(userConfigFolder() / "keys.json", QStringLiteral("review"));
}

ReviewPage::~ReviewPage() {
    hide();  // while what its parts do then is still there
}

void ReviewPage::setRuns(const std::vector<std::string>& runIds) {
    m_request = {m_request.storeFile, runIds, {}};
    readChosen();
}

void ReviewPage::addLaunched(const std::vector<std::string>& runIds) {
    m_request.launchedRunIds.insert(m_request.launchedRunIds.end(), runIds.begin(), runIds.end());
    reload();
}

// -- loading

void ReviewPage::readChosen() {
    m_loading.cancel();  // other runs are being read, which nobody waits for now
    m_isLoading = m_reloadAgain = false;
    reload();
}

void ReviewPage::reload() {
    if (m_loaded && !isVisible()) {  // runs change every second while nobody looks
        m_isStale = true;
        return;
    }
    m_isStale = false;
    if (m_isLoading) {  // one reading at a time; what changed meanwhile is read after it
        m_reloadAgain = true;
        return;
    }
    m_isLoading = true;
    m_loading = runAsync(
        this,
        [request = m_request, first = !m_loaded](const std::stop_token& stop) mutable {
            if (first && request.sweepId.empty()) request.sweepId = lastViewedSweep(request.storeFile);
            return loadReview(request, stop);
        },
        [this](ReviewData loaded) { showLoaded(std::move(loaded)); },
        [this](const Error& error) { showFailure(error); });
}

void ReviewPage::showLoaded(ReviewData loaded) {
    m_isLoading = false;
    m_loaded = true;
    m_data = std::move(loaded);
    keepSweep();
    RunColors::instance().assign(m_data.colors);
    m_reviewController->reviewModel().setRead(m_data.reviews, m_data.seen);
    m_morning->refresh(false);
    if (!m_data.steps.empty() && m_followNewest && !m_reviewController->isWriting())
        m_step = m_data.steps.back();
    refreshSweeps();
    m_arrangement->setData(m_data);
    refreshSteps();
    refreshScene();
    refreshEmptyState();
    refreshActions();
    if (std::exchange(m_reloadAgain, false)) reload();
}

/// Once its clips are on the wall a sweep stays there, whichever others come, until somebody chooses another.
void ReviewPage::keepSweep() {
    if (m_data.sweepId.empty() || m_data.rows.empty()) return;
    m_request.sweepId = m_data.sweepId;
    if (std::exchange(m_lastViewedSweep, m_data.sweepId) == m_data.sweepId) return;
    runAsync(
        this,
        [request = m_request](const std::stop_token&) {
            setLastViewedSweep(request.storeFile, request.sweepId);
        },
        [] {}, [](const Error&) {});  // it costs nothing but the memory
}

void ReviewPage::showFailure(const Error& error) {
    m_isLoading = false;
    m_loaded = true;
    m_empty->setTexts(QStringLiteral("The store cannot be read"), QString::fromStdString(error.full()));
    if (m_data.rows.empty()) m_stack->setCurrentWidget(m_empty);
    if (std::exchange(m_reloadAgain, false)) reload();
}

void ReviewPage::refreshSweeps() {
    if (m_sweeps->view()->isVisible())
        return;  // somebody is choosing: entries must not move under the pointer
    const QSignalBlocker blocker(m_sweeps);
    m_sweeps->clear();
    for (const auto& sweep : m_data.sweeps)
        m_sweeps->addItem(sanitized(sweep.name), QString::fromStdString(sweep.id));
    if (m_data.sweepId.empty()) {
        const auto runs = m_data.runs.size();
        m_sweeps->addItem(areOfOneFolder(m_data.runs) ? sanitized(m_data.runs.front().experiment)
                          : runs == 1                 ? tr("1 selected run")
                                                      : tr("%1 selected runs").arg(runs));
        m_sweeps->setCurrentIndex(m_sweeps->count() - 1);
    } else {
        m_sweeps->setCurrentIndex(m_sweeps->findData(QString::fromStdString(m_data.sweepId)));
    }
    m_sweeps->setToolTip(tr("The sweep whose runs are shown: %1").arg(m_sweeps->currentText()));
}

void ReviewPage::refreshEmptyState() {
    if (!m_data.rows.empty()) {
        if (m_stack->currentIndex() != 0) {
            m_stack->setCurrentIndex(0);
            m_wall->setFocus();
        }
    } else {
        if (m_data.runs.empty() && m_data.sweeps.empty())
            m_empty->setTexts(
                QStringLiteral("No clips to review yet"),
                QStringLiteral("Launch a sweep: every run samples clips as it trains, and they appear "
                               "here side by side while it does. Or drop a folder of videos here."));
        else if (m_data.runs.empty())
            m_empty->setTexts(QStringLiteral("No runs to review here"),
                              QStringLiteral("Its runs are archived. Choose another sweep above, or restore "
                                             "their runs: Runs, More, Show archived runs."));
        else if (onlyScore(m_data.runs))
            m_empty->setTexts(QStringLiteral("These jobs score clips and make none"),
                              QStringLiteral("Choose another sweep above."));
        else
            m_empty->setTexts(
                QStringLiteral("No clips yet from these runs"),
                QStringLiteral("The first clips appear here as soon as a run has sampled them "
                               "(sampling.every steps) and they have been copied from the cluster."));
        m_stack->setCurrentWidget(m_empty);
    }
    m_arrangement->setVisible(!m_data.runs.empty());
    // A sweep without anything to show is no reason to take away the way to another one.
    m_sweeps->setVisible(!m_data.sweeps.empty() || !m_data.runs.empty());
    m_reviewController->filterBox().setVisible(!m_data.runs.empty());
}

void ReviewPage::refreshScene() {
    m_arrangement->setStep(m_step);
    WallScene scene = makeScene(m_data, m_arrangement->arrangement());
    addReviews(scene, m_reviewController->reviewModel(), m_reviewController->filter());
    m_wall->setScene(std::move(scene));
    holdSelectedClip();
    refreshComparison();

    std::vector<PlayedClip> next;
    if (m_wall->scene().tiles.size() <= kMaxTilesToForesee)
        for (const int index : {stepIndex() + 1, stepIndex() - 1}) {
            if (index < 0 || index >= static_cast<int>(m_data.steps.size())) continue;
            WallArrangement there = m_arrangement->arrangement();
            there.step = m_data.steps[static_cast<std::size_t>(index)];
            for (PlayedClip& clip : m_wall->visibleClips(makeScene(m_data, there)))
                next.push_back(std::move(clip));
        }
    m_player.setPrefetchClips(std::move(next));
}

void ReviewPage::holdSelectedClip() {
    const WallScene& scene = m_wall->scene();
    if (scene.tiles.empty()) return;
    const WallScene::Tile* held = &scene.tile(m_wall->selectedColumn(), m_wall->selectedRow());
    if (held->step < 0) {  // of a run that waits in the queue there would be nothing to see
        if (!m_arrangement->arrangement().runId.empty()) return;
        for (const WallScene::Tile& tile : scene.tiles)
            if (held->step < 0) held = &tile;
    }
    if (held->step >= 0) m_arrangement->hold(held->runId, {held->prompt, held->seed});
}

bool ReviewPage::isSettled() {
    if (m_modes->currentWidget() == m_arena) return m_arena->isSettled();
    if (m_modes->currentWidget() == m_morning) return m_morning->isSettled();
    const bool compared = m_views->currentWidget() != m_comparison || m_comparison->isSettled();
    return m_loaded && !m_isLoading && m_player.isComplete() && compared;
}

// -- comparing and checks

void ReviewPage::showWall() {
    m_wall->setPanZoom(m_comparison->viewport().panZoom());
    m_views->setCurrentWidget(m_wall);
    m_wall->setFocus();
}

void ReviewPage::showComparison(ViewMode mode) {
    if (m_wall->scene().tiles.empty()) return;
    m_comparison->setMode(mode);
    m_comparison->setPanZoom(m_wall->panZoom());
    m_views->setCurrentWidget(m_comparison);
    refreshComparison();
    m_comparison->setFocus();
}

void ReviewPage::refreshComparison() {
    const WallScene& scene = m_wall->scene();
    if (m_views->currentWidget() != m_comparison || scene.tiles.empty()) return;
    const int column = m_wall->selectedColumn(), row = m_wall->selectedRow();
    int reference = column == 0 && scene.columns.size() > 1 ? 1 : 0;
    for (int c = static_cast<int>(scene.columns.size()) - 1; c >= 0; --c)
        if (c != column && !scene.tile(c, row).file.empty()) reference = c;
    if (scene.columns.front().pinned && column != 0) reference = 0;
    const auto compared = [&](int c) {
        const WallScene::Tile& tile = scene.tile(c, row);
        return ComparedClip{tile.file,
                            tile.frames,
                            tile.fps,
                            scene.columns[static_cast<std::size_t>(c)].name,
                            tile.note,
                            runColor(tile.runId),
                            m_wall->offsetOf(c, row)};
    };
    m_comparison->compare(compared(reference), compared(column));
}

void ReviewPage::goToNextFinding() {
    const WallScene& scene = m_wall->scene();
    if (scene.tiles.empty()) return;
    Playhead& playhead = m_player.playhead();
    const auto columns = static_cast<int>(scene.columns.size()), tiles = static_cast<int>(scene.tiles.size());
    const int selected = m_wall->selectedRow() * columns + m_wall->selectedColumn();
    // Once around, back to this tile's frames up to the present one.
    for (int i = 0; i <= tiles; ++i) {
        const int tile = (selected + i) % tiles;
        std::optional<int> next;
        for (const auto& finding : scene.tiles[static_cast<std::size_t>(tile)].findings)
            if ((i > 0 || finding.firstFrame > playhead.frame()) && (!next || finding.firstFrame < *next))
                next = finding.firstFrame;
        if (!next) continue;
        m_wall->select(tile % columns, tile / columns);
        refreshComparison();
        playhead.pause();
        playhead.seek(*next);
        return;
    }
}

// -- training steps

int ReviewPage::stepIndex() const {
    return m_data.stepIndex(m_step);
}

void ReviewPage::refreshSteps() {
    const int index = stepIndex();
    m_transport->setSteps(m_data.steps, index);
    const QSignalBlocker blocker(m_stepPlayhead);  // it follows here, and does not lead
    m_stepPlayhead.setTiming(
        video::ClipTiming::constantRate(static_cast<int>(m_data.steps.size()), kStepsPerSecond));
    m_stepPlayhead.seek(index);
}

void ReviewPage::showStep(int index) {
    if (m_data.steps.empty()) return;
    const int last = static_cast<int>(m_data.steps.size()) - 1;
    const int chosen = std::clamp(index, 0, last);
    m_followNewest = chosen == last;
    m_step = m_data.steps[static_cast<std::size_t>(chosen)];
    refreshSteps();
    refreshScene();
}

// -- keys

void ReviewPage::keyPressEvent(QKeyEvent* event) {
    if (!m_keys.handle(*event)) QWidget::keyPressEvent(event);
}

bool ReviewPage::eventFilter(QObject* watched, QEvent* event) {
    // The wall has keys of its own, for pages without a registry; here only what the registry says counts.
    if (watched != m_wall || event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
    event->setAccepted(m_keys.handle(*static_cast<QKeyEvent*>(event)));
    return true;
}

void ReviewPage::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    m_modes->currentIndex() == 0 ? m_views->currentWidget()->setFocus()
                                 : m_modes->currentWidget()->setFocus();
    m_player.retryErrors();
    if (m_isStale) reload();
}

void ReviewPage::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_player.playhead().pause();
    m_player.suspend();
    m_stepPlayhead.pause();
}

void ReviewPage::showKeys() {
    CheatSheet(m_keys, QStringLiteral("Keys of the Review page"), this).exec();
}

void ReviewPage::exportClips(const QString& ending) {
    if (m_data.rows.empty()) return;
    m_clipExporter->ask(*m_wall, sanitized(m_data.title()), m_reviewController->reviewModel().reviews(),
                        ending);
}

std::vector<std::string> ReviewPage::shownRunIds() const {
    std::vector<std::string> ids;
    for (const auto& run : m_data.runs) ids.push_back(run.id);
    return ids;
}

}  // namespace dailies::ui
