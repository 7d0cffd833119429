#pragma once

#include <QColor>
#include <QPointF>
#include <QRectF>
#include <QString>

#include <vector>

class QPainter;

namespace dailies::ui {

/// What a plot says of the mark under the pointer: the run and a line a value.
struct HoverCard {
    QColor color;  ///< the run's
    QString title;
    struct Line {
        QString label, value;
    };
    std::vector<Line> lines;
};

/// Beside `at`, on the side with room, inside `within`. Long texts end in "…".
void paintHoverCard(QPainter& painter, const QRectF& within, const QPointF& at, const HoverCard& card);

}  // namespace dailies::ui
