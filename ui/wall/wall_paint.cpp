#include "ui/wall/wall_paint.h"

#include "core/base/size_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/widgets.h"

#include <QPainter>
#include <QPainterPath>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dailies::ui {

namespace {

constexpr int kNarrow = 120;  ///< tiles below this width show the least of the HUD

QColor adherenceColor(double adherence) {
    // Pictures are dark or bright in any theme, and the HUD's ground is black: always the dark theme's
    // colours.
    const Palette& p = palette(ThemeMode::Dark);
    return adherence > 0.99 ? p.success : adherence > 0.5 ? p.warning : p.danger;
}

}  // namespace

void drawElided(QPainter& painter, const QRect& rect, int flags, const QString& text) {
    painter.drawText(rect, flags, painter.fontMetrics().elidedText(text, Qt::ElideRight, rect.width()));
}

QString absenceText(const ClipPlayer& player, const std::string& file) {
    const auto facts = player.facts(file);
    if (!facts || facts->isWhole()) return {};
    if (player.isFetching(file)) {
        if (facts->fullSize == 0) return WallView::tr("Asked of the cluster");
        return WallView::tr("Fetching %1 of %2")
            .arg(QString::fromStdString(sizeText(static_cast<std::uint64_t>(facts->stamp.bytes))),
                 QString::fromStdString(sizeText(facts->fullSize)));
    }
    const QString why = player.fetchError(file);
    return why.isEmpty() ? WallView::tr("On the cluster; Enter fetches it") : why;
}

void paintHeader(QPainter& painter, const QRect& rect, const WallScene::Heading& column,
                 const QString& prompt) {
    const Palette& p = colors();
    const bool marked = column.pinned || column.color.isValid();
    const QRect name(rect.left() + (marked ? space::k16 : 0), rect.top(),
                     rect.width() - (marked ? space::k16 : 0), 20);
    if (column.pinned) {
        icon(QStringLiteral("pin"), column.color.isValid() ? column.color : p.accent)
            .paint(&painter, QRect(rect.left() - 1, name.center().y() - 5, 13, 13));
    } else if (column.color.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(column.color);
        painter.drawEllipse(QPointF(rect.left() + 5, name.center().y() + 1), 4.5, 4.5);
    }
    painter.setFont(Theme::font(TextStyle::Strong));
    painter.setPen(p.text);
    QString title = column.name;
    if (!prompt.isEmpty()) title += QStringLiteral("  ·  ") + prompt;
    drawElided(painter, name, Qt::AlignLeft | Qt::AlignVCenter, title);

    QRect second(rect.left(), name.bottom() + 1, rect.width(), 16);
    const QRect statusPlace(second.left() - 1, second.center().y() - 5, 12, 12);
    if (!column.statusIcon.isEmpty())
        icon(column.statusIcon, column.statusColor).paint(&painter, statusPlace);
    second.setLeft(name.left());
    painter.setFont(Theme::font(TextStyle::Caption));
    if (column.best) {
        const QRect star(second.left() - 1, second.center().y() - 5, 12, 12);
        icon(QStringLiteral("star"), p.warning).paint(&painter, star);
        second.setLeft(second.left() + space::k16);
    }
    painter.setPen(column.best ? p.text : p.textMuted);
    const QString& note = !column.metric.isEmpty() ? column.metric
                          : !column.note.isEmpty() ? column.note
                                                   : column.status;
    drawElided(painter, second, Qt::AlignLeft | Qt::AlignVCenter, note);
}

void paintLabel(QPainter& painter, const QRect& rect, const WallScene::Heading& row) {
    const Palette& p = colors();
    QRect text = rect.adjusted(0, space::k4, 0, 0);
    if (row.color.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(row.color);
        painter.drawEllipse(QPointF(text.left() + 5, text.top() + 9), 4.5, 4.5);
        text.setLeft(text.left() + space::k16);
    }
    painter.setFont(Theme::font(TextStyle::Body));
    painter.setPen(p.text);
    QRect used;
    painter.drawText(text, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, row.name, &used);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(p.textMuted);
    painter.drawText(text.adjusted(0, used.height() + space::k4, 0, 0),
                     Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap,
                     row.metric.isEmpty() ? row.note : row.metric);
}

void paintNote(QPainter& painter, const QRect& rect, const QString& iconName, const QString& text,
               const QColor& color) {
    constexpr int kIcon = 20;
    const QRect inner = rect.adjusted(space::k8, space::k8, -space::k8, -space::k8);
    painter.setFont(Theme::font(TextStyle::Caption));
    constexpr int kFlags = Qt::AlignHCenter | Qt::AlignTop | Qt::TextWordWrap;
    // A file's name has no spaces to break at.
    const bool longWords = painter.boundingRect(inner, kFlags, text).width() > inner.width();
    const int flags = longWords ? Qt::AlignHCenter | Qt::AlignTop | Qt::TextWrapAnywhere : kFlags;
    const int textHeight = painter.boundingRect(inner, flags, text).height();
    const int top = std::max(inner.center().y() - (kIcon + space::k8 + textHeight) / 2, inner.top());
    icon(iconName, color).paint(&painter, QRect(inner.center().x() - kIcon / 2, top, kIcon, kIcon));
    painter.setPen(colors().textMuted);
    painter.drawText(
        QRect(inner.left(), top + kIcon + space::k8, inner.width(), inner.bottom() - top - kIcon - space::k8),
        flags, text);
}

