#include "ui/theme/theme_listener.h"

#include "ui/theme/theme.h"

#include <QEvent>
#include <QWidget>

#include <utility>

namespace dailies::ui {

namespace {

/// Redoes what its widget keeps, once it can be seen.
class ThemeListener : public QObject {
public:
    ThemeListener(QWidget* widget, std::function<void()> redo) : QObject(widget), m_redo(std::move(redo)) {
        widget->installEventFilter(this);
        connect(&Theme::instance(), &Theme::changed, this, [this, widget] {
            m_due = true;
            if (widget->isVisible()) now();
        });
    }

protected:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() == QEvent::Show && m_due) now();
        return QObject::eventFilter(watched, event);
    }

private:
    void now() {
        m_due = false;
        m_redo();
    }

    std::function<void()> m_redo;
    bool m_due = false;
};

}  // namespace

void whenThemeChanges(QWidget* widget, std::function<void()> redo) {
    new ThemeListener(widget, std::move(redo));
}

}  // namespace dailies::ui
