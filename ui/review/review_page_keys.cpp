// The Review page's actions and the keys they come with.
#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "ui/review/arrangement_picker.h"
#include "ui/review/judging/review_controller.h"
#include "ui/review/outputs/clip_exporter.h"
#include "ui/review/review_page.h"
#include "ui/viewport/clip_viewport.h"
#include "ui/viewport/view_settings.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/palette_hints.h"

#include <QAction>
#include <QMenu>
#include <QStackedWidget>
#include <QToolButton>

#include <algorithm>

namespace dailies::ui {

namespace {

using Keys = ShortcutActions::Keys;

Keys strokes(std::initializer_list<QKeyCombination> combinations) {
    Keys made;
    for (const QKeyCombination& combination : combinations) made << QKeySequence(combination);
    return made;
}

bool isOfSelectedClip(const QString& id) {
    static const QStringList kIds{"act",    "compare", "draw",  "enlarge", "pin",
                                  "reject", "seen",    "stack", "tag",     "unrate"};
    return kIds.contains(id) || id.startsWith(QLatin1String("rate-")) ||
           id.startsWith(QLatin1String("shift-"));
}

}  // namespace

void ReviewPage::addKeys() {
    addClipTimeKeys();
    addTrainingTimeKeys();
    addWallKeys();
    addPageKeys();
}

void ReviewPage::addPageKeys() {
    const auto add = [&, group = tr("Page")](const char* id, const QString& name, const Keys& defaults,
                                             std::function<void()> run) {
        m_keys.add(group, QLatin1String(id), name, defaults, std::move(run));
    };
    add("save", tr("Export…"), strokes({Qt::CTRL | Qt::Key_S}), [this] { exportClips("png"); });
    add("export-sheet", tr("Export a contact sheet…"), {}, [this] { exportClips("png"); });
    add("export-page", tr("Export a page with the clips in it…"), {}, [this] { exportClips("html"); });
    add("export-reel", tr("Export a reel of the clips side by side…"), {}, [this] { exportClips("mp4"); });
    add("mlflow-sheets", tr("Add contact sheets to MLflow"), strokes({Qt::CTRL | Qt::SHIFT | Qt::Key_S}),
        [this] {
            if (!m_data.rows.empty()) m_clipExporter->addSheetsToMlflow(m_data);
        });
    add("open-folder", tr("Open a folder of clips…"), strokes({Qt::CTRL | Qt::Key_O}),
        [this] { emit openFolderRequested(); });
    add("sample", tr("Sample clips…"), strokes({Qt::CTRL | Qt::Key_G}), [this] {
        if (!m_data.runs.empty()) emit sampleRequested(shownRunIds());
    });
    add("score", tr("Score clips…"), strokes({Qt::CTRL | Qt::SHIFT | Qt::Key_G}), [this] {
        if (!m_data.runs.empty()) emit scoreRequested(shownRunIds());
    });
    add("retry", tr("Retry failed clips"), strokes({Qt::Key_F5}), [this] {
        m_player.retryErrors();
        reload();
    });
    add("frame-cache", tr("Frame cache size…"), {}, [this] {
        auto* choices = new QMenu(this);
        addCacheChoices(*choices);
        popUpBelowMore(*choices);
    });
    add("keys", tr("Show and change keys"), strokes({Qt::Key_Question}), [this] { showKeys(); });
}

// -- the same as actions of the page

void ReviewPage::offerActions() {
    for (const ShortcutActions::Action& key : m_keys.actions()) {
        auto* action = new QAction(key.name, this);
        if (isOfSelectedClip(key.id)) setActsOnSelection(*action);
        if (key.id == QLatin1String("frame-cache")) setPaletteWords(*action, tr("settings memory"));
        if (key.id == QLatin1String("keys")) setPaletteWords(*action, tr("settings shortcuts"));
        // The page handles its keys itself, in the rooms that have some; here they are to be read.
        action->setShortcutContext(Qt::WidgetShortcut);
        connect(action, &QAction::triggered, this, key.run);
        addAction(action);
        m_actions.push_back(action);
    }
    connect(&m_keys, &ShortcutActions::changed, this, &ReviewPage::refreshActions);
    connect(m_modes, &QStackedWidget::currentChanged, this, &ReviewPage::refreshActions);
    connect(&m_reviewController->reviewModel(), &ReviewModel::changed, this, &ReviewPage::refreshActions);
    refreshActions();
}

void ReviewPage::refreshActions() {
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const ShortcutActions::Action& key = m_keys.actions()[i];
        m_actions[i]->setShortcuts(key.keys);
        setAvailable(*m_actions[i], disabledReasonFor(key));
        if (key.id == QLatin1String("arena")) setAvailable(*m_arenaEntry, disabledReasonFor(key));
    }
}

