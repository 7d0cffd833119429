#include "ui/charts/panels/hover_card.h"

#include "ui/theme/theme.h"

#include <QFontMetricsF>
#include <QPainter>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr double kLineHeight = 18;
constexpr double kLabelWidth = 150;
constexpr double kValueWidth = 130;
constexpr double kAway = 14;  ///< from the mark, so that the card does not cover it
}  // namespace

void paintHoverCard(QPainter& painter, const QRectF& within, const QPointF& at, const HoverCard& card) {
    const QFont captions = Theme::font(TextStyle::Caption);
    const QFont strong = Theme::font(TextStyle::Strong);
    const QFontMetricsF metrics(captions), titleMetrics(strong);
    double labels = 0, values = 0;
    for (const auto& line : card.lines) {
        labels = std::max(labels, metrics.horizontalAdvance(line.label));
        values = std::max(values, metrics.horizontalAdvance(line.value));
    }
    labels = std::min(labels, kLabelWidth);
    values = std::min(values, kValueWidth);
    const double title = 12 + std::min(titleMetrics.horizontalAdvance(card.title), kLabelWidth + kValueWidth);
    const double width = 2 * space::k12 + std::max(title, labels + space::k16 + values);
    const double height = 2 * space::k8 + kLineHeight * (1 + static_cast<double>(card.lines.size()));
    double left = at.x() + kAway;
    if (left + width > within.right()) {
        left = std::max(within.left(), at.x() - kAway - width);
    }
    const double top =
        std::clamp(at.y() - height / 2, within.top(), std::max(within.top(), within.bottom() - height));

    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    QColor background = colors().raised;
    background.setAlphaF(0.97f);
    painter.setPen(QPen(colors().borderStrong, 1));
    painter.setBrush(background);
    painter.drawRoundedRect(QRectF(left, top, width, height), kRadius, kRadius);

    QRectF line(left + space::k12, top + space::k8, width - 2 * space::k12, kLineHeight);
    painter.setPen(Qt::NoPen);
    painter.setBrush(card.color);
    painter.drawEllipse(QPointF(line.left() + 3, line.center().y()), 3.5, 3.5);
    painter.setPen(colors().text);
    painter.setFont(strong);
    painter.drawText(line.adjusted(12, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                     titleMetrics.elidedText(card.title, Qt::ElideMiddle, line.width() - 12));
    painter.setFont(captions);
    for (const auto& [label, value] : card.lines) {
        line.translate(0, kLineHeight);
        painter.setPen(colors().textMuted);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignLeft,
                         metrics.elidedText(label, Qt::ElideMiddle, labels));
        painter.setPen(colors().text);
        painter.drawText(line, Qt::AlignVCenter | Qt::AlignRight,
                         metrics.elidedText(value, Qt::ElideMiddle, values));
    }
    painter.restore();
}

}  // namespace dailies::ui
