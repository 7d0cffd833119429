#include "ui/runs/run_delegate.h"

#include "ui/runs/run_table.h"
#include "ui/runs/run_table_model.h"
#include "ui/runs/sparkline_cache.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/run_text.h"

#include <QPainter>

namespace dailies::ui {

namespace {

constexpr int kMark = 16;  ///< an icon or a dot within a cell

bool isNumber(Column::Kind kind) {
    return kind == Column::Kind::Metric || kind == Column::Kind::Param || kind == Column::Kind::Duration;
}

/// Fonts are looked up by name when they are made, which is too slow for every cell.
const QFont& fontOf(TextStyle style) {
    static const QFont body = Theme::font(TextStyle::Body);
    static const QFont mono = Theme::font(TextStyle::Mono);
    static const QFont strong = Theme::font(TextStyle::Strong);
    static const QFont caption = Theme::font(TextStyle::Caption);
    return style == TextStyle::Mono      ? mono
           : style == TextStyle::Strong  ? strong
           : style == TextStyle::Caption ? caption
                                         : body;
}

int countWidth(int count) {
    return QFontMetrics(fontOf(TextStyle::Caption)).horizontalAdvance(QString::number(count)) + 1;
}

void drawElided(QPainter* painter, QRect rect, TextStyle style, const QColor& color, const QString& text,
                Qt::Alignment alignment = Qt::AlignLeft) {
    painter->setFont(fontOf(style));
    painter->setPen(color);
    painter->drawText(rect, static_cast<int>(alignment | Qt::AlignVCenter) | Qt::TextSingleLine,
                      QFontMetrics(fontOf(style)).elidedText(text, Qt::ElideRight, rect.width()));
}

}  // namespace

RunDelegate::RunDelegate(const RunTableModel& model, SparklineCache& sparks, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model), m_sparklines(sparks) {}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const auto& column = m_model.column(index.column());
    painter->save();
    paintBackground(painter, option, index.row());
    const QRect text = option.rect.adjusted(space::k12, 0, -space::k12, -1);
    if (m_model.groupAt(index.row())) {
        paintGroup(painter, text, index);
    } else if (column.kind == Column::Kind::Name) {
        paintName(painter, text, index);
    } else if (column.kind == Column::Kind::Status) {
        paintStatus(painter, text, index.row());
    } else if (column.kind == Column::Kind::Curve) {
        paintCurve(painter, text, index);
    } else {
        const bool number = isNumber(column.kind);
        drawElided(
            painter, text, number ? TextStyle::Mono : TextStyle::Body,
            number ? colors().text : colors().textMuted, index.data().toString(),
            m_model.headerData(index.column(), Qt::Horizontal, Qt::TextAlignmentRole).value<Qt::Alignment>());
    }
    painter->restore();
}

void RunDelegate::paintBackground(QPainter* painter, const QStyleOptionViewItem& option, int row) const {
    const Palette& p = colors();
    const auto* table = qobject_cast<const RunTable*>(option.widget);
    if (option.state & QStyle::State_Selected) {
        painter->fillRect(option.rect, p.accentSoft);
    } else if (table && table->hoveredRow() == row) {
        painter->fillRect(option.rect, p.hover);
    } else if (m_model.groupAt(row)) {
        painter->fillRect(option.rect, p.window);
    }
    painter->setPen(p.border);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());
    // The row that the keys act on: one outline through all its cells.
    if (table && table->hasFocus() && table->currentIndex().row() == row) {
        painter->setPen(p.accent);
        painter->drawLine(option.rect.topLeft(), option.rect.topRight());
        painter->drawLine(option.rect.left(), option.rect.bottom() - 1, option.rect.right(),
                          option.rect.bottom() - 1);
    }
}

int RunDelegate::widthOf(Column::Kind kind, const QString& text) {
    const QFontMetrics metrics(fontOf(isNumber(kind) ? TextStyle::Mono : TextStyle::Body));
    // Advances are rounded down, and eliding counts fractions.
    const int sides = 2 * space::k12 + 2;
    return metrics.horizontalAdvance(text) + sides + (kind == Column::Kind::Status ? kMark + space::k8 : 0);
}

int RunDelegate::widthOf(int row, Column::Kind kind, const QString& text) const {
    if (kind != Column::Kind::Name) {
        return widthOf(kind, text);
    }
    const int left = eyeRect({}, row).right() + kMark + space::k8;  // up to the name, past the dot
    if (const RunGroup* group = m_model.groupAt(row)) {
        return left + QFontMetrics(fontOf(TextStyle::Strong)).horizontalAdvance(group->title) + space::k8 +
               countWidth(group->runs) + space::k12 + 2;
    }
    return left + widthOf(kind, text) - space::k12 + (m_model.isPinned(row) ? kMark + space::k4 : 0);
}

QRect RunDelegate::eyeRect(const QRect& cell, int row) const {
    const bool indented = m_model.inGroup(row);  // below the head's arrow, which has its place itself
    const int left = cell.left() + (indented ? space::k32 : space::k12);
    return {left, cell.top() + (cell.height() - kMark) / 2, kMark, kMark};
}