namespace {

constexpr int kPillHeight = 20, kPillInset = 6, kDot = 6;

/// A dark rounded ground for a text over a picture. Pictures are dark or bright in any theme, so it always
/// is.
void paintPill(QPainter& painter, const QRect& rect) {
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 165));
    painter.drawRoundedRect(rect, 4, 4);
}

void paintTextPill(QPainter& painter, QRect place, const QString& text, const QColor& color) {
    const int room = place.width() - 2 * kPillInset;
    const QString shown = painter.fontMetrics().elidedText(text, Qt::ElideRight, room);
    place.setWidth(painter.fontMetrics().horizontalAdvance(shown) + 2 * kPillInset);
    paintPill(painter, place);
    painter.setPen(color);
    painter.drawText(place, Qt::AlignCenter, shown);
}

}  // namespace

void paintHud(QPainter& painter, const QRect& rect, const WallScene::Tile& tile, const QString& warning,
              Hud hud) {
    const Palette& dark = palette(ThemeMode::Dark);
    painter.setFont(Theme::font(TextStyle::Caption));
    QRect top(rect.left() + kPillInset, rect.top() + kPillInset, rect.width() - 2 * kPillInset, kPillHeight);
    if (!warning
             .isEmpty()) {  // also for those who want to see nothing else: the picture is not what it seems
        paintTextPill(painter, top, warning, dark.warning);
        top.translate(0, kPillHeight + space::k4);
    }
    if (hud == Hud::Nothing) return;
    const bool narrow = rect.width() < kNarrow;
    if (hud == Hud::Everything && !narrow && !tile.params.isEmpty() &&
        top.bottom() < rect.bottom() - 2 * kPillHeight)
        paintTextPill(painter, top, tile.params, dark.text);

    QString text = QString::number(tile.step);
    if (!narrow) text.prepend(QStringLiteral("step "));
    const QString mark =
        !tile.adherence ? QString()
        : narrow        ? QString::number(static_cast<int>(std::lround(*tile.adherence * 100)))
                        : QStringLiteral("%1 %").arg(static_cast<int>(std::lround(*tile.adherence * 100)));
    const QFontMetrics metrics = painter.fontMetrics();
    const auto pill = [&](int width) {
        return QRect(0, rect.bottom() - kPillInset - kPillHeight + 1, width, kPillHeight);
    };

    QRect left = pill(metrics.horizontalAdvance(text) + 2 * kPillInset + (tile.earlier ? space::k16 : 0));
    left.moveLeft(rect.left() + kPillInset);
    paintPill(painter, left);
    if (tile.earlier)
        icon(QStringLiteral("clock"), dark.warning)
            .paint(&painter, QRect(left.left() + 5, left.top() + 4, 12, 12));
    painter.setPen(tile.earlier ? dark.warning : dark.text);
    painter.drawText(left.adjusted(kPillInset, 0, -kPillInset, 0), Qt::AlignRight | Qt::AlignVCenter, text);
    if (mark.isEmpty()) return;

    QRect right = pill(metrics.horizontalAdvance(mark) + 2 * kPillInset + kDot + space::k4);
    right.moveRight(rect.right() - kPillInset);
    if (right.left() <= left.right()) return;
    paintPill(painter, right);
    painter.setPen(Qt::NoPen);
    painter.setBrush(adherenceColor(*tile.adherence));
    painter.drawEllipse(QRect(right.left() + kPillInset, right.center().y() - kDot / 2 + 1, kDot, kDot));
    painter.setPen(dark.text);
    painter.drawText(right.adjusted(kPillInset, 0, -kPillInset, 0), Qt::AlignRight | Qt::AlignVCenter, mark);
}

void paintFindings(QPainter& painter, const QRect& rect, const std::vector<tracking::ClipFinding>& findings) {
    if (findings.empty()) return;
    const tracking::ClipFinding& worst = findings.front();
    const QColor color =
        worst.severity > 1 ? palette(ThemeMode::Dark).danger : palette(ThemeMode::Dark).warning;
    QString text = rect.width() < kNarrow ? QString() : sanitized(worst.check);
    if (findings.size() > 1) text += QStringLiteral(" +%1").arg(findings.size() - 1);
    painter.setFont(Theme::font(TextStyle::Caption));
    constexpr int kHeight = 20, kInset = 6, kIcon = 12;
    const int textWidth = text.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(text) + space::k4;
    QRect pill(0, rect.top() + kInset, kIcon + textWidth + 2 * kInset, kHeight);
    pill.moveRight(rect.right() - kInset);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(0, 0, 0, 165));
    painter.drawRoundedRect(pill, 4, 4);
    icon(QStringLiteral("warning"), color)
        .paint(&painter, QRect(pill.left() + kInset, pill.center().y() - kIcon / 2 + 1, kIcon, kIcon));
    painter.setPen(color);
    painter.drawText(pill.adjusted(0, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter, text);
}

QString offsetText(int frames) {
    const int by = std::abs(frames);
    return (frames > 0 ? QStringLiteral("+") : QStringLiteral("−")) +
           (by == 1 ? QStringLiteral("1 frame") : QStringLiteral("%1 frames").arg(by));
}

QString withoutFolder(QString message, const std::string& file) {
    return message.remove(QString::fromStdString(file.substr(0, file.rfind('/') + 1)));
}

void roundCorners(QPainter& painter, const QRect& rect, const QColor& outside) {
    // A clip path would cost an antialiased fill of the whole tile.
    QPainterPath corners, inside;
    corners.addRect(rect);
    inside.addRoundedRect(rect, kRadius, kRadius);
    painter.fillPath(corners - inside, outside);
}

}  // namespace dailies::ui
