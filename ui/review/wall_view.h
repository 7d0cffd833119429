#pragma once

#include "ui/review/wall_layout.h"
#include "ui/review/wall_scene.h"

#include <QAbstractScrollArea>

#include <optional>

namespace dailies::ui {

/// Paints the wall: all tiles at the play head's frame, the columns' headers and the rows' labels. One widget
/// for all tiles, because one paint of 25 pictures costs a fraction of 25 widgets' paints. GUI thread only;
/// decodes nothing itself.
class WallView : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit WallView(ClipPlayer& player, QWidget* parent = nullptr);

    void setScene(WallScene scene);
    const WallScene& scene() const { return m_scene; }

    bool isZoomed() const { return m_zoomed; }
    void setZoomed(bool zoomed);  ///< the selected tile alone, as large as fits

    int selectedColumn() const { return m_column; }
    int selectedRow() const { return m_row; }
    void select(int column, int row);
    void moveSelection(int columns, int rows);

    const WallLayout& layoutOfTiles() const { return m_layout; }

signals:
    void zoomChanged(bool zoomed);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;

private:
    void arrange();
    void announceSelection();
    void playVisible();
    void repaintTiles();
    QPoint scrolled() const;
    QSize boxOf(const QRect& tile) const;
    std::optional<PlayedClip> playedClip(const WallLayout::Tile& tile) const;
    const WallLayout::Tile* tileAt(QPoint place) const;
    const WallLayout::Tile* findTile(int column, int row) const;

    void paintTile(QPainter& painter, const WallLayout::Tile& place);

    ClipPlayer& m_player;
    WallScene m_scene;
    WallLayout m_layout;
    std::vector<QImage> m_lastPictures;  ///< of each place in the layout: shown until the next one is decoded
    int m_column = 0;
    int m_row = 0;
    bool m_zoomed = false;
};

}  // namespace dailies::ui