QString ReviewPage::disabledReasonFor(const ShortcutActions::Action& action) const {
    static const QStringList kAlways{"morning", "open-folder", "retry", "frame-cache", "keys"},
        kOfRuns{"sample", "score"};
    const auto unless = [](bool can, const QString& why) { return can ? QString() : why; };
    if (kAlways.contains(action.id)) return {};
    if (kOfRuns.contains(action.id)) return unless(!m_data.runs.empty(), tr("No run is on the wall"));
    if (m_modes->currentIndex() != 0) return tr("Go back to the wall first");
    if (m_data.rows.empty()) return tr("No clip is on the wall");
    if (action.id == QLatin1String("stack"))
        return unless(!m_data.resamples.empty(), tr("No run on the wall was sampled again"));
    if (action.id == QLatin1String("inputs"))
        return unless(m_wall->scene().hasInputs(),
                      tr("No clip on the wall was made from a picture or from poses"));
    if (action.id == QLatin1String("arena"))
        return unless(m_data.runs.size() > 1, tr("Put at least 2 runs on the wall"));
    if (action.id == QLatin1String("undo"))
        return unless(m_reviewController->reviewModel().canUndo(), tr("Nothing to undo"));
    if (action.id == QLatin1String("redo"))
        return unless(m_reviewController->reviewModel().canRedo(), tr("Nothing to redo"));
    return {};
}

void ReviewPage::addClipTimeKeys() {
    Playhead& playhead = m_player.playhead();
    const auto add = [&, group = tr("Clip time")](const char* id, const QString& name, const Keys& defaults,
                                                  auto&& run) {
        m_keys.add(group, QLatin1String(id), name, defaults, [&playhead, run] { run(playhead); });
    };
    add("play", tr("Play or pause"), strokes({Qt::Key_Space}), [](Playhead& p) { p.toggle(); });
    add("previous-frame", tr("Previous frame"), strokes({Qt::Key_Left}), [](Playhead& p) { p.step(-1); });
    add("next-frame", tr("Next frame"), strokes({Qt::Key_Right}), [](Playhead& p) { p.step(1); });
    add("second-back", tr("Back 1 s"), strokes({Qt::CTRL | Qt::Key_Left}),
        [](Playhead& p) { p.stepSeconds(-1); });
    add("second-on", tr("Forward 1 s"), strokes({Qt::CTRL | Qt::Key_Right}),
        [](Playhead& p) { p.stepSeconds(1); });
    add("first-frame", tr("First frame"), strokes({Qt::Key_Home}), [](Playhead& p) {
        p.pause();
        p.seek(0);
    });
    add("last-frame", tr("Last frame"), strokes({Qt::Key_End}), [](Playhead& p) {
        p.pause();
        p.seek(p.length() - 1);
    });
    add("shuttle-back", tr("Play backward (repeat to speed up)"), strokes({Qt::Key_J}),
        [](Playhead& p) { p.shuttle(-1); });
    add("stop", tr("Stop"), strokes({Qt::Key_K}), [](Playhead& p) { p.pause(); });
    add("shuttle-on", tr("Play; again: faster"), strokes({Qt::Key_L}), [](Playhead& p) { p.shuttle(1); });
    add("loop", tr("Loop on or off"), strokes({Qt::Key_P}),
        [](Playhead& p) { p.setLoopMode(p.loopMode() == LoopMode::Once ? LoopMode::Loop : LoopMode::Once); });
    add("ping-pong", tr("Ping-pong"), strokes({Qt::SHIFT | Qt::Key_P}), [](Playhead& p) {
        p.setLoopMode(p.loopMode() == LoopMode::PingPong ? LoopMode::Loop : LoopMode::PingPong);
    });
    add("loop-in", tr("Loop from here"), strokes({Qt::Key_I, Qt::Key_BracketLeft}),
        [](Playhead& p) { p.setLoopIn(p.frame()); });
    add("loop-out", tr("Loop to here"), strokes({Qt::Key_O, Qt::Key_BracketRight}),
        [](Playhead& p) { p.setLoopOut(p.frame()); });
    add("loop-all", tr("Loop over the whole clip"), strokes({Qt::Key_Backslash}),
        [](Playhead& p) { p.clearLoopPoints(); });
}

