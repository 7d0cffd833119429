#pragma once

#include <QDialog>

class QBoxLayout;
class QGridLayout;
class QLabel;
class QPushButton;

namespace dailies::ui {

/// Adds the next row of a form, whose number it returns; the field gets its name for screen readers.
int addField(QGridLayout& grid, const QString& name, QWidget* field, const QString& tip);

/// For dialogs without a default button, and for tool buttons, which Qt passes over: Enter presses the button
/// that has the focus, and no other. False for every other key.
bool pressFocusedButton(QDialog& dialog, const QKeyEvent& event);

/// A dialog that asks for a few things and then does the work: a title over a form, what went wrong below
/// it, and a footer with the way out and the button that Enter presses. As high as its texts need at its
/// width; where the screen is too small for that, the form scrolls and the footer stays in sight.
class FormDialog : public QDialog {
    Q_OBJECT

protected:
    FormDialog(const QString& title, const QString& verb, const QString& iconName, QWidget* parent);

    QBoxLayout& form() { return *m_form; }
    /// At the left of the footer.
    void addToFooter(QPushButton* button);
    QPushButton& cancelButton() { return *m_cancel; }
    QPushButton& acceptButton() { return *m_accept; }
    void showProblem(const QString& text);

    void showEvent(QShowEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fit();
    void putFooterLast();

    QWidget* m_content;  ///< what scrolls
    QBoxLayout* m_form;
    QLabel* m_problem;
    QWidget* m_footer;
    QBoxLayout* m_footerRow;
    QPushButton* m_cancel;
    QPushButton* m_accept;
};

}  // namespace dailies::ui
