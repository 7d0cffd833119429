#pragma once

#include "core/analysis/table.h"

#include <QToolButton>

#include <vector>

class QFrame;
class QLineEdit;
class QListView;

namespace dailies::ui {

class FieldModel;

/// A button that says what a plot shows and opens a searchable list to choose it from: made for thousands of
/// keys. Typing searches, arrows and Enter choose, Esc closes.
class FieldPicker : public QToolButton {
    Q_OBJECT

public:
    enum class Mode { One, Several };

    /// `purpose`: what the fields are for, before their name on the button ("x", "Colour").
    FieldPicker(const QString& purpose, Mode mode, QWidget* parent = nullptr);

    /// What there is to choose from, in this order; cheap when nothing changed.
    void setFields(std::vector<analysis::Field> fields);
    /// Offers "none" first, called so; chosen, it is a param without a key.
    void setNone(const QString& text);
    void setChosen(std::vector<analysis::Field> chosen);
    const std::vector<analysis::Field>& chosen() const { return m_chosen; }

    void openList();

    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

signals:
    /// A person chose.
    void chosenChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void choose(int row);
    void showText();
    void fitText();
    int widthFor(const QString& text) const;

    QString m_purpose;
    QString m_name;  ///< of what is chosen; the button shows as much of it as there is room for
    QString m_none;
    Mode m_mode;
    std::vector<analysis::Field> m_fields;
    std::vector<analysis::Field> m_chosen;
    QFrame* m_popup;
    QLineEdit* m_search;
    QListView* m_list;
    FieldModel* m_model;
};

/// The field that stands for "none" in a picker.
inline bool isNone(const analysis::Field& field) {
    return field == analysis::Field{};
}

}  // namespace dailies::ui
