#include "ui/runs/run_delegate.h"

#include "ui/runs/run_table_model.h"
#include "ui/runs/run_text.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"

#include <QAbstractProxyModel>
#include <QPainter>

namespace dailies::ui {

namespace {

QModelIndex sourceIndex(const QModelIndex& index) {
    const auto* proxy = qobject_cast<const QAbstractProxyModel*>(index.model());
    return proxy ? proxy->mapToSource(index) : index;
}

bool isNumber(RunTableModel::Kind kind) {
    return kind == RunTableModel::Kind::Metric || kind == RunTableModel::Kind::Param ||
           kind == RunTableModel::Kind::Duration;
}

}  // namespace

RunDelegate::RunDelegate(const RunTableModel& model, QObject* parent)
    : QStyledItemDelegate(parent), m_model(model) {}

void RunDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    const QModelIndex source = sourceIndex(index);
    const auto kind = m_model.column(source.column()).kind;
    const Palette& p = colors();
    painter->save();
    if (option.state & QStyle::State_Selected) {
        painter->fillRect(option.rect, p.accentSoft);
    } else if (option.state & QStyle::State_MouseOver) {
        painter->fillRect(option.rect, p.hover);
    }
    painter->setPen(p.border);
    painter->drawLine(option.rect.bottomLeft(), option.rect.bottomRight());

    QRect text = option.rect.adjusted(space::k12, 0, -space::k12, -1);
    if (kind == RunTableModel::Kind::Status) {
        paintStatus(painter, text, source);
    } else {
        QFont font = Theme::font(isNumber(kind) ? TextStyle::Mono : TextStyle::Body);
        QColor color = kind == RunTableModel::Kind::Name || isNumber(kind) ? p.text : p.textMuted;
        if (kind == RunTableModel::Kind::Name) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(runColor(m_model.run(source.row()).id));
            painter->drawEllipse(QPointF(text.left() + 5, text.center().y() + 0.5), 5, 5);
            text.setLeft(text.left() + space::k16 + space::k4);
            font.setWeight(QFont::Medium);
        }
        painter->setFont(font);
        painter->setPen(color);
        const auto alignment = isNumber(kind) ? Qt::AlignRight : Qt::AlignLeft;
        painter->drawText(
            text, alignment | Qt::AlignVCenter,
            QFontMetrics(font).elidedText(index.data().toString(), Qt::ElideRight, text.width()));
    }
    if (option.state & QStyle::State_HasFocus) {
        painter->setPen(QPen(p.accent, 1));
        painter->setBrush(Qt::NoBrush);
        painter->drawRect(option.rect.adjusted(0, 0, -1, -2));
    }
    painter->restore();
}

void RunDelegate::paintStatus(QPainter* painter, QRect rect, const QModelIndex& source) const {
    const tracking::Run& run = m_model.run(source.row());
    const QColor color = statusColor(run);
    const QRect picture(rect.left(), rect.center().y() - 7, 15, 15);
    icon(statusIcon(run), color).paint(painter, picture);
    rect.setLeft(picture.right() + space::k8);

    const QFont font = Theme::font(TextStyle::Body);
    const QFontMetrics metrics(font);
    painter->setFont(font);
    painter->setPen(color);
    const QString status = metrics.elidedText(statusText(run), Qt::ElideRight, rect.width());
    painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter, status);
    rect.setLeft(rect.left() + metrics.horizontalAdvance(status) + space::k8);
    const QString reason = run.status == tracking::RunStatus::Running ? QString() : reasonText(run);
    if (!reason.isEmpty() && rect.width() > space::k32) {
        painter->setPen(colors().textMuted);
        painter->drawText(rect, Qt::AlignLeft | Qt::AlignVCenter,
                          metrics.elidedText(reason, Qt::ElideRight, rect.width()));
    }
}

QSize RunDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QModelIndex source = sourceIndex(index);
    const auto kind = m_model.column(source.column()).kind;
    const QFontMetrics metrics(Theme::font(isNumber(kind) ? TextStyle::Mono : TextStyle::Body));
    int width = metrics.horizontalAdvance(index.data().toString()) + 2 * space::k12;
    if (kind == RunTableModel::Kind::Name || kind == RunTableModel::Kind::Status) {
        width += space::k24 + space::k4;
    }
    return {width, std::max(kRowHeight, QStyledItemDelegate::sizeHint(option, index).height())};
}

}  // namespace dailies::ui
