#include "ui/widgets/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>

namespace dailies::ui {

namespace {

class WheelGuard : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        const auto* field = qobject_cast<QWidget*>(watched);
        if (event->type() != QEvent::Wheel || !field || field->hasFocus()) return false;
        event->ignore();  // and so it goes on to what scrolls
        return true;
    }
};

}  // namespace

void ignoreUnfocusedWheel(QWidget& form) {
    auto* guard = new WheelGuard(&form);
    const auto watch = [guard](QWidget* field) {
        field->setFocusPolicy(Qt::StrongFocus);  // not by the wheel
        field->installEventFilter(guard);
    };
    for (auto* field : form.findChildren<QComboBox*>()) watch(field);
    for (auto* field : form.findChildren<QAbstractSpinBox*>()) watch(field);
}

}  // namespace dailies::ui
