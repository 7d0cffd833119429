#pragma once

#include "ui/review/judging/note_panel.h"
#include "ui/wall/review_model.h"
#include "ui/wall/tile_review.h"

#include <QObject>

#include <map>
#include <optional>
#include <vector>

class QComboBox;

namespace dailies::ui {

class ClipPlayer;
class DrawingBar;
class ShortcutActions;
class NoteMarkers;
class StrokeLayer;
class TransportBar;
class WallView;
enum class DrawingEnd;

/// Judging on the wall: joins the book of reviews with the selected tile, the note panel beside the wall, the
/// ticks under it and the pen over it with its tools. Makes these; the page places the panel, the filter and
/// the tools. GUI thread only.
///
/// A drawing belongs to the clip and the frame that it was begun on. Whatever takes these away (playing,
/// another clip, another page) puts the pen away and keeps what was drawn until the clip's next note. What
/// has none when the program ends becomes one.
class ReviewController : public QObject {
    Q_OBJECT

public:
    ReviewController(std::filesystem::path storeFile, WallView& wall, ClipPlayer& player,
                     TransportBar& transport, QObject* parent = nullptr);

    ReviewModel& reviewModel() { return m_reviewModel; }
    NotePanel& panel() { return *m_panel; }
    QComboBox& filterBox() { return *m_filter; }
    StrokeLayer& pen() { return *m_strokes; }
    NoteMarkers& ticks() { return *m_ticks; }
    DrawingBar& drawingBar() { return *m_drawingBar; }

    /// Whether the selected clip is being drawn on or has a note under way: the wall is not to move on from
    /// it by itself.
    bool isWriting() const;

    ClipFilter filter() const;
    /// The clip of the selected tile; nullopt when there is none.
    std::optional<judging::ClipKey> selectedClip() const;

    /// Adds what can be done by keys.
    void addKeys(ShortcutActions& keys);

    void togglePanel();

    /// The wall shows something else, or what it shows was judged.
    void refresh();

signals:
    void filterChanged();

private:
    void rate(int stars);
    void reject(bool rejected);
    void toggleReject();
    void toggleDrawing();
    void draw();
    void keepDrawing(DrawingEnd how, const std::vector<judging::Stroke>& strokes);
    void discardDrawing();
    /// Makes notes of all that was drawn or written and not added yet.
    void keepUnsaved();
    void leavePanel();
    void goToNote(int direction);
    void markWallSeen();
    void toggleSeen();
    void showFrame();
    /// What is drawn on a frame, by notes and by what waits for one.
    std::vector<judging::Stroke> strokesOn(const judging::ClipKey& clip, int frame) const;

    ReviewModel m_reviewModel;
    WallView& m_wall;
    ClipPlayer& m_player;
    NotePanel* m_panel;
    QComboBox* m_filter;
    NoteMarkers* m_ticks;    ///< the slider's
    StrokeLayer* m_strokes;  ///< the wall's
    DrawingBar* m_drawingBar;
    judging::ClipKey m_drawnClip;                          ///< while the pen draws
    std::map<judging::ClipKey, PendingDrawing> m_pending;  ///< what waits for a note, or is being drawn
};

}  // namespace dailies::ui
