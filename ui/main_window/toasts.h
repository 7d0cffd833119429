#pragma once

#include "core/alerts/rules.h"
#include "core/base/error.h"
#include "ui/main_window/messages_dialog.h"

#include <QColor>
#include <QElapsedTimer>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <vector>

class QPushButton;

namespace dailies::ui {

class ToastCard;

/// Short messages near the lower right corner of the window: what happened, and for failures what to do about
/// it. They never lie over a control of the page, leave by themselves unless the pointer is over them, and
/// are kept in Messages. A page that gives them a strip has them there. Else three at once, the newest
/// nearest the corner; earlier ones are counted above them. The same message again does not make a second
/// card.
///
/// Pages do not know this class: they emit `notification(text)`, `saved(file)` or `failed(error)`, and the
/// main window shows them here.
class Toasts : public QWidget {
    Q_OBJECT

public:
    /// A button of a card; the card goes when it is pressed.
    struct Action {
        QString text;
        std::function<void()> run;
    };

    /// For how long they stay.
    struct Stay {
        int newsMs = 5000;
        int longNewsMs = 12'000;  ///< time to read them and to go there
        int failureMs = 20'000;
    };

    explicit Toasts(QWidget* window);

    void showNotification(const QString& text, const std::vector<Action>& actions = {});
    /// "Saved sweep.yaml", with Open and Show in folder.
    void showSaved(const QString& file);
    void showFailure(const Error& error);
    /// In the alert's tone: a run that failed has no green tick.
    void showAlert(const alerts::Alert& alert);

    void openMessages();
    void setStay(const Stay& stay) { m_stay = stay; }

signals:
    void unreadChanged(int failures);  ///< that were told since Messages was open
    void logRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What leads a card, and for how long it stays.
    struct Kind {
        QString iconName;
        QColor color;
        bool failure = false;
        int milliseconds = 0;
    };
    struct Card {
        ToastCard* frame;
        int totalMs;
        int remainingMs;
    };
    Kind notificationKind(bool hasActions) const;
    void add(const Kind& kind, const QString& title, const QString& text, const std::vector<Action>& actions);
    ToastCard* makeToast(const Kind& kind, const QString& title, const QString& text,
                         const std::vector<Action>& actions);
    void keep(const KeptMessage& message);
    void remove(ToastCard* frame);
    void tick();
    bool isHeld() const;
    void place();
    /// So many of the newest cards, and the count of the others above them; returns their height.
    int arrange(std::size_t shown);
    void arrangeFlat(int width);

    Stay m_stay;
    std::vector<Card> m_cards;  ///< oldest first
    std::vector<KeptMessage> m_kept;
    int m_unread = 0;
    QPushButton* m_more;
    QTimer m_ticks;
    QElapsedTimer m_sinceTick;
    QPointer<MessagesDialog> m_messages;
};

}  // namespace dailies::ui
