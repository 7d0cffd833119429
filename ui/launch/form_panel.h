#pragma once

#include <QWidget>

#include <string>

class QLineEdit;
class QListWidget;
class QPushButton;
class QScrollArea;

namespace dailies::ui {

class SweepForm;

/// The form with what leads through it: a search, its sections in a rail, and a switch that leaves only what
/// was changed. The rail gives way where there is no room for it.
class FormPanel : public QWidget {
    Q_OBJECT

public:
    /// Takes the form.
    explicit FormPanel(SweepForm* form, QWidget* parent = nullptr);

    void focusSearch();
    /// Scrolls to a key of the config and gives it the focus; of one that cannot apply, the search says so.
    void showKey(const std::string& key);
    QLineEdit& search() { return *m_search; }
    QListWidget& rail() { return *m_rail; }
    QPushButton& changedOnly() { return *m_changedOnly; }

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void refilter();
    void refreshRail();
    void showPlace();
    void goTo(int section);
    void reveal(QWidget* widget);

    SweepForm* m_form;
    QLineEdit* m_search;
    QPushButton* m_changedOnly;
    QWidget* m_nothing;  ///< said where no row is left
    QListWidget* m_rail;
    QScrollArea* m_scroll;
};

}  // namespace dailies::ui
