#include "ui/main_window/free_place.h"

#include "ui/widgets/message_hints.h"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTabBar>
#include <QTextEdit>
#include <QWidget>

#include <algorithm>

namespace dailies::ui {

namespace {

bool isControl(const QWidget& widget) {
    if (isKeptClearOfMessages(widget)) return true;
    if (const auto* text = qobject_cast<const QPlainTextEdit*>(&widget)) return !text->isReadOnly();
    if (const auto* text = qobject_cast<const QTextEdit*>(&widget)) return !text->isReadOnly();
    return qobject_cast<const QAbstractButton*>(&widget) || qobject_cast<const QAbstractSlider*>(&widget) ||
           qobject_cast<const QComboBox*>(&widget) || qobject_cast<const QLineEdit*>(&widget) ||
           qobject_cast<const QAbstractSpinBox*>(&widget) || qobject_cast<const QTabBar*>(&widget) ||
           qobject_cast<const QHeaderView*>(&widget);
}

/// What is scrolled out of sight, or behind another page, is in nobody's way.
void collect(const QWidget& at, const QPoint& origin, const QRect& visible, const QWidget& except,
             std::vector<QRect>& found) {
    for (const QObject* child : at.children()) {
        const auto* widget = qobject_cast<const QWidget*>(child);
        if (!widget || widget == &except || widget->isWindow() || !widget->isVisible()) continue;
        const QRect place = widget->geometry().translated(origin);
        const QRect seen = place & visible;
        if (seen.isEmpty()) continue;
        if (isControl(*widget))
            found.push_back(seen);
        else
            collect(*widget, place.topLeft(), seen, except, found);
    }
}

bool isFree(const QRect& place, const std::vector<QRect>& taken, int gap) {
    const QRect needed = place.adjusted(-gap, -gap, gap, gap);
    return std::ranges::none_of(taken, [&](const QRect& one) { return one.intersects(needed); });
}

void sortOut(std::vector<int>& distances) {
    std::ranges::sort(distances);
    const auto same = std::ranges::unique(distances);
    distances.erase(same.begin(), same.end());
}

}  // namespace

std::vector<QRect> controlsOf(const QWidget& window, const QWidget& except) {
    std::vector<QRect> found;
    collect(window, {}, window.rect(), except, found);
    return found;
}

std::optional<QRect> stripForMessages(const QWidget& window) {
    for (const auto* widget : window.findChildren<QWidget*>())
        if (isPlaceOfMessages(*widget) && widget->isVisible())
            return QRect(widget->mapTo(&window, QPoint(0, 0)), widget->size());
    return std::nullopt;
}

std::optional<QRect> freePlace(const QSize& size, const QRect& area, const std::vector<QRect>& taken,
                               int gap) {
    // A nearest place touches the corner's edges or something that is taken: no others need be tried.
    std::vector<int> lefts{0}, ups{0};  // distances from the corner
    for (const QRect& one : taken) {
        lefts.push_back(area.right() - (one.left() - gap - 1));
        ups.push_back(area.bottom() - (one.top() - gap - 1));
    }
    sortOut(lefts);
    sortOut(ups);
    std::optional<QRect> best;
    int bestDistance = 0;
    for (const int left : lefts) {
        for (const int up : ups) {
            if (left < 0 || up < 0 || (best && left + up >= bestDistance)) continue;
            QRect place(QPoint(), size);
            place.moveBottomRight(area.bottomRight() - QPoint(left, up));
            if (!area.contains(place) || !isFree(place, taken, gap)) continue;
            best = place;
            bestDistance = left + up;
        }
    }
    return best;
}

QRect leastCoveringPlace(const QSize& size, const QRect& area, const std::vector<QRect>& taken) {
    constexpr int kStride = 8;
    QRect best;
    qint64 leastCovered = -1;
    QRect place(QPoint(), size);
    place.moveBottomRight(area.bottomRight());
    do {
        qint64 covered = 0;
        for (const QRect& one : taken) {
            const QRect both = one & place;
            covered += both.isEmpty() ? 0 : qint64{both.width()} * both.height();
        }
        if (leastCovered < 0 || covered < leastCovered) {
            leastCovered = covered;
            best = place;
        }
        place.translate(0, -kStride);
    } while (place.top() >= area.top());
    return best;
}

}  // namespace dailies::ui
