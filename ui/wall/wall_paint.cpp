#include "ui/wall/wall_paint.h"

#include "core/base/size_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/widgets.h"

#include <QPainter>
#include <QPainterPath>
#include <QTextLayout>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace dailies::ui {

namespace {

constexpr int kNarrow = 120;  ///< tiles below this width show the least of the HUD
constexpr int kMostNameLines = 3, kNoteHeight = 24;

/// Where lines of that width break, as offsets.
std::vector<int> lineStarts(const QFont& font, const QString& text, int width) {
    QTextLayout layout(text, font);
    QTextOption option;
    option.setWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // "lr=0.001,layers=4" has no spaces
    layout.setTextOption(option);
    std::vector<int> starts;
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
        line.setLineWidth(width);
        starts.push_back(line.textStart());
    }
    layout.endLayout();
    return starts;
}

int markWidth(const WallScene::Heading& column) {
    return column.pinned || column.color.isValid() ? space::k16 : 0;
}

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

int drawWrapped(QPainter& painter, const QRect& rect, const QString& text) {
    const auto starts = lineStarts(painter.font(), text, rect.width());
    const int height = painter.fontMetrics().lineSpacing();
    const std::size_t lines = std::min(starts.size(), std::max<std::size_t>(rect.height() / height, 1));
    for (std::size_t i = 0; i < lines; ++i) {
        const bool isLast = i + 1 == lines;
        const QString line = isLast ? text.mid(starts[i]) : text.mid(starts[i], starts[i + 1] - starts[i]);
        drawElided(painter, {rect.left(), rect.top() + static_cast<int>(i) * height, rect.width(), height},
                   Qt::AlignLeft | Qt::AlignVCenter, line.trimmed());
    }
    return static_cast<int>(lines) * height;
}

int headerHeight(const std::vector<WallScene::Heading>& columns, int width) {
    const QFont font = Theme::font(TextStyle::Strong);
    std::size_t lines = 1;
    for (const WallScene::Heading& column : columns)
        lines = std::max(lines, lineStarts(font, column.name, width - markWidth(column)).size());
    return WallLayout::kHeaderHeight + (static_cast<int>(std::min<std::size_t>(lines, kMostNameLines)) - 1) *
                                           QFontMetrics(font).lineSpacing();
}

