#pragma once

#include <QLineEdit>

namespace dailies::ui {

/// A line that is mostly read and sometimes edited, such as a title: while nobody edits it, what has no room
/// ends in dots, and the tooltip says all of it.
class ElidedEdit : public QLineEdit {
    Q_OBJECT

public:
    using QLineEdit::QLineEdit;

    bool isElided() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    QRect textRect() const;
};

}  // namespace dailies::ui
