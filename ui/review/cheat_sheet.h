#pragma once

#include "ui/widgets/shortcut_actions.h"

#include <QDialog>

#include <vector>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPushButton;
class QScrollArea;

namespace dailies::ui {

/// A page's actions with their keys on one card, where each key can be changed: press an action's key button
/// (Tab and Enter reach it), then the new key. Closes with Escape or "?". GUI thread only.
class CheatSheet : public QDialog {
    Q_OBJECT

public:
    CheatSheet(ShortcutActions& actions, const QString& title, QWidget* parent = nullptr);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Row {
        QString id;
        QPushButton* keys = nullptr;
    };

    void addGroup(QBoxLayout& column, const QString& group);
    void addRow(QGridLayout& grid, const ShortcutActions::Action& action);
    void listen(const QString& id);
    void take(const QKeySequence& key);
    void stopListening();
    void refresh();
    void fitScreen();
    void say(const QString& text);

    ShortcutActions& m_actions;
    std::vector<Row> m_rows;
    QString m_listeningFor;  ///< the action whose new key is awaited; empty: none
    int m_columns;
    QScrollArea* m_scroll;
    QLabel* m_hint;
    QPushButton* m_restore;
};

}  // namespace dailies::ui
