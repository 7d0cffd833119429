#include "ui/widgets/popup_completion.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QCompleter>
#include <QKeyEvent>

namespace dailies::ui {

namespace {

/// Qt's own completer takes nothing at Enter until a row was chosen with the arrows.
class EnterTakesFirst : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        auto* popup = qobject_cast<QAbstractItemView*>(watched);
        if (event->type() != QEvent::KeyPress || !popup || popup->currentIndex().isValid()) return false;
        const int key = static_cast<QKeyEvent*>(event)->key();
        if (key == Qt::Key_Return || key == Qt::Key_Enter)
            popup->setCurrentIndex(popup->model()->index(0, 0));
        return false;
    }
};

}  // namespace

void completeInPopup(QComboBox& box) {
    box.completer()->setCompletionMode(QCompleter::PopupCompletion);
    auto* popup = box.completer()->popup();
    popup->installEventFilter(new EnterTakesFirst(popup));
}

}  // namespace dailies::ui