QString absenceText(const ClipPlayer& player, const std::string& file) {
    const auto facts = player.facts(file);
    if (!facts || facts->isWhole()) return {};
    if (player.isFetching(file)) {
        if (facts->fullSize == 0) return WallView::tr("Requested from cluster");
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
    const QRect name = rect.adjusted(markWidth(column), 0, 0, -kNoteHeight);
    painter.setFont(Theme::font(TextStyle::Strong));
    const int middle = name.top() + painter.fontMetrics().lineSpacing() / 2;
    if (column.pinned) {
        icon(QStringLiteral("pin"), column.color.isValid() ? column.color : p.accent)
            .paint(&painter, QRect(rect.left() - 1, middle - 6, 13, 13));
    } else if (column.color.isValid()) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(column.color);
        painter.drawEllipse(QPointF(rect.left() + 5, middle + 0.5), 4.5, 4.5);
    }
    painter.setPen(p.text);
    QString title = column.name;
    if (!prompt.isEmpty()) title += QStringLiteral("  ·  ") + prompt;
    drawWrapped(painter, name, title);

    QRect second(rect.left(), name.bottom() + 1, rect.width(), 16);
    const QRect statusPlace(second.left() - 1, second.center().y() - 5, 12, 12);
    if (!column.statusIcon.isEmpty())
        icon(column.statusIcon, column.statusColor).paint(&painter, statusPlace);
    second.setLeft(name.left());
    painter.setFont(Theme::font(TextStyle::Caption));
    if (column.resamples > 0) {
        const QString count = QStringLiteral("+%1").arg(column.resamples);
        QRect pill(0, second.top(), painter.fontMetrics().horizontalAdvance(count) + space::k12, 16);
        pill.moveRight(second.right());
        painter.setPen(Qt::NoPen);
        painter.setBrush(p.pressed);
        painter.drawRoundedRect(pill, 4, 4);
        painter.setPen(p.text);
        painter.drawText(pill, Qt::AlignCenter, count);
        second.setRight(pill.left() - space::k4);
    }
    if (column.best) {
        const QRect star(second.left() - 1, second.center().y() - 5, 12, 12);
        icon(QStringLiteral("star"), p.warning).paint(&painter, star);
        second.setLeft(second.left() + space::k16);
    }
    painter.setPen(column.best ? p.text : p.textMuted);
    QString note = !column.metric.isEmpty() ? column.metric
                   : !column.note.isEmpty() ? column.note
                                            : column.status;
    // The metric is the same in all columns: without room for both its value says more than half its name.
    if (!column.metric.isEmpty() && painter.fontMetrics().horizontalAdvance(note) > second.width())
        note = note.section(QLatin1Char(' '), 0, 0);
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
    const QString& note = row.metric.isEmpty() ? row.note : row.metric;
    const int noteHeight =
        note.isEmpty() ? 0 : QFontMetrics(Theme::font(TextStyle::Caption)).lineSpacing() + space::k4;
    const int used = drawWrapped(painter, text.adjusted(0, 0, 0, -noteHeight), row.name);
    painter.setFont(Theme::font(TextStyle::Caption));
    painter.setPen(p.textMuted);
    if (!note.isEmpty()) drawWrapped(painter, text.adjusted(0, used + space::k4, 0, 0), note);
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

    const QFontMetrics metrics = painter.fontMetrics();
    const auto pill = [&](int width) {
        return QRect(0, rect.bottom() - kPillInset - kPillHeight + 1, width, kPillHeight);
    };
    int end = rect.right() - kPillInset;  // of the room that is left for the step
    if (tile.adherence) {
        const QString mark = QStringLiteral("%1 %").arg(static_cast<int>(std::lround(*tile.adherence * 100)));
        QRect right = pill(metrics.horizontalAdvance(mark) + 2 * kPillInset + kDot + space::k4);
        right.moveRight(end);
        paintPill(painter, right);
        painter.setPen(Qt::NoPen);
        painter.setBrush(adherenceColor(*tile.adherence));
        painter.drawEllipse(QRect(right.left() + kPillInset, right.center().y() - kDot / 2 + 1, kDot, kDot));
        painter.setPen(dark.text);
        painter.drawText(right.adjusted(kPillInset, 0, -kPillInset, 0), Qt::AlignRight | Qt::AlignVCenter,
                         mark);
        end = right.left() - space::k4;
    }

    // The clip's score stands whatever the step takes; of the step its number is what matters.
    const QString number = QString::number(tile.step);
    for (const QString& text : {QStringLiteral("step ") + number, number}) {
        QRect left = pill(metrics.horizontalAdvance(text) + 2 * kPillInset + (tile.earlier ? space::k16 : 0));
        left.moveLeft(rect.left() + kPillInset);
        if (left.right() > end) continue;
        paintPill(painter, left);
        if (tile.earlier)
            icon(QStringLiteral("clock"), dark.warning)
                .paint(&painter, QRect(left.left() + 5, left.top() + 4, 12, 12));
        painter.setPen(tile.earlier ? dark.warning : dark.text);
        painter.drawText(left.adjusted(kPillInset, 0, -kPillInset, 0), Qt::AlignRight | Qt::AlignVCenter,
                         text);
        break;
    }
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

void paintInput(QPainter& painter, const QRect& rect, const QImage& picture) {
    const double ratio = painter.device()->devicePixelRatioF();
    QRectF shown({}, QSizeF(picture.size()) / ratio);
    shown.moveCenter(QRectF(rect).center());
    painter.fillRect(rect, Qt::black);
    painter.setRenderHint(QPainter::SmoothPixmapTransform);
    painter.drawImage(shown, picture);
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.setPen(QPen(colors().borderStrong, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5));
}

void paintFrame(QPainter& painter, const QRect& rect) {
    painter.setPen(QPen(colors().borderStrong, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), kRadius, kRadius);
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
