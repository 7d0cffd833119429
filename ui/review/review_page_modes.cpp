// The Review page's rooms beside the wall, and what can be done to a run from its clip.
#include "ui/review/arena/arena_view.h"
#include "ui/review/judging/review_controller.h"
#include "ui/review/judging/stroke_layer.h"
#include "ui/review/morning/morning_view.h"
#include "ui/review/review_page.h"
#include "ui/theme/icons.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QStackedWidget>

#include <algorithm>

namespace dailies::ui {

void ReviewPage::buildModes() {
    m_arena = new ArenaView(m_request.storeFile, m_modes);
    m_morning = new MorningView(m_request.storeFile, m_reviewController->reviewModel(), m_modes);
    m_modes->addWidget(m_arena);
    m_modes->addWidget(m_morning);
    setDisabledReason(*m_arena, tr("Open the blind arena first"));
    setDisabledReason(*m_morning, tr("Open the morning dailies first"));
    connect(m_arena, &ArenaView::left, this, &ReviewPage::leaveMode);
    connect(m_arena, &ArenaView::failed, this, &ReviewPage::failed);
    connect(m_arena, &ArenaView::notification, this, &ReviewPage::notification);
    connect(m_arena, &ArenaView::saved, this, &ReviewPage::saved);
    connect(m_arena, &ArenaView::trainRequested, this, &ReviewPage::trainOnPreferencesRequested);
    connect(m_morning, &MorningView::left, this, &ReviewPage::leaveMode);
    connect(m_morning, &MorningView::failed, this, &ReviewPage::failed);
    connect(m_morning, &MorningView::wallRequested, this, &ReviewPage::showOnWall);
    connect(m_morning, &MorningView::countChanged, this, [this](int clips) {
        m_unseenClips = clips;
        nameMorningEntry();
    });
}

void ReviewPage::addModeKeys() {
    const QString group = tr("Modes");
    const auto add = [&](const char* id, const QString& name, QKeyCombination key, auto run) {
        m_keys.add(group, QLatin1String(id), name, {QKeySequence(key)}, run);
    };
    add("arena", tr("Blind arena: rank the runs on the wall"), Qt::SHIFT | Qt::Key_B,
        [this] { enterArena(); });
    add("morning", tr("Morning dailies: clips not seen yet"), Qt::Key_M, [this] { enterMorning(); });
    add("act", tr("Run actions…"), Qt::Key_A, [this] { showClipMenu(std::nullopt); });
}

void ReviewPage::enterArena() {
    std::vector<std::string> runIds;
    for (const WallScene::Tile& tile : m_wall->scene().tiles)
        if (!tile.runId.empty() && std::ranges::find(runIds, tile.runId) == runIds.end())
            runIds.push_back(tile.runId);
    if (runIds.empty()) return;
    for (const std::string& id : std::vector(runIds))  // also those that are stacked
        for (const tracking::Run* resample : m_data.resamplesOf(id))
            if (std::ranges::find(runIds, resample->id) == runIds.end()) runIds.push_back(resample->id);
    m_player.playhead().pause();
    m_stepPlayhead.pause();
    m_modes->setCurrentWidget(m_arena);
    m_arena->enter(m_data, runIds, m_step);
}

void ReviewPage::enterMorning() {
    m_player.playhead().pause();
    m_stepPlayhead.pause();
    m_modes->setCurrentWidget(m_morning);
    m_morning->enter();
}

void ReviewPage::leaveMode() {
    m_modes->setCurrentIndex(0);
    m_wall->setFocus();
    m_morning->refresh(true);
    reload();
}

void ReviewPage::showOnWall(const std::string& runId, std::int64_t step) {
    leaveMode();
    if (std::ranges::none_of(m_data.runs, [&](const auto& run) { return run.id == runId; })) {
        setRuns({runId});
    } else if (const auto index = m_data.nearestStepIndex(static_cast<double>(step))) {
        showStep(*index);
    }
}

void ReviewPage::showClipMenu(std::optional<QPoint> place) {
    if (m_reviewController->pen().isDrawing()) return;
    QMenu* menu = makeRunMenu();
    if (!menu) return;
    const int column = m_wall->selectedColumn(), row = m_wall->selectedRow();
    const WallScene::Tile& tile = m_wall->scene().tile(column, row);
    if (!tile.path.empty()) addClipEntries(*menu);
    if (!place) {
        const QRect picture = m_wall->pictureRect(column, row) & m_wall->tileRect(column, row);
        place = m_wall->viewport()->mapToGlobal(picture.isEmpty() ? QPoint(space::k32, space::k32)
                                                                  : picture.center());
    }
    menu->popup(*place);
}

QMenu* ReviewPage::makeRunMenu() {
    const WallScene& scene = m_wall->scene();
    if (scene.tiles.empty()) return nullptr;
    const WallScene::Tile& tile = scene.tile(m_wall->selectedColumn(), m_wall->selectedRow());
    const auto run = std::ranges::find(m_data.runs, tile.runId, &tracking::Run::id);
    if (run == m_data.runs.end()) return nullptr;
    return m_clipActions.makeMenu(*run, tile.step, tile.prompt, tile.seed, this);
}

void ReviewPage::offerRunActions() {
    delete m_runActions;  // and its actions, which leave the page with it
    if (!isVisible() || m_modes->currentIndex() != 0) return;
    m_runActions = makeRunMenu();
    if (!m_runActions) return;
    for (QAction* action : m_runActions->actions())
        if (!paletteName(*action).isEmpty()) addAction(action);
}

/// What can be done to the clip itself: below the run's name, above what can be done to the run.
void ReviewPage::addClipEntries(QMenu& menu) {
    QAction* runEntries = menu.actions().value(1);
    const auto add = [&](const char* id, const char* iconName) {
        menu.insertAction(runEntries, makeMenuEntry(menu, id, iconName));
    };
    add(m_wall->isZoomed() ? "whole-wall" : "enlarge", m_wall->isZoomed() ? "minimize" : "maximize");
    add("compare", "compare");
    auto* rating = new QMenu(tr("Rate"), &menu);
    rating->setIcon(icon(QStringLiteral("star")));
    for (const char* id : {"rate-5", "rate-4", "rate-3", "rate-2", "rate-1", "unrate"})
        rating->addAction(makeMenuEntry(*rating, id));
    menu.insertMenu(runEntries, rating);
    add("reject", "close");
    add("notes", "note");
    add("save", "save");
    menu.insertSeparator(runEntries);
}

}  // namespace dailies::ui
