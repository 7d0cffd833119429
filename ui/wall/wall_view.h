#pragma once

#include "ui/viewport/pan_zoom.h"
#include "ui/wall/wall_layout.h"
#include "ui/wall/wall_paint.h"
#include "ui/wall/wall_scene.h"

#include <QAbstractScrollArea>

#include <map>
#include <optional>
#include <tuple>

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

    /// Which part of its picture every tile shows, the same in all: what differs between runs is often a few
    /// pixels wide.
    const PanZoom& panZoom() const { return m_panZoom; }
    void setPanZoom(const PanZoom& place);
    void enlargePictures(double factor);  ///< around the middle of each tile
    void fitPictures() { setPanZoom({}); }
    void showOneToOne();

    /// How wide tiles are. A size that was chosen stays whatever the window's; 0 lets the tiles fill it
    /// again.
    int tileWidth() const;
    int largestTileWidth() const;
    void setTileWidth(double width);
    void scaleTiles(double factor);
    double chosenTileWidth() const { return m_tileWidth; }  ///< 0: nobody chose one
    /// One that was chosen earlier, in a window of whatever size.
    void restoreTileWidth(double width);

    /// How the wall is laid out at that size, with tiles of that width (0: by the size).
    WallLayout layoutFor(QSize size, double tileWidth) const;

    int selectedColumn() const { return m_column; }
    int selectedRow() const { return m_row; }
    void select(int column, int row);
    void moveSelection(int columns, int rows);

    /// The tile after (or before) the selected one, row by row and around the ends: the same frame of the
    /// neighbouring clip.
    void selectNeighbour(int tiles);

    /// Moves the selected clip against the others by whole frames, in every step of its run.
    void shiftSelected(int frames);
    int offsetOf(int column, int row) const;
    void clearOffsets();

    Hud hud() const { return m_hud; }
    void setHud(Hud hud);

    InputView inputView() const { return m_inputView; }
    void setInputView(InputView view);

    const WallLayout& tileLayout() const { return m_layout; }
    /// Where a tile is in the viewport; empty when it is not on the wall now.
    QRect tileRect(int column, int row) const;
    /// Where the picture of a tile is in the viewport, what the tile cuts off included; empty when it shows
    /// none.
    QRect pictureRect(int column, int row) const;

    /// What is said of what is at that place of the viewport when the pointer rests there.
    QString tipAt(QPoint place) const;

    static constexpr double kTileStep = 1.15;  ///< that a notch of the wheel makes tiles larger

    /// What plays on the visible places when they show another scene of the same arrangement.
    std::vector<PlayedClip> visibleClips(const WallScene& scene) const;

signals:
    void zoomChanged(bool zoomed);
    void selectionChanged();  ///< another tile is selected, or the selected one shows another clip
    void offsetsChanged();
    void tileWidthChosen();                            ///< or given back to the room
    void layoutChanged();                              ///< tiles, or their pictures, are elsewhere now
    void menuRequested(const QPoint& globalPosition);  ///< of the selected tile's clip

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool event(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void arrange();
    QSize roomAt(QSize size) const;
    void setTileWidth(double width, const WallLayout::Tile* held);
    void announceSelection();
    void playVisible();
    void repaintTiles();
    QPoint scrolled() const;
    QSize boxOf(const QRect& tile, const std::string& file) const;
    QSizeF roomOf(const QRect& tile) const;
    QSize sizeOfClip(const std::string& file) const;
    QSize sizeOfSelected() const;
    void placeChanged();
    std::optional<PlayedClip> playedClip(const WallScene& scene, const WallLayout::Tile& tile) const;
    /// What a clip was made from, where it is shown.
    struct ShownInput {
        PlayedClip clip;
        QRect rect;  ///< of a small picture; empty: over the clip's own
    };
    std::vector<ShownInput> shownInputs(const WallScene& scene, const WallLayout::Tile& tile) const;
    QString warningFor(const PlayedClip& clip) const;
    bool isVisibleTile(const WallLayout::Tile& tile) const;
    const WallLayout::Tile* tileAt(QPoint place) const;
    const WallLayout::Tile* findTile(int column, int row) const;

    void paintTile(QPainter& painter, const WallLayout::Tile& place);
    void paintPicture(QPainter& painter, const WallLayout::Tile& place, const QImage& picture,
                      const QString& warning);
    void paintInputs(QPainter& painter, const WallLayout::Tile& place);
    QRect drawPicture(QPainter& painter, const QRect& tile, const QImage& picture, const std::string& file);
    bool isPart(const std::string& file) const { return !m_panZoom.isFit() && !sizeOfClip(file).isEmpty(); }
    void paintGround(QPainter& painter, const QRect& rect);
    void paintOverlay(QPainter& painter, const QRect& rect, const WallScene::Tile& tile,
                      const QString& warning) const;
    const QImage& overlayOf(const WallLayout::Tile& place, const QString& warning);
    void forgetOverlays();

    ClipPlayer& m_player;
    WallScene m_scene;
    WallLayout m_layout;
    /// What is drawn once and copied at every tick: texts, pills and rounded corners over a picture.
    struct Overlay {
        QImage image;
        QString warning;
    };
    /// Of each visible place in the layout: shown until the next one is decoded.
    std::vector<QImage> m_lastPictures;
    std::vector<Overlay> m_overlays;             ///< likewise
    std::map<std::string, QImage> m_lastInputs;  ///< likewise, by file
    QImage m_ground;                             ///< of a tile without a picture
    /// Frames by which a clip is shifted, by run, prompt and seed.
    std::map<std::tuple<std::string, std::string, std::int64_t>, int> m_offsets;
    int m_column = 0;
    int m_row = 0;
    bool m_zoomed = false;
    double m_tileWidth = 0;  ///< chosen; 0: by the room
    PanZoom m_panZoom;
    std::optional<QPointF> m_dragged;  ///< where the pointer was that moves the pictures
    Hud m_hud = Hud::Everything;
    InputView m_inputView = InputView::Hidden;
};

}  // namespace dailies::ui
