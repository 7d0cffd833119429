#pragma once

#include <QDialog>

namespace dailies::ui {

/// The Review page's keys on one card. Closes with Escape or "?".
class CheatSheet : public QDialog {
    Q_OBJECT

public:
    explicit CheatSheet(QWidget* parent = nullptr);

protected:
    void keyPressEvent(QKeyEvent* event) override;
};

}  // namespace dailies::ui
