#pragma once

#include <QDialog>

class QCheckBox;
class QPlainTextEdit;

namespace dailies::ui {

class LogActions;

/// The last lines of the log of Dailies itself, with what a report needs. Reads them on a worker; deletes
/// itself when it closes.
class LogDialog : public QDialog {
    Q_OBJECT

public:
    LogDialog(LogActions& actions, QWidget* parent);

    void reload();
    QPlainTextEdit& text() { return *m_text; }
    QCheckBox& detailed() { return *m_detailed; }

private:
    LogActions& m_actions;
    QPlainTextEdit* m_text;
    QCheckBox* m_detailed;
};

}  // namespace dailies::ui
