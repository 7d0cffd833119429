// How the wall is painted: pictures at every tick, what stands over them once.
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/widgets.h"

#include <QPaintEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {
constexpr double kSquaresFrom = 3;  ///< enlarged so far, a clip's pixels are shown as squares
}

void WallView::repaintTiles() {
    // One rectangle around them all: under a clip of many rectangles Qt cannot copy pictures, it fills them
    // span by span.
    QRect around;
    for (const WallLayout::Tile& tile : m_layout.tiles)
        if (isVisibleTile(tile)) around |= tile.rect;
    viewport()->update(around.translated(-scrolled()));
}

void WallView::paintEvent(QPaintEvent* event) {
    QPainter painter(viewport());
    const QRegion& region = event->region();
    for (const QRect& rect : region) painter.fillRect(rect, colors().window);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.translate(-scrolled());
    const auto isDirty = [&](const QRect& rect) { return region.intersects(rect.translated(-scrolled())); };
    for (const auto& header : m_layout.headers)
        if (isDirty(header.rect))
            paintHeader(painter, header.rect, m_scene.columns[static_cast<std::size_t>(header.column)],
                        m_zoomed ? m_scene.rows[static_cast<std::size_t>(m_row)].name : QString());
    for (const auto& label : m_layout.labels)
        if (isDirty(label.rect))
            paintLabel(painter, label.rect, m_scene.rows[static_cast<std::size_t>(label.row)]);
    for (const auto& tile : m_layout.tiles)
        if (isDirty(tile.rect)) paintTile(painter, tile);
}

void WallView::paintTile(QPainter& painter, const WallLayout::Tile& place) {
    const Palette& p = colors();
    const WallScene::Tile& tile = m_scene.tile(place.column, place.row);
    const auto clip = playedClip(m_scene, place);
    const DecodedFrame* frame = clip ? m_player.current(*clip) : nullptr;
    QImage& picture = m_lastPictures[static_cast<std::size_t>(&place - m_layout.tiles.data())];
    if (frame) picture = frame->image;
    if (!clip) picture = {};

    if (!picture.isNull()) {
        paintPicture(painter, place, picture, warningFor(*clip));
    } else {
        paintGround(painter, place.rect);
        if (const QString absent = clip ? absenceText(m_player, clip->file) : QString(); !absent.isEmpty())
            paintNote(painter, place.rect, QStringLiteral("cluster"),
                      QStringLiteral("Step %1\n%2").arg(tile.step).arg(absent), p.textMuted);
        else if (frame && !frame->error.isEmpty())
            paintNote(painter, place.rect, QStringLiteral("error"), withoutFolder(frame->error, tile.file),
                      p.danger);
        else if (!clip)
            paintNote(
                painter, place.rect, tile.step >= 0 ? QStringLiteral("cluster") : QStringLiteral("clock"),
                tile.step >= 0 ? QStringLiteral("Step %1\n%2").arg(tile.step).arg(tile.note) : tile.note,
                p.textMuted);
    }
    if (place.column == m_column && place.row == m_row && !m_zoomed) {
        painter.setPen(QPen(hasFocus() ? p.accent : p.borderStrong, 2));
        painter.setBrush(Qt::NoBrush);
        painter.drawRoundedRect(QRectF(place.rect).adjusted(1, 1, -1, -1), kRadius, kRadius);
    }
}

void WallView::paintPicture(QPainter& painter, const WallLayout::Tile& place, const QImage& picture,
                            const QString& warning) {
    const Palette& p = colors();
    const double ratio = viewport()->devicePixelRatioF();
    const WallScene::Tile& tile = m_scene.tile(place.column, place.row);
    const QSizeF room = QSizeF(place.rect.size()) * ratio;
    if (isPart(tile.file) || picture.width() < room.width() || picture.height() < room.height())
        painter.fillRect(place.rect, m_zoomed ? p.window : p.surface);
    const QRect shown = drawPicture(painter, place.rect, picture, tile.file);
    paintInputs(painter, place);
    if (m_zoomed)
        paintOverlay(painter, shown, tile, warning);
    else
        painter.drawImage(place.rect.topLeft(), overlayOf(place, warning));
}

