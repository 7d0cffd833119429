#include "ui/datasets/clip_tile_paint.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"

#include <QObject>
#include <QPainter>
#include <QPainterPath>

namespace dailies::ui {

namespace {

constexpr double kDimmed = 0.28;
constexpr int kPillHeight = 18, kPillPadding = 6;
constexpr int kIcon = 12;

QString elided(const QPainter& painter, const QString& text, int width) {
    return painter.fontMetrics().elidedText(text, Qt::ElideRight, width);
}

/// Text on a dark ground that any picture can be behind.
void paintPill(QPainter& painter, const QPoint& bottomLeft, const QString& text) {
    painter.setFont(Theme::font(TextStyle::Caption));
    const int width = painter.fontMetrics().horizontalAdvance(text) + 2 * kPillPadding;
    const QRect pill(bottomLeft.x(), bottomLeft.y() - kPillHeight, width, kPillHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 150));
    painter.drawRoundedRect(pill, 4, 4);
    painter.setPen(Qt::white);
    painter.drawText(pill, Qt::AlignCenter, text);
}

/// What rounding cuts off. Painting over it costs a tenth of clipping a picture to a path.
QPainterPath cornersOf(const QRectF& rect) {
    QPainterPath corners;
    const double r = kRadius;
    const auto add = [&](QPointF corner, double dx, double dy, double startAngle) {
        const QRectF circle(QPointF(corner.x() + (dx > 0 ? 0 : -2 * r), corner.y() + (dy > 0 ? 0 : -2 * r)),
                            QSizeF(2 * r, 2 * r));
        corners.moveTo(corner);
        corners.arcTo(circle, startAngle, 90);
        corners.closeSubpath();
    };
    add(rect.topLeft(), 1, 1, 90);
    add(rect.topRight(), -1, 1, 0);
    add(rect.bottomLeft(), 1, -1, 180);
    add(rect.bottomRight(), -1, -1, 270);
    return corners;
}

void paintCaption(QPainter& painter, const QRect& rect, const ClipTile& tile) {
    const Palette& p = colors();
    painter.setFont(Theme::font(TextStyle::Caption));
    QRect rest = rect;
    if (!tile.number.isEmpty()) {
        painter.setPen(p.textMuted);
        painter.drawText(rest, Qt::AlignVCenter | Qt::AlignRight, tile.number);
        rest.setRight(rest.right() - painter.fontMetrics().horizontalAdvance(tile.number) - space::k8);
    }
    const bool byHand = tile.correction != curation::Correction::None;
    if (byHand) {
        const QRect place(rest.left(), rest.center().y() - kIcon / 2 + 1, kIcon, kIcon);
        const bool keep = tile.correction == curation::Correction::Keep;
        icon(QStringLiteral("pin"), keep ? p.success : p.danger).paint(&painter, place);
        rest.setLeft(rest.left() + kIcon + space::k4);
    }
    const bool isKept = tile.reasons.isEmpty();
    if (isKept && !byHand) return;
    painter.setPen(isKept ? p.success : p.textMuted);
    painter.drawText(rest, Qt::AlignVCenter | Qt::AlignLeft,
                     elided(painter, isKept ? QObject::tr("kept by hand") : tile.reasons, rest.width()));
}

}  // namespace

void paintCentred(QPainter& painter, const QRect& rect, const QImage& picture) {
    const double ratio = painter.device()->devicePixelRatioF();
    const QSizeF shown = QSizeF(picture.size()) / ratio;
    const QPointF corner(rect.x() + (rect.width() - shown.width()) / 2,
                         rect.y() + (rect.height() - shown.height()) / 2);
    painter.drawImage(QRectF(QPointF((corner * ratio).toPoint()) / ratio, shown), picture);
}

void paintClipTile(QPainter& painter, const QRect& rect, const ClipTile& tile) {
    const Palette& p = colors();
    const QRect frame = rect.adjusted(0, 0, 0, -kTileCaption);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(frame, p.surface);
    if (!tile.picture.isNull()) {
        if (!tile.dimmed)
            painter.fillRect(frame, Qt::black);
        else
            painter.setOpacity(kDimmed);
        paintCentred(painter, frame, tile.picture);
        painter.setOpacity(1);
    } else if (!tile.problem.isEmpty()) {
        painter.setFont(Theme::font(TextStyle::Caption));
        painter.setPen(p.danger);
        painter.drawText(frame.adjusted(space::k8, space::k4, -space::k8, -space::k4),
                         Qt::AlignCenter | Qt::TextWrapAnywhere, tile.problem);
    }
    paintPill(painter, frame.bottomLeft() + QPoint(6, -5), tile.length);
    if (tile.progress >= 0)
        painter.fillRect(QRectF(frame.left(), frame.bottom() - 1.0, frame.width() * tile.progress, 2),
                         p.accent);
    painter.fillPath(cornersOf(frame), p.window);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(tile.selected ? QPen(tile.focused ? p.accent : p.borderStrong, 2) : QPen(p.border, 1));
    const double inset = tile.selected ? 0 : 0.5;
    painter.drawRoundedRect(QRectF(frame).adjusted(inset, inset, -inset, -inset), kRadius, kRadius);
    paintCaption(painter, QRect(rect.left(), frame.bottom() + 1, rect.width(), kTileCaption), tile);
    painter.restore();
}

}  // namespace dailies::ui
