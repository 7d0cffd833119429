#pragma once

#include "ui/datasets/clip_thumbnails.h"
#include "ui/datasets/clip_tile_paint.h"
#include "ui/datasets/dataset_model.h"
#include "ui/datasets/span_player.h"

#include <QAbstractScrollArea>

#include <cstdint>
#include <optional>
#include <vector>

namespace dailies::ui {

/// The clips of a folder as tiles, one widget for all: only those in view cost anything. A clip is selected,
/// played in its tile, or shown alone. GUI thread only.
class ClipWall : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit ClipWall(DatasetModel& model, QWidget* parent = nullptr);

    /// Which clips, in their order. The selected one stays selected; where it is gone, its neighbour is.
    void setOrder(std::vector<std::uint32_t> order, std::optional<curation::Measure> sortedBy);
    /// The clips are few and to be compared: large tiles that say how many pixels each has.
    void setSideBySide(bool on);
    const std::vector<std::uint32_t>& order() const { return m_order; }
    /// The folder's clips are others.
    void forget();

    std::optional<std::uint32_t> selected() const;
    int position() const { return m_position; }  ///< of the selected one in the order; -1: none
    void select(int position);
    void togglePlaying();
    bool isPlaying() const { return m_player.isPlaying(); }
    int playedFrame() const { return m_player.frame(); }

    bool isLarge() const { return m_large; }
    void setLarge(bool large);  ///< the selected clip alone

    /// Scrolls so that the clip at that place of the order is in the middle: what is around a threshold.
    void reveal(int position);
    /// In the viewport; empty where it is not in view.
    QRect tileRect(int position) const;
    bool isSettled() const { return m_thumbnails.isSettled(); }

signals:
    void selectionChanged();
    void largeChanged(bool large);
    void playingChanged();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool event(QEvent* event) override;

private:
    /// What of the grid fits the viewport.
    struct Grid {
        int columns = 1;
        QSize tile{1, 1};
    };
    void arrange();
    void wantVisible();
    void showSelected();
    void stopPlaying();
    QRect gridRect(int position) const;
    int positionAt(QPoint place) const;
    ClipTile tileOf(int position);
    void paintLarge(QPainter& painter);
    void announce();
    int rowHeight() const;

    DatasetModel& m_model;
    ClipThumbnails m_thumbnails;
    SpanPlayer m_player;
    std::vector<std::uint32_t> m_order;
    std::optional<curation::Measure> m_sortedBy;
    Grid m_grid;
    int m_position = -1;
    bool m_large = false, m_sideBySide = false;
};

}  // namespace dailies::ui