void ReviewPage::addTrainingTimeKeys() {
    const auto add = [&, group = tr("Training time")](const char* id, const QString& name,
                                                      const Keys& defaults, std::function<void()> run) {
        m_keys.add(group, QLatin1String(id), name, defaults, std::move(run));
    };
    const auto go = [this](int index) {
        m_stepPlayhead.pause();
        showStep(index);
    };
    add("previous-step", tr("Previous sampled step"), strokes({Qt::Key_Up}),
        [this, go] { go(stepIndex() - 1); });
    add("next-step", tr("Next sampled step"), strokes({Qt::Key_Down}), [this, go] { go(stepIndex() + 1); });
    add("first-step", tr("First sampled step"), strokes({Qt::CTRL | Qt::Key_Up}), [go] { go(0); });
    add("last-step", tr("Last sampled step"), strokes({Qt::CTRL | Qt::Key_Down}),
        [this, go] { go(static_cast<int>(m_data.steps.size()) - 1); });
    add("play-steps", tr("Play through the training steps"), strokes({Qt::Key_T}), [this] {
        m_player.playhead().pause();
        m_stepPlayhead.toggle();
    });
}

void ReviewPage::addWallKeys() {
    const auto add = [&, group = tr("Wall")](const char* id, const QString& name, const Keys& defaults,
                                             std::function<void()> run) {
        m_keys.add(group, QLatin1String(id), name, defaults, std::move(run));
    };
    add("tile-left", tr("Select the tile to the left"), strokes({Qt::SHIFT | Qt::Key_Left}),
        [this] { m_wall->moveSelection(-1, 0); });
    add("tile-right", tr("Select the tile to the right"), strokes({Qt::SHIFT | Qt::Key_Right}),
        [this] { m_wall->moveSelection(1, 0); });
    add("tile-up", tr("Select the tile above"), strokes({Qt::SHIFT | Qt::Key_Up}),
        [this] { m_wall->moveSelection(0, -1); });
    add("tile-down", tr("Select the tile below"), strokes({Qt::SHIFT | Qt::Key_Down}),
        [this] { m_wall->moveSelection(0, 1); });
    add("previous-clip", tr("Same frame of the previous clip"), strokes({Qt::Key_Less, Qt::Key_PageUp}),
        [this] { m_wall->selectNeighbour(-1); });
    add("next-clip", tr("Same frame of the next clip"), strokes({Qt::Key_Greater, Qt::Key_PageDown}),
        [this] { m_wall->selectNeighbour(1); });
    add("enlarge", tr("Open clip"), strokes({Qt::Key_Return}), [this] { m_wall->setZoomed(true); });
    add("whole-wall", tr("Back to the wall"), strokes({Qt::Key_Escape}),
        [this] { m_wall->setZoomed(false); });
    add("tiles-larger", tr("Larger tiles (Ctrl+wheel)"),
        strokes({Qt::CTRL | Qt::ALT | Qt::Key_Plus, Qt::CTRL | Qt::ALT | Qt::Key_Equal}),
        [this] { m_wall->scaleTiles(WallView::kTileStep); });
    add("tiles-smaller", tr("Smaller tiles"), strokes({Qt::CTRL | Qt::ALT | Qt::Key_Minus}),
        [this] { m_wall->scaleTiles(1 / WallView::kTileStep); });
    add("fit-tiles", tr("Fit tiles to the window"), strokes({Qt::SHIFT | Qt::Key_F}),
        [this] { m_wall->setTileWidth(0); });
    add("larger", tr("Zoom in on all tiles (Ctrl+Shift+wheel)"),
        strokes({Qt::CTRL | Qt::Key_Plus, Qt::CTRL | Qt::Key_Equal}),
        [this] { m_wall->enlargePictures(ClipViewport::kZoomStep); });
    add("smaller", tr("Zoom out"), strokes({Qt::CTRL | Qt::Key_Minus}),
        [this] { m_wall->enlargePictures(1 / ClipViewport::kZoomStep); });
    add("fit", tr("Zoom to fit"), strokes({Qt::Key_F}), [this] { m_wall->fitPictures(); });
    add("one-to-one", tr("Zoom 1:1"), strokes({Qt::Key_Z}), [this] { m_wall->showOneToOne(); });
    add("compare", tr("Compare with reference"), strokes({Qt::Key_C}),
        [this] { showComparison(ViewMode::Wipe); });
    add("next-finding", tr("Go to next finding"), strokes({Qt::Key_G}), [this] { goToNextFinding(); });
    add("pin", tr("Pin the column as the reference"), strokes({Qt::Key_B}), [this] { pinSelectedColumn(); });
    add("stack", tr("Expand or collapse resamples"), strokes({Qt::Key_S}), [this] { toggleStack(); });
    add("swap-axes", tr("Swap columns and rows"), strokes({Qt::ALT | Qt::Key_X}),
        [this] { m_arrangement->swapAxes(); });
    add("hud", tr("Show labels"), strokes({Qt::Key_H}), [this] {
        m_wall->setHud(m_wall->hud() == Hud::Everything ? Hud::Brief
                       : m_wall->hud() == Hud::Brief    ? Hud::Nothing
                                                        : Hud::Everything);
    });
    add("inputs", tr("Show what clips were made from"), strokes({Qt::Key_E}), [this] {
        m_wall->setInputView(m_wall->inputView() == InputView::Hidden   ? InputView::Beside
                             : m_wall->inputView() == InputView::Beside ? InputView::Over
                                                                        : InputView::Hidden);
    });
    add("shift-on", tr("Offset clip by +1 frame"), strokes({Qt::Key_Plus}),
        [this] { m_wall->shiftSelected(1); });
    add("shift-back", tr("Offset clip by −1 frame"), strokes({Qt::Key_Minus}),
        [this] { m_wall->shiftSelected(-1); });
    add("shift-on-ten", tr("Offset clip by +10 frames"), strokes({Qt::ALT | Qt::Key_Plus}),
        [this] { m_wall->shiftSelected(10); });
    add("shift-back-ten", tr("Offset clip by −10 frames"), strokes({Qt::ALT | Qt::Key_Minus}),
        [this] { m_wall->shiftSelected(-10); });
    add("unshift", tr("Reset offsets"), strokes({Qt::CTRL | Qt::Key_0}), [this] { m_wall->clearOffsets(); });
}

