#pragma once

#include "core/config/schema.h"
#include "core/sweep/sweep.h"
#include "ui/launch/variation_editor.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QBoxLayout;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;

namespace dailies::ui {

class LineListEdit;

/// One key of the training config as a row of the form: its value, or, when it is swept, its values or
/// distribution. An empty field takes the default, which it shows as a hint. What the schema would refuse is
/// said below the field in the schema's words.
class FieldEditor : public QWidget {
    Q_OBJECT

public:
    /// `field` must live as long as the editor (the schema does).
    explicit FieldEditor(const config::Field& field, QWidget* parent = nullptr);

    const config::Field& field() const { return m_field; }
    bool swept() const;
    bool modified() const;  ///< swept, or not the default
    /// What is wrong with the row as it stands; empty: nothing.
    const QString& problem() const { return m_problem; }

    /// The fixed value; nullopt: the default, or swept, or not valid.
    std::optional<Json> value() const;
    /// The swept parameter; nullopt: not swept, or not valid.
    std::optional<sweep::Parameter> parameter() const;

    /// All that was typed and chosen, whether or not it makes sense.
    struct Input {
        bool swept = false;
        QString fixed;
        VariationEditor::Input variation = {};
        bool operator==(const Input&) const = default;
    };
    Input input() const;
    void setInput(const Input& input);

    void reset();
    void setValue(const Json& value);
    void setParameter(const sweep::Parameter& parameter);
    void setSwept(bool swept);
    /// To what can be typed into: the value, or the values.
    void focusField();
    /// Whether the key has any effect beside the others; said below the field where it has none and is set.
    void setRelevant(bool isRelevant);
    bool isRelevant() const { return m_relevant; }
    /// Whether each of the words stands in its label, key or description, whatever the case.
    bool matches(const QStringList& words) const;
    /// Whether its label and key alone hold all these words.
    bool isNamed(const QStringList& words) const;

    /// The text that a person typed, for tests and for the keyboard: of the fixed value, lists one text a
    /// line, or of the list of values, where each list is written as in JSON.
    void setText(const QString& text);

    /// Puts a button behind the field, for keys whose value is looked for rather than typed:
    /// `browseRequested`.
    void setBrowsable(const QString& name);

signals:
    void changed();
    void sweptChanged(bool swept);
    void browseRequested();

private:
    QWidget* makeFixedEditor();
    QWidget* makeSweptEditor();
    void check();
    void showNotes();
    void beginValues();
    void fitHeight();
    sweep::Parameter readParameter() const;  ///< throws `InputError`
    QString fixedText() const;

    const config::Field& m_field;
    QString m_problem;
    bool m_relevant = true;
    QPushButton* m_sweep;
    QBoxLayout* m_row;
    QWidget* m_unit;                  ///< or, in its place, the button that browses
    QStackedWidget* m_mode;           ///< fixed or swept
    QLineEdit* m_text = nullptr;      ///< fixed, for keys without choices
    LineListEdit* m_lines = nullptr;  ///< fixed, for lists
    QComboBox* m_choice = nullptr;
    VariationEditor* m_variation;
    QLabel* m_note;  ///< what is wrong, or that the key has no effect
};

/// A config value in one line: text as it is, lists with commas.
QString configText(const Json& value);

}  // namespace dailies::ui
