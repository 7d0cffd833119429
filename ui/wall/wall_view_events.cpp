// What the wall does with keys, the pointer and the wheel.
#include "ui/viewport/clip_viewport.h"
#include "ui/wall/wall_view.h"

#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QToolTip>

#include <cmath>

namespace dailies::ui {

namespace {

/// As plain text: a prompt may hold what looks like markup.
QString asPlainTip(const QString& text) {
    if (text.isEmpty()) return {};
    return QStringLiteral("<span>") + text.toHtmlEscaped().replace(u'\n', QStringLiteral("<br>")) +
           QStringLiteral("</span>");
}

}  // namespace

void WallView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::StyleChange || event->type() == QEvent::PaletteChange) forgetOverlays();
}

bool WallView::event(QEvent* event) {
    // The selected tile's frame says whose the keyboard is; Qt repaints this widget then, not its viewport.
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) viewport()->update();
    return QAbstractScrollArea::event(event);
}

void WallView::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() != QContextMenuEvent::Mouse) {
        const QRect tile = tileRect(m_column, m_row) & viewport()->rect();
        if (!tile.isEmpty()) emit menuRequested(viewport()->mapToGlobal(tile.center()));
    } else if (tileAt(event->pos())) {  // the press has selected it
        emit menuRequested(event->globalPos());
    }
}

void WallView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    m_lastPictures.clear();
    arrange();
}

void WallView::showEvent(QShowEvent* event) {
    QAbstractScrollArea::showEvent(event);
    playVisible();
}

void WallView::hideEvent(QHideEvent* event) {
    QAbstractScrollArea::hideEvent(event);
    m_player.suspend();
}

void WallView::scrollContentsBy(int, int) {
    playVisible();
    viewport()->update();
    emit layoutChanged();
}

void WallView::mousePressEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!tile) return;
    select(tile->column, tile->row);
    if (event->button() == Qt::LeftButton && !m_panZoom.isFit()) m_dragged = event->position();
}

void WallView::mouseMoveEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = findTile(m_column, m_row);
    if (!m_dragged || !tile) return;
    PanZoom place = m_panZoom;
    place.moveBy((event->position() - *m_dragged) * viewport()->devicePixelRatioF(), sizeOfSelected(),
                 roomOf(tile->rect));
    m_dragged = event->position();
    setPanZoom(place);
}

void WallView::mouseReleaseEvent(QMouseEvent*) {
    m_dragged.reset();
}

void WallView::wheelEvent(QWheelEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!(event->modifiers() & Qt::ControlModifier) || !tile) return QAbstractScrollArea::wheelEvent(event);
    event->accept();
    // Shift makes a sideways wheel of it on some desktops.
    const QPoint turned = event->angleDelta();
    const double notches = (turned.y() != 0 ? turned.y() : turned.x()) / 120.0;
    if (!m_zoomed && !(event->modifiers() & Qt::ShiftModifier))
        return setTileWidth((m_tileWidth > 0 ? m_tileWidth : tileWidth()) * std::pow(kTileStep, notches),
                            tile);
    const QPointF point =
        (event->position() + scrolled() - tile->rect.topLeft()) * viewport()->devicePixelRatioF();
    PanZoom place = m_panZoom;
    place.zoomBy(std::pow(ClipViewport::kZoomStep, notches), point,
                 sizeOfClip(m_scene.tile(tile->column, tile->row).file), roomOf(tile->rect));
    setPanZoom(place);
}

void WallView::mouseDoubleClickEvent(QMouseEvent* event) {
    const WallLayout::Tile* tile = tileAt(event->position().toPoint());
    if (!tile) return;
    select(tile->column, tile->row);
    setZoomed(!m_zoomed);
}

void WallView::keyPressEvent(QKeyEvent* event) {
    // Plain arrows are frames and steps, which the page handles; with Shift they walk over the tiles.
    const bool shift = event->modifiers() & Qt::ShiftModifier;
    switch (event->key()) {
        case Qt::Key_Left:
            return shift ? moveSelection(-1, 0) : event->ignore();
        case Qt::Key_Right:
            return shift ? moveSelection(1, 0) : event->ignore();
        case Qt::Key_Up:
            return shift ? moveSelection(0, -1) : event->ignore();
        case Qt::Key_Down:
            return shift ? moveSelection(0, 1) : event->ignore();
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return setZoomed(true);
        case Qt::Key_Escape:
            return m_zoomed ? setZoomed(false) : event->ignore();
        default:
            event->ignore();
    }
}

QString WallView::tipAt(QPoint place) const {
    const QPoint point = place + scrolled();
    for (const auto& header : m_layout.headers)
        if (header.rect.contains(point))
            return m_scene.columns[static_cast<std::size_t>(header.column)].details;
    for (const auto& label : m_layout.labels)
        if (label.rect.contains(point)) return m_scene.rows[static_cast<std::size_t>(label.row)].details;
    const WallLayout::Tile* tile = tileAt(place);
    return tile ? m_scene.explain(tile->column, tile->row) : QString();
}

bool WallView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        QToolTip::showText(help->globalPos(), asPlainTip(tipAt(help->pos())), this);
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace dailies::ui
