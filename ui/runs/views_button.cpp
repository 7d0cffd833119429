#include "ui/runs/views_button.h"

#include "core/tracking/store.h"
#include "ui/bridge/write_store.h"
#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QInputDialog>
#include <QMenu>
#include <QTimer>

namespace dailies::ui {

namespace {

/// The name under which the arrangement is kept as it was left.
constexpr const char* kLast = "dailies.last";
constexpr int kKeepDelayMs = 1000;

}  // namespace

StoredViews readViews(const tracking::Store& store) {
    StoredViews stored;
    for (const auto& view : store.views()) {
        if (isTableView(view.content)) {
            if (view.name == kLast) {
                stored.last = viewFromJson(view.content);
            } else {
                stored.named.emplace(view.name, viewFromJson(view.content));
            }
        }
    }
    return stored;
}

ViewsButton::ViewsButton(std::filesystem::path storeFile, std::function<ViewState()> current, QWidget* parent)
    : QToolButton(parent),
      m_storeFile(std::move(storeFile)),
      m_current(std::move(current)),
      m_menu(new QMenu(this)),
      m_later(new QTimer(this)) {
    setIcon(ui::icon(QStringLiteral("bookmark")));
    setIconSize({16, 16});
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setFixedHeight(kControlHeight);
    setPopupMode(QToolButton::InstantPopup);
    setMenu(m_menu);
    setToolTip(tr("Saved views: filter, grouping, columns, order and pinned runs under a name"));
    connect(m_menu, &QMenu::aboutToShow, this, &ViewsButton::rebuildMenu);
    m_later->setSingleShot(true);
    m_later->setInterval(kKeepDelayMs);
    connect(m_later, &QTimer::timeout, this, &ViewsButton::keepLast);
    showName();
}

void ViewsButton::setViews(Views views) {
    m_views = std::move(views);
    m_kept = m_current();
    showName();
}

void ViewsButton::setReadOnly(const QString& why) {
    m_readOnly = why;
}

void ViewsButton::stateChanged() {
    showName();
    if (!m_later->isActive()) {
        m_later->start();
    }
}

void ViewsButton::showName() {
    const auto view = m_views.find(m_name);
    setText(view == m_views.end()         ? tr("Views")
            : view->second == m_current() ? sanitized(m_name)
                                          : tr("%1 (changed)").arg(sanitized(m_name)));
    setAccessibleName(tr("Saved views: %1").arg(text()));
}

void ViewsButton::keepLast() {
    const ViewState now = m_current();
    if (m_readOnly.isEmpty() && now != m_kept) {
        m_kept = now;
        writeStore(
            this, m_storeFile,
            [json = toJson(now)](tracking::Store& store) { store.putView({}, kLast, json); }, [] {},
            [this](const Error& error) { emit failed(error); });
    }
}

void ViewsButton::put(const std::string& name, const ViewState& state) {
    m_views[name] = state;
    writeStore(
        this, m_storeFile,
        [name, json = toJson(state)](tracking::Store& store) { store.putView({}, name, json); }, [] {},
        [this](const Error& error) { emit failed(error); });
}

void ViewsButton::saveAs(const std::string& name) {
    put(name, m_current());
    m_name = name;
    showName();
}

void ViewsButton::choose(const std::string& name) {
    if (const auto view = m_views.find(name); view != m_views.end()) {
        m_name = name;
        emit chosen(view->second);
        showName();
    }
}

void ViewsButton::rename(const std::string& from, const std::string& to) {
    const auto view = m_views.find(from);
    if (view == m_views.end() || from == to) {
        return;
    }
    const ViewState state = view->second;
    m_views.erase(view);
    m_views[to] = state;
    m_name = m_name == from ? to : m_name;
    writeStore(
        this, m_storeFile,
        [from, to, json = toJson(state)](tracking::Store& store) {
            store.putView({}, to, json);
            store.deleteView({}, from);
        },
        [] {}, [this](const Error& error) { emit failed(error); });
    showName();
}

void ViewsButton::remove(const std::string& name) {
    m_views.erase(name);
    m_name = m_name == name ? std::string() : m_name;
    writeStore(
        this, m_storeFile, [name](tracking::Store& store) { store.deleteView({}, name); }, [] {},
        [this](const Error& error) { emit failed(error); });
    showName();
}

void ViewsButton::askName(const QString& title, const std::string& proposal,
                          std::function<void(std::string)> done) {
    auto* dialog = new QInputDialog(window());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(title);
    dialog->setLabelText(tr("Name"));
    dialog->setTextValue(QString::fromStdString(proposal));
    connect(dialog, &QInputDialog::textValueSelected, this, [done = std::move(done)](const QString& name) {
        if (const QString trimmed = name.trimmed(); !trimmed.isEmpty()) {
            done(trimmed.toStdString());
        }
    });
    dialog->open();
}

void ViewsButton::rebuildMenu() {
    m_menu->clear();
    m_menu->setToolTipsVisible(true);
    for (const auto& [name, state] : m_views) {
        auto* action = m_menu->addAction(sanitized(name));
        action->setCheckable(true);
        action->setChecked(name == m_name);
        connect(action, &QAction::triggered, this, [this, id = name] { choose(id); });
    }
    if (m_views.empty()) {
        auto* none = m_menu->addAction(tr("No saved view yet"));
        none->setEnabled(false);
        excludeFromPalette(*none);
    }
    m_menu->addSeparator();
    const auto add = [this](const QString& iconName, const QString& text, const QString& why, auto call) {
        auto* action = m_menu->addAction(ui::icon(iconName), text);
        setAvailable(*action, m_readOnly.isEmpty() ? why : m_readOnly);
        action->setToolTip(disabledReason(*action));
        connect(action, &QAction::triggered, this, call);
    };
    add(QStringLiteral("plus"), tr("Save as…"), {},
        [this] { askName(tr("Save view"), {}, [this](const std::string& name) { saveAs(name); }); });
    const bool named = m_views.contains(m_name);
    if (named) {
        const QString quoted = tr("“%1”").arg(sanitized(m_name));
        add(QStringLiteral("save"), tr("Update %1").arg(quoted),
            m_views.at(m_name) == m_current() ? tr("Nothing has changed since") : QString(),
            [this] { saveAs(m_name); });
        add(QStringLiteral("tag"), tr("Rename %1…").arg(quoted), {}, [this] {
            askName(tr("Rename view"), m_name,
                    [this, from = m_name](const std::string& to) { rename(from, to); });
        });
        add(QStringLiteral("trash"), tr("Delete %1").arg(quoted), {}, [this] { remove(m_name); });
    }
    m_menu->addSeparator();
    auto* reset = m_menu->addAction(ui::icon(QStringLiteral("refresh")), tr("Reset view"));
    connect(reset, &QAction::triggered, this, [this] {
        m_name.clear();
        emit chosen({});
        showName();
    });
}

}  // namespace dailies::ui
