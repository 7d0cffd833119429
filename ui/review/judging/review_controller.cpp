#include "ui/review/judging/review_controller.h"

#include "core/base/ids.h"
#include "core/base/user.h"
#include "ui/playback/clip_player.h"
#include "ui/playback/frame_slider.h"
#include "ui/playback/transport_bar.h"
#include "ui/review/judging/drawing_bar.h"
#include "ui/review/judging/note_markers.h"
#include "ui/review/judging/stroke_layer.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/shortcut_actions.h"
#include "ui/widgets/widgets.h"

#include <QComboBox>
#include <QCoreApplication>

#include <utility>

namespace dailies::ui {

namespace {

/// As the wall's headings have it, where runs are one of its axes.
QString runName(const WallScene& scene, const std::string& runId) {
    for (const auto* headings : {&scene.columns, &scene.rows})
        for (const WallScene::Heading& heading : *headings)
            if (heading.runId == runId) return heading.name;
    return sanitized(runId.substr(0, 8));
}

}  // namespace

ReviewController::ReviewController(std::filesystem::path storeFile, WallView& wall, ClipPlayer& player,
                                   TransportBar& transport, QObject* parent)
    : QObject(parent),
      m_reviewModel(std::move(storeFile), userName()),
      m_wall(wall),
      m_player(player),
      m_panel(new NotePanel),
      m_filter(new QComboBox),
      m_ticks(new NoteMarkers(transport.frameSlider())),
      m_strokes(new StrokeLayer(*wall.viewport())),
      m_drawingBar(new DrawingBar(*m_strokes)) {
    m_panel->hide();
    m_filter->setAccessibleName(tr("Which clips"));
    m_filter->setToolTip(tr("Which clips the wall shows; runs without any are left out"));
    m_filter->setFocusPolicy(Qt::TabFocus);
    m_filter->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    for (const auto& [text, filter] : std::initializer_list<std::pair<QString, ClipFilter>>{
             {tr("All clips"), ClipFilter::All},
             {tr("Not seen yet"), ClipFilter::Unseen},
             {tr("Not rated yet"), ClipFilter::Unrated},
             {tr("3 stars or more"), ClipFilter::ThreeStars},
             {tr("4 stars or more"), ClipFilter::FourStars},
             {tr("Not rejected"), ClipFilter::NotRejected},
             {tr("With notes"), ClipFilter::WithNotes}})
        m_filter->addItem(text, static_cast<int>(filter));

    connect(m_filter, &QComboBox::activated, this, &ReviewController::filterChanged);
    connect(&m_wall, &WallView::selectionChanged, this, &ReviewController::refresh);
    connect(&m_wall, &WallView::zoomChanged, this, &ReviewController::refresh);
    connect(&m_wall, &WallView::layoutChanged, this, &ReviewController::showFrame);
    connect(&m_player.playhead(), &Playhead::frameChanged, this, &ReviewController::showFrame);
    connect(&m_player, &ClipPlayer::pictureChanged, this, &ReviewController::showFrame);

    connect(m_panel, &NotePanel::starsChosen, this, &ReviewController::rate);
    connect(m_panel, &NotePanel::rejectionChosen, this, &ReviewController::reject);
    connect(m_panel, &NotePanel::tagsChosen, this, [this](const std::set<std::string>& tags) {
        if (const auto clip = selectedClip()) m_reviewModel.judge(*clip, judging::Tags{tags}, tr("tags"));
    });
    connect(m_panel, &NotePanel::noteWritten, this,
            [this](const judging::ClipKey& clip, const judging::Note& note) {
                m_pending.erase(clip);
                m_reviewModel.judge(clip, judging::WrittenNote{note}, tr("a note"));
            });
    connect(m_panel, &NotePanel::noteRemoved, this, [this](const std::string& id) {
        if (const auto clip = selectedClip())
            m_reviewModel.judge(*clip, judging::RemovedNote{id}, tr("removing a note"));
    });
    connect(m_panel, &NotePanel::drawingToggled, this, &ReviewController::toggleDrawing);
    connect(m_panel, &NotePanel::drawingDiscarded, this, &ReviewController::discardDrawing);
    connect(m_panel, &NotePanel::frameRequested, this, [this](int frame) {
        m_player.playhead().pause();
        m_player.playhead().seek(frame);
    });
    connect(m_panel, &NotePanel::left, this, &ReviewController::leavePanel);
    connect(m_strokes, &StrokeLayer::ended, this, &ReviewController::keepDrawing);
    // the application waits for what is still to be written
    connect(qApp, &QCoreApplication::aboutToQuit, this, &ReviewController::keepUnsaved);
}

ClipFilter ReviewController::filter() const {
    return static_cast<ClipFilter>(m_filter->currentData().toInt());
}

std::optional<judging::ClipKey> ReviewController::selectedClip() const {
    const WallScene& scene = m_wall.scene();
    if (scene.tiles.empty()) return std::nullopt;
    const WallScene::Tile& tile = scene.tile(m_wall.selectedColumn(), m_wall.selectedRow());
    if (tile.path.empty()) return std::nullopt;
    return judging::ClipKey{tile.runId, tile.path};
}

void ReviewController::rate(int stars) {
    if (const auto clip = selectedClip()) m_reviewModel.rate(*clip, stars);
}

void ReviewController::reject(bool rejected) {
    if (const auto clip = selectedClip()) m_reviewModel.reject(*clip, rejected);
}

void ReviewController::toggleReject() {
    if (const auto clip = selectedClip()) m_reviewModel.toggleReject(*clip);
}

void ReviewController::togglePanel() {
    m_panel->setVisible(!m_panel->isVisible());
    refresh();
    if (m_panel->isVisible())
        m_panel->writeNote();
    else
        m_wall.setFocus();
}

bool ReviewController::isWriting() const {
    return m_strokes->isDrawing() || (m_panel->isVisible() && m_panel->hasDraft());
}

void ReviewController::toggleDrawing() {
    m_strokes->isDrawing() ? m_strokes->endDrawing(DrawingEnd::Done) : draw();
    refresh();  // a button that was clicked shows itself as down, whether or not there is anything to draw on
}

void ReviewController::draw() {
    const auto clip = selectedClip();
    if (!clip || !m_wall.isVisible()) return;
    Playhead& playhead = m_player.playhead();
    playhead.pause();
    m_panel->show();
    m_wall.setZoomed(true);  // a tile is too small to draw on
    const auto [drawing, isNew] = m_pending.try_emplace(*clip, PendingDrawing{playhead.frame()});
    playhead.seek(drawing->second.frame);
    m_drawnClip = *clip;
    m_strokes->beginDrawing(m_wall.pictureRect(m_wall.selectedColumn(), m_wall.selectedRow()),
                            drawing->second.strokes);
    refresh();
}

void ReviewController::keepDrawing(DrawingEnd how, const std::vector<judging::Stroke>& strokes) {
    const auto drawn = m_pending.find(m_drawnClip);
    if (drawn != m_pending.end()) {
        if (how != DrawingEnd::Discarded) drawn->second.strokes = strokes;
        if (drawn->second.strokes.empty()) m_pending.erase(drawn);
    }
    refresh();
    if (how == DrawingEnd::Done && !strokes.empty()) {
        if (!m_panel->isVisible()) togglePanel();
        m_panel->writeNote();  // words are welcome; Ctrl+Enter without any keeps the drawing alone
    } else if (how != DrawingEnd::Interrupted)
        m_wall.setFocus();
}

void ReviewController::discardDrawing() {
    if (const auto clip = selectedClip()) m_pending.erase(*clip);
    refresh();
}

void ReviewController::keepUnsaved() {
    if (m_strokes->isDrawing()) m_strokes->endDrawing(DrawingEnd::Interrupted);
    for (auto& [clip, note] : m_panel->takeDrafts()) {
        const auto drawing = m_pending.find(clip);
        if (drawing != m_pending.end() && note.covers(drawing->second.frame)) {
            note.strokes = std::move(drawing->second.strokes);
            m_pending.erase(drawing);
        }
        m_reviewModel.judge(clip, judging::WrittenNote{note}, tr("a note"));
    }
    for (auto& [clip, drawing] : std::exchange(m_pending, {})) {
        if (drawing.strokes.empty()) continue;
        judging::Note note;
        note.id = newId();
        note.firstFrame = note.lastFrame = drawing.frame;
        note.strokes = drawing.strokes;
        m_reviewModel.judge(clip, judging::WrittenNote{note}, tr("a note"));
    }
    refresh();
}

void ReviewController::leavePanel() {
    m_strokes->isDrawing() ? m_strokes->setFocus() : m_wall.setFocus();
    showFrame();
}

void ReviewController::goToNote(int direction) {
    const auto clip = selectedClip();
    if (!clip) return;
    const auto& notes = m_reviewModel.review(*clip).notes;
    Playhead& playhead = m_player.playhead();
    std::optional<int> target;
    for (const judging::Note& note : notes) {
        const int frame = note.firstFrame;
        if (direction > 0 ? frame > playhead.frame() && (!target || frame < *target)
                          : frame < playhead.frame() && (!target || frame > *target))
            target = frame;
    }
    if (!target) return;
    playhead.pause();
    playhead.seek(*target);
}

void ReviewController::markWallSeen() {
    const WallScene& scene = m_wall.scene();
    std::vector<judging::ClipKey> clips;
    for (const WallScene::Tile& tile : scene.tiles)
        if (!tile.file.empty()) clips.push_back({tile.runId, tile.path});
    m_reviewModel.setSeen(clips);
}

void ReviewController::toggleSeen() {
    if (const auto clip = selectedClip()) m_reviewModel.setSeen({*clip}, !m_reviewModel.isSeen(*clip));
}

void ReviewController::addKeys(ShortcutActions& keys) {
    const auto add = [&, group = tr("Judging")](const QString& id, const QString& name, QKeyCombination key,
                                                std::function<void()> run) {
        keys.add(group, id, name, {QKeySequence(key)}, std::move(run));
    };
    for (int stars = 1; stars <= judging::kMaxStars; ++stars)
        add(QStringLiteral("rate-%1").arg(stars),
            stars == 1 ? tr("Give the clip 1 star") : tr("Give the clip %1 stars").arg(stars),
            static_cast<Qt::Key>(Qt::Key_0 + stars), [this, stars] { rate(stars); });
    add("unrate", tr("Take the rating away"), Qt::Key_0, [this] { rate(0); });
    add("reject", tr("Reject"), Qt::Key_X, [this] { toggleReject(); });
    add("tag", tr("Tag the clip"), Qt::SHIFT | Qt::Key_T, [this] {
        m_panel->show();
        refresh();
        m_panel->editTags();
    });
    add("notes", tr("Notes beside the wall"), Qt::Key_N, [this] { togglePanel(); });
    add("draw", tr("Draw on the frame"), Qt::Key_D, [this] { toggleDrawing(); });
    add("previous-note", tr("Go to the previous note"), Qt::Key_Comma, [this] { goToNote(-1); });
    add("next-note", tr("Go to the next note"), Qt::Key_Period, [this] { goToNote(1); });
    add("seen", tr("Mark the clip as seen or not seen"), Qt::SHIFT | Qt::Key_U, [this] { toggleSeen(); });
    add("all-seen", tr("Mark all clips on the wall as seen"), Qt::SHIFT | Qt::Key_A,
        [this] { markWallSeen(); });
    add("undo", tr("Undo"), Qt::CTRL | Qt::Key_Z, [this] { m_reviewModel.undo(); });
    add("redo", tr("Redo"), Qt::CTRL | Qt::SHIFT | Qt::Key_Z, [this] { m_reviewModel.redo(); });
}

void ReviewController::refresh() {
    const auto selected = selectedClip();
    if (m_strokes->isDrawing() && (selected != m_drawnClip || !m_wall.isZoomed()))
        return m_strokes->endDrawing(DrawingEnd::Interrupted);  // which comes by here again
    NotePanel::Shown shown;
    shown.author = m_reviewModel.author();
    shown.isDrawing = m_strokes->isDrawing();
    std::vector<FrameSpan> spans;
    if (const auto& clip = selected) {
        if (m_wall.isZoomed()) m_reviewModel.setSeen({*clip});  // looked at large
        const WallScene& scene = m_wall.scene();
        const WallScene::Tile& tile = scene.tile(m_wall.selectedColumn(), m_wall.selectedRow());
        shown.key = *clip;
        shown.run = runName(scene, tile.runId);
        shown.clip = tr("Step %1 · %2 · seed %3").arg(tile.step).arg(sanitized(tile.prompt)).arg(tile.seed);
        shown.frames = tile.frames;
        shown.review = m_reviewModel.review(*clip);
        if (const auto drawing = m_pending.find(*clip); drawing != m_pending.end())
            shown.drawing = drawing->second;
        for (const judging::Note& note : shown.review.notes)
            spans.push_back({note.firstFrame, note.lastFrame});
    }
    if (m_panel->isVisible()) m_panel->setShown(shown);
    m_ticks->setSpans(std::move(spans));
    showFrame();
}

void ReviewController::showFrame() {
    const int frame = m_player.playhead().frame();
    if (m_strokes->isDrawing() && m_pending.at(m_drawnClip).frame != frame)
        m_strokes->endDrawing(DrawingEnd::Interrupted);
    if (m_panel->isVisible()) m_panel->setFrame(frame);
    std::vector<StrokeLayer::Drawing> drawings;
    const WallScene& scene = m_wall.scene();
    // Every picture that arrives comes by here, and most walls of thousands have no note.
    static const std::vector<WallLayout::Tile> kNone;
    const bool drawnOn = scene.hasNotes || !m_pending.empty();
    for (const WallLayout::Tile& place : drawnOn ? m_wall.tileLayout().tiles : kNone) {
        const WallScene::Tile& tile = scene.tile(place.column, place.row);
        if (tile.review.notes == 0 && m_pending.empty()) continue;
        auto strokes = strokesOn({tile.runId, tile.path}, frame);
        if (strokes.empty()) continue;
        const QRect picture = m_wall.pictureRect(place.column, place.row);
        if (!picture.isEmpty())
            drawings.push_back({picture, m_wall.tileRect(place.column, place.row), std::move(strokes)});
    }
    if (m_strokes->isDrawing())
        m_strokes->movePicture(m_wall.pictureRect(m_wall.selectedColumn(), m_wall.selectedRow()));
    if (!drawings.empty() || !m_strokes->drawings().empty()) m_strokes->setDrawings(std::move(drawings));
}

std::vector<judging::Stroke> ReviewController::strokesOn(const judging::ClipKey& clip, int frame) const {
    std::vector<judging::Stroke> strokes;
    const auto add = [&](const std::vector<judging::Stroke>& more) {
        strokes.insert(strokes.end(), more.begin(), more.end());
    };
    for (const judging::Note& note : m_reviewModel.review(clip).notes)
        if (note.covers(frame)) add(note.strokes);
    const bool beingDrawn = m_strokes->isDrawing() && clip == m_drawnClip;  // the pen shows it itself
    if (const auto drawing = m_pending.find(clip);
        drawing != m_pending.end() && drawing->second.frame == frame && !beingDrawn)
        add(drawing->second.strokes);
    return strokes;
}

}  // namespace dailies::ui
