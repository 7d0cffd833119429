#pragma once

#include "ui/review/judging/review_book.h"
#include "ui/review/judging/tile_review.h"

#include <QObject>

#include <optional>
#include <vector>

class QComboBox;

namespace dailies::ui {

class ClipPlayer;
class KeyActions;
class NotePanel;
class NoteTicks;
class StrokeLayer;
class TransportBar;
class WallView;

/// Judging on the wall: joins the book of reviews with the selected tile, the note panel beside the wall, the
/// ticks under it and the pen over it. Makes these; the page places the panel and the filter. GUI thread
/// only.
class JudgingDesk : public QObject {
    Q_OBJECT

public:
    JudgingDesk(std::filesystem::path storeFile, WallView& wall, ClipPlayer& player, TransportBar& transport,
                QObject* parent = nullptr);

    ReviewBook& book() { return m_book; }
    NotePanel& panel() { return *m_panel; }
    QComboBox& filterBox() { return *m_filter; }
    StrokeLayer& pen() { return *m_strokes; }
    NoteTicks& ticks() { return *m_ticks; }

    ClipFilter filter() const;
    /// The clip of the selected tile; nullopt when there is none.
    std::optional<judging::ClipKey> selectedClip() const;

    /// Adds what can be done by keys.
    void addKeys(KeyActions& keys);

    void togglePanel();

    /// The wall shows something else, or what it shows was judged.
    void refresh();

signals:
    void filterChanged();

private:
    void rate(int stars);
    void reject(bool rejected);
    void toggleReject();
    void draw();
    void keepDrawing(const std::vector<judging::Stroke>& strokes);
    void leavePanel();
    void goToNote(int direction);
    void markWallSeen();
    void toggleSeen();
    void showFrame();

    ReviewBook m_book;
    WallView& m_wall;
    ClipPlayer& m_player;
    NotePanel* m_panel;
    QComboBox* m_filter;
    NoteTicks* m_ticks;      ///< the slider's
    StrokeLayer* m_strokes;  ///< the wall's
};

}  // namespace dailies::ui
