#include "ui/main_window/page_actions.h"

#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QHash>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QToolButton>

#include <algorithm>
#include <optional>
#include <utility>

namespace dailies::ui {

namespace {

/// Without the mark of its letter ("&File") and the key in brackets that a tooltip has.
QString plain(QString text) {
    text = text.section(u'\t', 0, 0).section(u'\n', 0, 0);
    text.remove(u'&');
    if (const auto bracket = text.lastIndexOf(QLatin1String(" (")); bracket > 0 && text.endsWith(u')'))
        text.truncate(bracket);
    return text.trimmed();
}

/// By somebody: what is in a page that was never shown is hidden, too, and will not be.
bool isHidden(const QWidget& widget) {
    return widget.isHidden() && widget.testAttribute(Qt::WA_WState_ExplicitShowHide);
}

/// What a screen reader says is more exact than the word on a button ("Sweep").
QString nameOf(const QAbstractButton& button) {
    for (const QString& name : {button.accessibleName(), button.text(), button.toolTip()})
        if (const QString text = plain(name); !text.isEmpty()) return text;
    return {};
}

class Walk {
public:
    explicit Walk(QWidget& page) { visit(page); }

    std::vector<PageAction> take() {
        QHash<QString, int> count;
        for (const auto& found : m_buttons) ++count[found.name];
        for (auto& found : m_buttons)
            if (count[found.name] == 1) m_actions.push_back(std::move(found));
        std::vector<PageAction> once;
        for (auto& action : m_actions) {
            const auto known = std::ranges::find_if(once, [&](const PageAction& other) {
                return other.name.compare(action.name, Qt::CaseInsensitive) == 0;
            });
            if (known == once.end())
                once.push_back(std::move(action));
            else if (action.enabled && !known->enabled)
                *known = std::move(action);
        }
        return once;
    }

private:
    void visit(QWidget& widget) {
        if (isExcludedFromPalette(widget)) return;
        // Ways out of a state that the page is not in.
        if (m_away && qobject_cast<EmptyState*>(&widget)) return;
        auto* button = qobject_cast<QAbstractButton*>(&widget);
        for (auto* action : widget.actions())
            if (!button || !action->menu()) add(*action, {}, widget);
        if (button) return add(*button);
        if (isOfferedField(widget)) return addField(widget);
        if (auto* tabs = qobject_cast<QTabWidget*>(&widget)) {
            for (int i = 0; i < tabs->count(); ++i) {
                if (!tabs->isTabVisible(i)) continue;
                addTab(*tabs, i);
                visit(*tabs->widget(i));
            }
            return;
        }
        for (auto* child : widget.children()) {
            auto* below = qobject_cast<QWidget*>(child);
            if (!below || below->isWindow()) continue;
            if (!isHidden(*below)) {
                visit(*below);
            } else if (qobject_cast<QStackedWidget*>(&widget)) {
                visitUnavailable(*below);
            }
        }
    }

    /// What a page shows at another time: the tabs of a cluster, say, that is not connected.
    void visitUnavailable(QWidget& widget) {
        const auto outer = std::exchange(m_away, m_away.value_or(disabledReason(widget)));
        visit(widget);
        m_away = outer;
    }

    PageAction made(const QObject& control, const QString& plainName, const QString& keys, bool enabled,
                    std::function<void()> run) const {
        enabled = enabled && !m_away;
        const QString target = enabled ? paletteName(control) : QString();
        return {.name = target.isEmpty() ? plainName : target,
                .plainName = plainName,
                .words = paletteWords(control),
                .keys = keys,
                .enabled = enabled,
                .disabledReason = enabled ? QString() : m_away.value_or(disabledReason(control)),
                .onSelection = actsOnSelection(control),
                .run = std::move(run)};
    }

    void add(QAction& action, const QString& menu, QWidget& at) {
        if (action.isSeparator() || !action.isVisible() || isExcludedFromPalette(action)) return;
        if (action.menu()) return add(*action.menu(), join(menu, plain(action.text())), at);
        const QString text = plain(action.text());
        if (text.isEmpty()) return;
        m_actions.push_back(made(action, join(menu, text),
                                 action.shortcut().toString(QKeySequence::NativeText), action.isEnabled(),
                                 [action = QPointer<QAction>(&action), at = QPointer<QWidget>(&at)] {
                                     if (!action) return;
                                     if (at) show(*at);
                                     action->trigger();
                                 }));
    }

    void add(QMenu& menu, const QString& name, QWidget& at) {
        emit menu.aboutToShow();
        for (auto* action : menu.actions()) add(*action, name, at);
    }

    /// What is ticked is a value, and no action.
    void add(QAbstractButton& button) {
        auto* tool = qobject_cast<QToolButton*>(&button);
        auto* push = qobject_cast<QPushButton*>(&button);
        if (!tool && !push) return;
        const QString name = nameOf(button);
        QMenu* menu = tool ? tool->menu() : push->menu();
        if (menu) return add(*menu, name == QObject::tr("More") ? QString() : name, button);
        if (name.isEmpty()) return;
        m_buttons.push_back(made(button, name, button.shortcut().toString(QKeySequence::NativeText),
                                 button.isEnabled(), [button = QPointer<QAbstractButton>(&button)] {
                                     if (!button) return;
                                     show(*button);
                                     button->click();
                                 }));
    }

    void addField(QWidget& field) {
        m_buttons.push_back(
            made(field, field.accessibleName(), {}, field.isEnabled(), [field = QPointer<QWidget>(&field)] {
                if (!field) return;
                show(*field);
                field->setFocus(Qt::ShortcutFocusReason);
            }));
    }

    void addTab(QTabWidget& tabs, int index) {
        QString name = plain(tabs.tabText(index));
        while (!name.isEmpty() && (name.back().isDigit() || name.back().isSpace())) name.chop(1);  // a count
        m_actions.push_back(
            made(QObject(), name, {}, tabs.isTabEnabled(index), [tabs = QPointer<QTabWidget>(&tabs), index] {
                if (!tabs) return;
                show(*tabs);
                tabs->setCurrentIndex(index);
            }));
    }

    /// Brings the tabs that a widget is in to the front.
    static void show(QWidget& widget) {
        for (QWidget* at = &widget; at && !at->isWindow(); at = at->parentWidget())
            if (auto* tabs = qobject_cast<QTabWidget*>(at->parentWidget() ? at->parentWidget()->parentWidget()
                                                                          : nullptr);
                tabs && tabs->indexOf(at) >= 0)
                tabs->setCurrentWidget(at);
    }

    static QString join(const QString& menu, const QString& entry) {
        return menu.isEmpty() || entry.isEmpty() ? menu + entry : QStringLiteral("%1 › %2").arg(menu, entry);
    }

    std::vector<PageAction> m_actions;
    std::vector<PageAction> m_buttons;
    std::optional<QString> m_away;  ///< within what a page shows at another time: why not now
};

}  // namespace

std::vector<PageAction> collectActions(QWidget& page) {
    return Walk(page).take();
}

}  // namespace dailies::ui
