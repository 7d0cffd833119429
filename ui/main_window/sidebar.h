#pragma once

#include "ui/link/cluster_worker.h"
#include "ui/main_window/options.h"

#include <QAbstractButton>
#include <QFrame>

#include <vector>

class QLabel;
class QToolButton;

namespace dailies::ui {

/// One place of the navigation: icon, name, and its key at the right.
class NavButton : public QAbstractButton {
    Q_OBJECT

public:
    NavButton(const QString& iconName, const QString& text, const QString& keyHint,
              QWidget* parent = nullptr);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    QIcon m_icon;
    QString m_keyHint;
};

/// Which cluster, and how it stands: a dot and two lines. A click asks for the connect dialog.
class ConnectionChip : public QAbstractButton {
    Q_OBJECT

public:
    explicit ConnectionChip(QWidget* parent = nullptr);
    void setConnection(ConnectionState state, const QString& clusterName);
    QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    ConnectionState m_state = ConnectionState::Offline;
    QString m_name;
};

/// The left edge of the window: the program's name, its places, the messages, the theme and the
/// connection.
class Sidebar : public QFrame {
    Q_OBJECT

public:
    explicit Sidebar(QWidget* parent = nullptr);
    void setPage(Page page);
    /// Icons without their names, where the pages need the room.
    void setNarrow(bool narrow);
    /// Failures that were told and not read.
    void setUnread(int failures);
    ConnectionChip& chip() { return *m_chip; }

signals:
    void pageChosen(dailies::ui::Page page);
    void connectRequested();
    void messagesRequested();
    void themeToggled();

private:
    void showMessagesIcon();

    int m_unread = 0;
    bool m_narrow = false;
    QLabel* m_brand;
    std::vector<NavButton*> m_buttons;
    ConnectionChip* m_chip;
    QToolButton* m_messages;
    QToolButton* m_theme;
};

}  // namespace dailies::ui
