#pragma once

#include <QFrame>

#include <functional>

class QPushButton;

namespace dailies::ui {

class ElidedLabel;
class FitToWidth;

/// The bar below the table: what can be done with the selected runs, or what was just done and how to take it
/// back. Hidden while there is neither.
class SelectionBar : public QFrame {
    Q_OBJECT

public:
    explicit SelectionBar(QWidget* parent = nullptr);

    struct State {
        int runs = 0;
        bool anyActive = false;  ///< something can be cancelled
        bool archived = false;   ///< the runs are archived ones
        QString readOnly = {};   ///< why nothing can be written; empty when it can
    };
    void setState(const State& state);
    /// "Archived 3 runs" with a way back, until the selection changes or some seconds have passed.
    void showUndo(const QString& what, std::function<void()> undo);
    void showNotification(const QString& what);
    /// Takes back what was just done; false when there is nothing.
    bool undo();
    bool canUndo() const { return m_undo != nullptr; }

signals:
    void compareRequested();
    void reviewRequested();
    void tagRequested();
    void cancelRequested();
    void archiveRequested();
    void restoreRequested();
    void purgeRequested();
    void cleared();

private:
    void refresh();
    void showText();

    State m_state;
    QString m_notification;
    std::function<void()> m_undo;
    class QTimer* m_notificationTimer;
    FitToWidth* m_fit = nullptr;
    bool m_isShort = false;  ///< the bar has room for how many are selected, not for saying so
    ElidedLabel* m_text;
    QPushButton* m_undoButton;
    QPushButton* m_compare;
    QPushButton* m_review;
    QPushButton* m_tag;
    QPushButton* m_cancel;
    QPushButton* m_archive;
    QPushButton* m_restore;
    QPushButton* m_purge;
    QPushButton* m_clear;
};

}  // namespace dailies::ui