int RunDelegate::paintEye(QPainter* painter, const QRect& cell, int row) const {
    const QRect eye = eyeRect(cell, row);
    const bool hidden = m_model.isHidden(row);
    icon(hidden ? QStringLiteral("eye-off") : QStringLiteral("eye"),
         hidden ? colors().textMuted : colors().textFaint)
        .paint(painter, eye.adjusted(1, 1, -1, -1));
    return eye.right() + space::k8;
}

void RunDelegate::paintDot(QPainter* painter, const QRect& text, const QColor& color, bool hidden) const {
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(hidden ? QPen(color, 1.5) : QPen(Qt::NoPen));
    painter->setBrush(hidden ? QBrush(Qt::NoBrush) : QBrush(color));
    const double radius = hidden ? 4.2 : 5;
    painter->drawEllipse(QPointF(text.left() + 5, text.center().y() + 0.5), radius, radius);
    painter->setRenderHint(QPainter::Antialiasing, false);
}

void RunDelegate::paintGroup(QPainter* painter, QRect rect, const QModelIndex& index) const {
    const RunGroup& group = *m_model.groupAt(index.row());
    const Palette& p = colors();
    if (m_model.column(index.column()).kind != Column::Kind::Name) {
        drawElided(painter, rect, TextStyle::Mono, p.textMuted, index.data().toString(), Qt::AlignRight);
        return;
    }
    const QRect arrow(rect.left() - space::k4, rect.center().y() - 7, 16, 16);
    icon(group.collapsed ? QStringLiteral("chevron-right") : QStringLiteral("chevron-down"))
        .paint(painter, arrow);
    const QRect cell(rect.left() - space::k12, rect.top(), rect.width(), rect.height() + 1);
    rect.setLeft(paintEye(painter, cell, index.row()));
    // As its curve below has it.
    paintDot(painter, rect, runColor(group.title.toStdString()), m_model.isHidden(index.row()));
    rect.setLeft(rect.left() + kMark);
    const QFontMetrics metrics(fontOf(TextStyle::Strong));
    const QString count = QString::number(group.runs);
    const int room = std::max(0, rect.width() - space::k8 - countWidth(group.runs));
    const QString title = metrics.elidedText(group.title, Qt::ElideRight, room);
    drawElided(painter, rect, TextStyle::Strong, p.text, title);
    rect.setLeft(rect.left() + metrics.horizontalAdvance(title) + space::k8);
    drawElided(painter, rect, TextStyle::Caption, p.textMuted, count);
}

void RunDelegate::paintName(QPainter* painter, QRect rect, const QModelIndex& index) const {
    const int row = index.row();
    const bool hidden = m_model.isHidden(row);
    const QRect cell(rect.left() - space::k12, rect.top(), rect.width(), rect.height() + 1);
    rect.setLeft(paintEye(painter, cell, row));
    paintDot(painter, rect, runColor(m_model.runAt(row)->id), hidden);
    rect.setLeft(rect.left() + kMark);
    if (m_model.isPinned(row)) {
        const QRect pin(rect.right() - 13, rect.center().y() - 6, 14, 14);
        icon(QStringLiteral("pin"), colors().accent).paint(painter, pin);
        rect.setRight(pin.left() - space::k4);
    }
    drawElided(painter, rect, TextStyle::Body, hidden ? colors().textMuted : colors().text,
               index.data().toString());
}

void RunDelegate::paintStatus(QPainter* painter, QRect rect, int row) const {
    const tracking::Run& run = *m_model.runAt(row);
    const QColor color = statusColor(run);
    const QRect picture(rect.left(), rect.center().y() - 7, 15, 15);
    icon(statusIcon(run), color).paint(painter, picture);
    rect.setLeft(picture.right() + space::k8);
    const QFontMetrics metrics(fontOf(TextStyle::Body));
    const QString status = metrics.elidedText(statusText(run), Qt::ElideRight, rect.width());
    drawElided(painter, rect, TextStyle::Body, color, status);
    rect.setLeft(rect.left() + metrics.horizontalAdvance(status) + space::k8);
    const QString reason = run.status == tracking::RunStatus::Running ? QString() : reasonText(run);
    if (!reason.isEmpty() && rect.width() > space::k32) {
        drawElided(painter, rect, TextStyle::Body, colors().textMuted, reason);
    }
}

void RunDelegate::paintCurve(QPainter* painter, QRect rect, const QModelIndex& index) const {
    const auto run = m_model.runAt(index.row());
    const std::string& key = m_model.column(index.column()).key;
    if (!run->metrics.contains(key)) {
        return;
    }
    const double devicePixels = painter->device()->devicePixelRatioF();
    if (const QImage* image = m_sparklines.get({run->id, key}, devicePixels)) {
        painter->drawImage(QPoint(rect.left() - space::k4, rect.center().y() - SparklineCache::kHeight / 2),
                           *image);
    }
}

}  // namespace dailies::ui
