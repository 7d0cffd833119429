#pragma once

#include "core/base/error.h"

#include <QWidget>

class QVBoxLayout;

namespace dailies::ui {

/// Short messages at the lower right of the window: what happened, and for failures what to do about it.
/// Failures stay until they are closed, news go by themselves. The same failure again does not make a second
/// card.
class Toasts : public QWidget {
    Q_OBJECT

public:
    explicit Toasts(QWidget* window);

    void showNews(const QString& text);
    void showFailure(const Error& error);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void add(const QString& iconName, bool failure, const QString& title, const QString& text);
    void place();
    QVBoxLayout* m_column;
};

}  // namespace dailies::ui
