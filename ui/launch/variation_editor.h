#pragma once

#include "core/sweep/sweep.h"

#include <QString>
#include <QWidget>

#include <functional>
#include <string>

class QComboBox;
class QLineEdit;
class QStackedWidget;

namespace dailies::ui {

/// What a parameter may be: how it varies, and beside it its values or the numbers of its distribution.
class VariationEditor : public QWidget {
    Q_OBJECT

public:
    enum class Offer {
        Values,         ///< lists alone
        Distributions,  ///< these, too
        FixedValue,     ///< and one value that does not vary
    };
    explicit VariationEditor(Offer offer, QWidget* parent = nullptr);

    /// Of the parameter, for screen readers.
    void setName(const QString& name);
    void setValuesHint(const QString& hint);

    /// Reads the values of a parameter, which are written as its owner has them.
    using ReadValues = std::function<void(sweep::Parameter& parameter, const std::string& text)>;
    /// Fills in all but the key. Throws `InputError`.
    void read(sweep::Parameter& parameter, const ReadValues& readValues) const;
    /// `values`: those of a listed one, as `ReadValues` takes them.
    void setParameter(const sweep::Parameter& parameter, const QString& values);

    /// All that was typed and chosen, whether or not it makes sense.
    struct Input {
        int kind = 0;
        QString values, probabilities, first, second, quantum;
        bool operator==(const Input&) const = default;
    };
    Input input() const;
    void setInput(const Input& input);

    QLineEdit& values() { return *m_values; }
    void focusField();
    void mark(bool problem);

signals:
    void changed();

private:
    void choose(sweep::Parameter::Kind kind, bool weighted);
    void showKind();

    QComboBox* m_kind;
    QStackedWidget* m_spec;  ///< a list of values, or two numbers
    QLineEdit* m_values;
    QLineEdit* m_probabilities;  ///< of the weighted values
    QLineEdit* m_first;
    QLineEdit* m_second;
    QLineEdit* m_quantum;
    QString m_valuesHint;
};

/// Has the style show that what stands in a field cannot be used.
void markProblem(QWidget* field, bool problem);

}  // namespace dailies::ui
