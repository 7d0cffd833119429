#pragma once

#include <QDialog>
#include <QString>

#include <vector>

namespace dailies::ui {

/// A page's keys on one card. Closes with Escape or "?".
class ShortcutCard : public QDialog {
    Q_OBJECT

public:
    struct Key {
        QString keys;  ///< "Ctrl+F", "↑ ↓"
        QString what;
    };
    struct Group {
        QString title;
        std::vector<Key> keys;
    };

    ShortcutCard(const QString& title, const std::vector<Group>& groups, QWidget* parent = nullptr);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace dailies::ui