/// In the middle of a tile, or as much of it as the zoom leaves; where in the viewport it is seen.
QRect WallView::drawPicture(QPainter& painter, const QRect& tile, const QImage& picture,
                            const std::string& file) {
    const double ratio = viewport()->devicePixelRatioF();
    if (isPart(file)) {
        const QSize own = sizeOfClip(file);
        const QRectF whole = m_panZoom.rectOf(own, roomOf(tile));
        painter.save();
        painter.setClipRect(tile);
        painter.translate(tile.topLeft());
        painter.scale(1 / ratio, 1 / ratio);
        painter.setRenderHint(QPainter::SmoothPixmapTransform, whole.width() < kSquaresFrom * own.width());
        painter.drawImage(whole, picture);
        painter.restore();
        return tile;
    }
    const QSizeF shown = QSizeF(picture.size()) / ratio;
    const QPointF corner =
        tile.topLeft() + QPointF((tile.width() - shown.width()) / 2, (tile.height() - shown.height()) / 2);
    // In device pixels and on whole ones: a plain copy; anything else would resample every picture.
    const QPoint whole = (corner * ratio).toPoint();
    painter.save();
    painter.scale(1 / ratio, 1 / ratio);
    painter.drawImage(whole, picture);
    painter.restore();
    return QRectF(QPointF(whole) / ratio, shown).toAlignedRect();
}

void WallView::paintInputs(QPainter& painter, const WallLayout::Tile& place) {
    for (const ShownInput& input : shownInputs(m_scene, place)) {
        QImage& picture = m_lastInputs[input.clip.file];
        if (const DecodedFrame* frame = m_player.current(input.clip)) picture = frame->image;
        if (picture.isNull()) continue;
        if (!input.rect.isEmpty()) {
            paintInput(painter, input.rect, picture);
            continue;
        }
        // drawings are bright on black
        painter.save();
        painter.setCompositionMode(QPainter::CompositionMode_Screen);
        drawPicture(painter, place.rect, picture, input.clip.file);
        painter.restore();
    }
}

void WallView::paintGround(QPainter& painter, const QRect& rect) {
    const double ratio = viewport()->devicePixelRatioF();
    if (m_ground.size() != rect.size() * ratio) {
        const Palette& p = colors();
        m_ground = QImage(rect.size() * ratio, QImage::Format_RGB32);
        m_ground.setDevicePixelRatio(ratio);
        m_ground.fill(p.window);
        QPainter ground(&m_ground);
        ground.setRenderHint(QPainter::Antialiasing);
        ground.setPen(p.border);
        ground.setBrush(p.surface);
        ground.drawRoundedRect(QRectF(QPointF(), rect.size()).adjusted(0.5, 0.5, -0.5, -0.5), kRadius,
                               kRadius);
    }
    painter.drawImage(rect.topLeft(), m_ground);
}

void WallView::paintOverlay(QPainter& painter, const QRect& rect, const WallScene::Tile& tile,
                            const QString& warning) const {
    paintFrame(painter, rect);
    paintHud(painter, rect, tile, warning, m_hud);
    paintFindings(painter, tile.review.unseen ? rect.adjusted(0, 0, -kUnseenMark, 0) : rect, tile.findings);
    paintReview(painter, rect, tile.review);
}

const QImage& WallView::overlayOf(const WallLayout::Tile& place, const QString& warning) {
    Overlay& overlay = m_overlays[static_cast<std::size_t>(&place - m_layout.tiles.data())];
    if (!overlay.image.isNull() && overlay.warning == warning) return overlay.image;
    const double ratio = viewport()->devicePixelRatioF();
    overlay = {QImage(place.rect.size() * ratio, QImage::Format_ARGB32_Premultiplied), warning};
    overlay.image.setDevicePixelRatio(ratio);
    overlay.image.fill(Qt::transparent);
    QPainter painter(&overlay.image);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRect rect(QPoint(), place.rect.size());
    roundCorners(painter, rect, colors().window);
    paintOverlay(painter, rect, m_scene.tile(place.column, place.row), warning);
    return overlay.image;
}

void WallView::forgetOverlays() {
    m_overlays.assign(m_layout.tiles.size(), {});
    m_ground = {};
}

}  // namespace dailies::ui
