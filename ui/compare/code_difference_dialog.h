#pragma once

#include <QDialog>

class QPlainTextEdit;

namespace dailies::ui {

/// How the code of one run differs from another's, as a unified diff to read and to copy. Deletes itself when
/// it closes.
class CodeDifferenceDialog : public QDialog {
    Q_OBJECT

public:
    /// `difference`: as `remote::codeDifference` gives it.
    CodeDifferenceDialog(const QString& reference, const QString& run, const QString& difference,
                         QWidget* parent);

    QPlainTextEdit& text() { return *m_text; }

signals:
    void copied();

private:
    QPlainTextEdit* m_text;
};

}  // namespace dailies::ui
