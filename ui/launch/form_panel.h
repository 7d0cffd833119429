#pragma once

#include <QWidget>

class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace dailies::ui {

class FieldEditor;
class SweepForm;

/// The form with what leads through it: a search, its sections in a rail, and a switch that leaves only what
/// was changed. The rail gives way where there is no room for it.
class FormPanel : public QWidget {
    Q_OBJECT

public:
    /// Takes the form.
    explicit FormPanel(SweepForm* form, QWidget* parent = nullptr);

    void focusSearch();
    /// While the YAML is no sweep, nothing may be changed here that would not be in it.
    void setYamlBroken(bool broken);
    /// Whatever the form leaves out at the moment.
    void showRow(FieldEditor& row);
    QLineEdit& search() { return *m_search; }
    QListWidget& rail() { return *m_rail; }
    QPushButton& changedOnly() { return *m_changedOnly; }

    QSize minimumSizeHint() const override;

signals:
    /// The form is to be the sweep again, whatever the YAML says.
    void yamlDiscarded();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refilter();
    void fitRail();
    void refreshRail();
    void showPlace();
    void goTo(int section);
    void reveal(QWidget* widget);

    SweepForm* m_form;
    QLineEdit* m_search;
    QPushButton* m_changedOnly;
    QWidget* m_broken;   ///< says why nothing can be changed
    QWidget* m_nothing;  ///< said where no row is left
    QListWidget* m_rail;
    QScrollArea* m_scroll;
};

}  // namespace dailies::ui