std::string ReviewPage::stackOfSelected() const {
    const WallScene& scene = m_wall->scene();
    if (scene.tiles.empty()) return {};
    const std::string& shown = scene.tile(m_wall->selectedColumn(), m_wall->selectedRow()).runId;
    const tracking::Run* run = m_data.run(shown);
    if (!run) return {};
    const std::string id =
        m_data.resamples.contains(shown) ? tracking::tagOf(*run, tracking::tag::kSampledRun) : shown;
    return m_data.resamplesOf(id).empty() ? std::string() : id;
}

void ReviewPage::toggleStack() {
    const std::string id = stackOfSelected();
    if (id.empty()) return emit notification(tr("This run was not sampled again"));
    const bool expand = !m_arrangement->arrangement().expanded.contains(id);
    m_arrangement->setExpanded(id, expand);
    if (expand) return;
    // Whichever of the stack was selected, it is under the run's own clips now.
    const auto placeIn = [&](const std::vector<WallScene::Heading>& headings, int otherwise) {
        const auto place = std::ranges::find(headings, id, &WallScene::Heading::id);
        return place == headings.end() ? otherwise : static_cast<int>(place - headings.begin());
    };
    m_wall->select(placeIn(m_wall->scene().columns, m_wall->selectedColumn()),
                   placeIn(m_wall->scene().rows, m_wall->selectedRow()));
}

void ReviewPage::pinSelectedColumn() {
    if (m_wall->scene().columns.empty()) return;
    const WallScene::Column& column =
        m_wall->scene().columns[static_cast<std::size_t>(m_wall->selectedColumn())];
    m_arrangement->setPinned(column.pinned ? std::string() : column.id);
    refreshScene();
}

}  // namespace dailies::ui
