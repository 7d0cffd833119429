#pragma once

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QAbstractSlider>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QString>
#include <QWidget>

#include <string>
#include <vector>

namespace dailies::ui {

/// The part of a widget that its parents leave to be seen, in the coordinates of `window`.
inline QRect seenPart(const QWidget& widget, const QWidget& window) {
    QRect seen(widget.mapTo(&window, QPoint(0, 0)), widget.size());
    for (const QWidget* at = widget.parentWidget(); at; at = at->parentWidget()) {
        seen &= QRect(at->mapTo(&window, QPoint(0, 0)), at->size());
        if (at == &window) break;
    }
    return seen;
}

inline std::string nameOf(const QWidget& widget) {
    QString name = widget.accessibleName();
    if (const auto* label = qobject_cast<const QLabel*>(&widget); label && name.isEmpty())
        name = label->text();
    if (const auto* button = qobject_cast<const QAbstractButton*>(&widget); button && name.isEmpty())
        name = button->text();
    return std::string(widget.metaObject()->className()) + " \"" + name.left(40).toStdString() + "\"";
}

/// Not by a part that can be scrolled, where the rest is found.
inline bool isCutOff(const QWidget& widget, const QRect& seen) {
    for (const QWidget* at = widget.parentWidget(); at; at = at->parentWidget())
        if (qobject_cast<const QAbstractScrollArea*>(at)) return false;
    return seen.width() < widget.width() - 1 || seen.height() < widget.height() - 1;
}

/// A label whose text has no room, and that does not end in dots there.
inline bool cutsItsText(const QWidget& widget) {
    const auto* label = qobject_cast<const QLabel*>(&widget);
    if (!label) return false;
    if (label->wordWrap()) return label->height() < label->heightForWidth(label->width());
    if (label->inherits("dailies::ui::ElidedLabel")) return false;
    return label->width() < label->sizeHint().width() || label->height() < label->sizeHint().height();
}

/// What a person reads or uses in `window` and cannot, for another one lies over it or the window ends.
inline std::vector<std::string> overlapsIn(QWidget& window) {
    std::vector<QWidget*> controls;
    for (auto* widget : window.findChildren<QWidget*>()) {
        const auto* label = qobject_cast<QLabel*>(widget);
        const bool control = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                             qobject_cast<QComboBox*>(widget) || qobject_cast<QAbstractSlider*>(widget) ||
                             (label && !label->text().isEmpty());
        if (control && widget->isVisible() && widget->window() == &window &&
            !qobject_cast<QScrollBar*>(widget))
            controls.push_back(widget);
    }
    std::vector<std::string> found;
    for (std::size_t i = 0; i < controls.size(); ++i) {
        const QRect one = seenPart(*controls[i], window);
        if (isCutOff(*controls[i], one)) found.push_back(nameOf(*controls[i]) + " is cut off");
        if (cutsItsText(*controls[i])) found.push_back(nameOf(*controls[i]) + " cuts its text");
        const auto* push = qobject_cast<QPushButton*>(controls[i]);
        if (push && push->width() < push->sizeHint().width())
            found.push_back(nameOf(*push) + " cuts its words");
        for (std::size_t j = i + 1; j < controls.size(); ++j) {
            if (controls[i]->isAncestorOf(controls[j]) || controls[j]->isAncestorOf(controls[i])) continue;
            const QRect both = one & seenPart(*controls[j], window);
            if (both.width() > 1 && both.height() > 1)
                found.push_back(nameOf(*controls[i]) + " and " + nameOf(*controls[j]));
        }
    }
    return found;
}

}  // namespace dailies::ui
