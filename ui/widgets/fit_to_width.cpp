#include "ui/widgets/fit_to_width.h"

#include <QAbstractButton>
#include <QEvent>
#include <QLayout>
#include <QToolButton>

#include <utility>

namespace dailies::ui {

FitToWidth::FitToWidth(QWidget& bar) : QObject(&bar), m_bar(bar) {
    // or the window would be as wide as all of it wants
    if (bar.minimumWidth() == 0) bar.setMinimumWidth(1);
    bar.installEventFilter(this);
}

void FitToWidth::addStep(Step step) {
    m_steps.push_back(std::move(step));
}

void FitToWidth::iconsOnly(std::initializer_list<QAbstractButton*> buttons) {
    for (auto* button : buttons) {
        if (button->accessibleName().isEmpty()) button->setAccessibleName(button->text());
        if (auto* tool = qobject_cast<QToolButton*>(button)) {
            addStep([tool](bool tight) {
                tool->setToolButtonStyle(tight ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
            });
        } else {
            addStep(
                [button, text = button->text()](bool tight) { button->setText(tight ? QString() : text); });
        }
    }
}

void FitToWidth::shorten(QAbstractButton& button, const QString& shorter) {
    if (button.accessibleName().isEmpty()) button.setAccessibleName(button.text());
    if (button.toolTip().isEmpty()) button.setToolTip(button.text());
    addStep(
        [&button, shorter, longer = button.text()](bool tight) { button.setText(tight ? shorter : longer); });
}

void FitToWidth::hide(QWidget& widget) {
    addStep([&widget](bool tight) { widget.setVisible(!tight); });
}

void FitToWidth::narrow(QWidget& widget, int minimum) {
    addStep([&widget, minimum, usual = widget.minimumWidth()](bool tight) {
        widget.setMinimumWidth(tight ? minimum : usual);
    });
}

void FitToWidth::fit() {
    while (m_taken > 0) m_steps[--m_taken](false);
    tighten();
}

/// Never the other way: a step that is taken back asks for another layout, which would take it again.
void FitToWidth::tighten() {
    while (m_taken < m_steps.size() && m_bar.layout()->minimumSize().width() > m_bar.width())
        m_steps[m_taken++](true);
    m_bar.layout()->activate();
}

bool FitToWidth::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::Resize || event->type() == QEvent::Show) {
        fit();
    } else if (event->type() == QEvent::LayoutRequest) {
        tighten();
    }
    return QObject::eventFilter(watched, event);
}

}  // namespace dailies::ui
