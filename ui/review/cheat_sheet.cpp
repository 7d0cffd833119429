#include "ui/review/cheat_sheet.h"

#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>

#include <vector>

namespace dailies::ui {

namespace {

struct Key {
    const char* keys;
    const char* what;
};

struct Group {
    const char* title;
    std::vector<Key> keys;
};

const std::vector<Group>& groups() {
    static const std::vector<Group> all{
        {"Clip time",
         {{"Space", "Play or pause"},
          {"← →", "Previous or next frame"},
          {"Ctrl ← →", "Back or on by a second"},
          {"Home  End", "First or last frame"},
          {"J  K  L", "Play back, stop, play; again: faster"},
          {"P", "Loop on or off"}}},
        {"Training time",
         {{"↑ ↓", "Previous or next sampled step"}, {"Ctrl ↑ ↓", "First or last sampled step"}}},
        {"Wall",
         {{"Shift + arrows", "Select a tile"},
          {"Enter", "See the selected tile large (or double click)"},
          {"Esc", "Back to the wall"},
          {"Ctrl S", "Save a contact sheet"},
          {"F5", "Try clips again that could not be read"},
          {"?", "This card"}}}};
    return all;
}

}  // namespace

CheatSheet::CheatSheet(QWidget* parent) : QDialog(parent) {
    setWindowTitle(QStringLiteral("Keys of the Review page"));
    QBoxLayout* column = makeColumn(space::k8, {space::k24, space::k24, space::k24, space::k24});
    setLayout(column);
    for (const Group& group : groups()) {
        if (column->count() > 0) column->addSpacing(space::k8);
        column->addWidget(makeLabel(QLatin1String(group.title), TextStyle::Title));
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(space::k24);
        grid->setVerticalSpacing(space::k8);
        grid->setColumnMinimumWidth(0, 112);
        grid->setColumnStretch(1, 1);
        for (const Key& key : group.keys) {
            const int line = grid->rowCount();
            grid->addWidget(makeLabel(QString::fromUtf8(key.keys), TextStyle::Mono), line, 0);
            grid->addWidget(makeLabel(QString::fromUtf8(key.what), TextStyle::Body, TextTone::Muted), line,
                            1);
        }
        column->addLayout(grid);
    }
}

void CheatSheet::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Question) return close(), void();
    QDialog::keyPressEvent(event);
}

}  // namespace dailies::ui
