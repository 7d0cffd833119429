#pragma once

#include "core/alerts/rules.h"
#include "core/base/error.h"

#include <QColor>
#include <QString>
#include <QWidget>

#include <functional>
#include <vector>

class QVBoxLayout;

namespace dailies::ui {

/// Short messages at the lower right of the window: what happened, and for failures what to do about it.
/// Failures stay until they are closed, news go by themselves. The same failure again does not make a second
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

    explicit Toasts(QWidget* window);

    void showNotification(const QString& text, const std::vector<Action>& actions = {});
    /// "Saved sweep.yaml", with Open and Show in folder.
    void showSaved(const QString& file);
    void showFailure(const Error& error);
    /// In the alert's tone: a run that failed has no green tick.
    void showAlert(const alerts::Alert& alert);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// What leads a card, and for how long it stays.
    struct Kind {
        QString iconName;
        QColor color;
        bool failure = false;  ///< until it is closed
        int milliseconds = 0;
    };
    static Kind notificationKind(bool hasActions);
    void add(const Kind& kind, const QString& title, const QString& text, const std::vector<Action>& actions);
    void place();
    QVBoxLayout* m_column;
};

}  // namespace dailies::ui
