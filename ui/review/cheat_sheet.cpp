#include "ui/review/cheat_sheet.h"

#include "ui/theme/theme.h"
#include "ui/widgets/form_dialog.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QGuiApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QScrollArea>
#include <QStyle>

#include <algorithm>

namespace dailies::ui {

namespace {

constexpr int kOneColumnBelow = 720;  ///< of a screen that has no room for two
constexpr int kKeysWidth = 112;
constexpr int kNameWidth = 240;
constexpr int kTitleBar = 32;  ///< that the desktop adds above the dialog

struct Group {
    QString name;
    int rows = 0;
};

/// For a dialog, on its parent's screen.
QSize roomFor(const QWidget* parent) {
    const QScreen* screen = parent ? parent->screen() : QGuiApplication::primaryScreen();
    return screen->availableSize() - QSize(space::k32, kTitleBar + space::k32);
}

std::vector<Group> groupsOf(const ShortcutActions& actions) {
    std::vector<Group> groups;
    for (const ShortcutActions::Action& action : actions.actions()) {
        const auto known = std::find_if(groups.begin(), groups.end(),
                                        [&](const Group& group) { return group.name == action.group; });
        if (known == groups.end())
            groups.push_back({action.group, 1});
        else
            ++known->rows;
    }
    return groups;
}

}  // namespace

CheatSheet::CheatSheet(ShortcutActions& actions, const QString& title, QWidget* parent)
    : QDialog(parent),
      m_actions(actions),
      m_columns(roomFor(parent).width() < kOneColumnBelow ? 1 : 2),
      m_scroll(new QScrollArea),
      m_hint(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_restore(makeButton(tr("Restore defaults"), ButtonKind::Ghost)) {
    setWindowTitle(title);
    auto* card = makeColumn(space::k16, {space::k24, space::k24, space::k24, space::k16});
    setLayout(card);

    auto* inside = new QWidget;
    inside->setProperty("clear", true);
    auto* columns = makeRow(space::k32, {0, 0, space::k16, 0});
    inside->setLayout(columns);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidget(inside);
    card->addWidget(m_scroll, 1);
    const std::vector<Group> groups = groupsOf(actions);
    int rows = 0;
    for (const Group& group : groups) rows += group.rows + 2;
    // Each column takes groups until it has its share; the order stays.
    QBoxLayout* column = nullptr;
    int placed = 0, made = 0;
    for (const Group& group : groups) {
        if (!column || placed + (group.rows + 2) / 2 > rows * made / m_columns) {
            if (column) column->addStretch();
            column = makeColumn(space::k8);
            columns->addLayout(column, 1);
            ++made;
        }
        addGroup(*column, group.name);
        placed += group.rows + 2;
    }
    if (column) column->addStretch();

    auto* foot = makeRow(space::k16);
    foot->addWidget(m_hint, 1);
    foot->addWidget(m_restore);
    m_restore->setAutoDefault(false);  // no button of so many is the one that is meant
    card->addWidget(makeLine());
    card->addLayout(foot);
    connect(m_restore, &QPushButton::clicked, this, [this] {
        stopListening();
        m_actions.restoreDefaults();
        say(tr("Shortcuts reset to defaults."));
    });
    connect(&actions, &ShortcutActions::changed, this, &CheatSheet::refresh);
    say(tr("To change a key, press its button and then the new key."));
    refresh();
    fitScreen();
}

/// All of it at once where the screen has the room, else as much as it shows.
void CheatSheet::fitScreen() {
    const QSize room = roomFor(parentWidget());
    const QMargins margins = layout()->contentsMargins();
    // The names wrap, and know neither how wide they should be nor, until then, how high.
    int keys = kKeysWidth;
    for (const Row& row : m_rows) keys = std::max(keys, row.keys->sizeHint().width());
    const int edges = margins.left() + margins.right() + 2 * space::k16;
    const int wanted = m_columns * (keys + space::k12 + kNameWidth) + (m_columns - 1) * space::k32;
    const int width = std::min(room.width(), wanted + edges);
    const int height = m_scroll->widget()->layout()->heightForWidth(width - edges);
    const int others = sizeHint().height() - m_scroll->sizeHint().height();
    resize(width, std::min(room.height(), height + others + space::k8));
}

void CheatSheet::addGroup(QBoxLayout& column, const QString& group) {
    if (column.count() > 0) column.addSpacing(space::k8);
    column.addWidget(makeLabel(group, TextStyle::Title));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(space::k12);
    grid->setVerticalSpacing(0);
    grid->setColumnMinimumWidth(0, kKeysWidth);
    grid->setColumnStretch(1, 1);
    for (const ShortcutActions::Action& action : m_actions.actions())
        if (action.group == group) addRow(*grid, action);
    column.addLayout(grid);
}

void CheatSheet::addRow(QGridLayout& grid, const ShortcutActions::Action& action) {
    auto* keys = new QPushButton;
    keys->setObjectName(QStringLiteral("keys"));
    keys->setFont(Theme::font(TextStyle::Mono));
    keys->setAutoDefault(false);
    keys->setToolTip(tr("Change the key"));
    keys->installEventFilter(this);
    connect(keys, &QPushButton::clicked, this, [this, id = action.id] { listen(id); });
    const int line = grid.rowCount();
    grid.addWidget(keys, line, 0);
    auto* name = makeLabel(action.name, TextStyle::Body, TextTone::Muted);
    name->setWordWrap(true);
    grid.addWidget(name, line, 1);
    m_rows.push_back({action.id, keys});
}

void CheatSheet::refresh() {
    bool usual = true;
    for (const Row& row : m_rows) {
        const ShortcutActions::Action& action = *m_actions.find(row.id);
        const QString keys = ShortcutActions::text(action.keys);
        const bool listening = row.id == m_listeningFor;
        row.keys->setText(listening ? tr("Press a key…") : keys.isEmpty() ? tr("none") : keys);
        row.keys->setAccessibleName(tr("%1: %2").arg(action.name, row.keys->text()));
        if (row.keys->property("listening").toBool() != listening) {
            row.keys->setProperty("listening", listening);
            row.keys->style()->polish(row.keys);
        }
        usual &= action.keys == action.defaults;
    }
    m_restore->setEnabled(!usual);
}

void CheatSheet::say(const QString& text) {
    m_hint->setText(text);
}

// -- changing a key

void CheatSheet::listen(const QString& id) {
    m_listeningFor = id;
    say(tr("Press a new shortcut for “%1”. Delete clears it, Esc cancels.").arg(m_actions.find(id)->name));
    refresh();
}

void CheatSheet::stopListening() {
    m_listeningFor.clear();
    refresh();
}

void CheatSheet::take(const QKeySequence& key) {
    const QString id = m_listeningFor;
    const QString name = m_actions.find(id)->name;
    m_listeningFor.clear();
    if (key == QKeySequence(Qt::Key_Escape)) return stopListening();
    const bool without = key == QKeySequence(Qt::Key_Delete) || key == QKeySequence(Qt::Key_Backspace);
    const QString robbed =
        m_actions.setKeys(id, without ? ShortcutActions::Keys() : ShortcutActions::Keys{key});
    if (without)
        say(tr("“%1” has no key now.").arg(name));
    else if (robbed.isEmpty())
        say(tr("“%1” is %2 now.").arg(name, ShortcutActions::text(key)));
    else
        say(tr("“%1” is now %2. Removed it from “%3”.").arg(name, ShortcutActions::text(key), robbed));
}

bool CheatSheet::eventFilter(QObject* watched, QEvent* event) {
    // The buttons would take Space, Enter and Tab for themselves.
    const bool isPress = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!isPress || m_listeningFor.isEmpty()) return QDialog::eventFilter(watched, event);
    event->accept();
    if (event->type() == QEvent::KeyPress)
        if (const QKeySequence key = ShortcutActions::stroke(*static_cast<QKeyEvent*>(event)); !key.isEmpty())
            take(key);
    return true;
}

void CheatSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Question) {
        close();
        return;
    }
    if (!pressFocusedButton(*this, *event)) QDialog::keyPressEvent(event);
}

}  // namespace dailies::ui
