#include "ui/theme/menu_placement.h"

#include <QAbstractButton>
#include <QEvent>
#include <QMenu>

#include <algorithm>

namespace dailies::ui {

namespace {

class MenuPlace : public QObject {
public:
    explicit MenuPlace(QMenu& menu) : QObject(&menu), m_menu(menu) { menu.installEventFilter(this); }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Show) place();
        return QObject::eventFilter(watched, event);
    }

private:
    void place() {
        QWidget* owner = m_menu.parentWidget();
        if (!owner || qobject_cast<QMenu*>(owner)) return;
        const QWidget& window = *owner->window();
        const QRect room(window.mapToGlobal(QPoint(0, 0)), window.size());
        QRect menu(m_menu.pos(), m_menu.size());
        if (menu.right() > room.right() && menu.width() <= room.width()) menu.moveRight(room.right());
        if (menu.bottom() > room.bottom() && menu.height() <= room.height()) {
            // Above what it belongs to, so that it does not lie on it.
            const auto* button = qobject_cast<QAbstractButton*>(owner);
            const int above = button ? button->mapToGlobal(QPoint(0, 0)).y() : menu.top();
            menu.moveBottom(std::max(above - 1, room.top() + menu.height() - 1));
        }
        if (menu.topLeft() != m_menu.pos()) m_menu.move(menu.topLeft());
    }

    QMenu& m_menu;
};

}  // namespace

void keepInWindow(QMenu& menu) {
    if (menu.property("keptInWindow").toBool()) return;  // polished before
    menu.setProperty("keptInWindow", true);
    new MenuPlace(menu);
}

}  // namespace dailies::ui
