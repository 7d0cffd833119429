#include "ui/widgets/shortcut_card.h"

#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QKeyEvent>

namespace dailies::ui {

ShortcutCard::ShortcutCard(const QString& title, const std::vector<Group>& groups, QWidget* parent)
    : QDialog(parent) {
    setWindowTitle(title);
    auto* column = makeColumn(space::k8, {space::k24, space::k24, space::k24, space::k24});
    setLayout(column);
    for (const Group& group : groups) {
        if (column->count() > 0) {
            column->addSpacing(space::k8);
        }
        column->addWidget(makeLabel(group.title, TextStyle::Title));
        auto* grid = new QGridLayout;
        grid->setHorizontalSpacing(space::k24);
        grid->setVerticalSpacing(space::k8);
        grid->setColumnMinimumWidth(0, 112);
        grid->setColumnStretch(1, 1);
        for (const Key& key : group.keys) {
            const int line = grid->rowCount();
            grid->addWidget(makeLabel(key.keys, TextStyle::Mono), line, 0);
            grid->addWidget(makeLabel(key.what, TextStyle::Body, TextTone::Muted), line, 1);
        }
        column->addLayout(grid);
    }
}

void ShortcutCard::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Question) {
        close();
        return;
    }
    QDialog::keyPressEvent(event);
}

}  // namespace dailies::ui
