#pragma once

#include "core/sweep/sweep.h"
#include "ui/launch/variation_editor.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;

namespace dailies::ui {

/// One parameter of the user's own program as a row: its name, and what it may be. Its values are written as
/// in a sweep file, and numbers go to the program as they are spelled here.
class ArgumentRow : public QWidget {
    Q_OBJECT

public:
    explicit ArgumentRow(QWidget* parent = nullptr);

    /// nullopt: nothing was typed yet, or it cannot be used as it stands, see `problem`.
    std::optional<sweep::Parameter> parameter() const;
    void setParameter(const sweep::Parameter& parameter);
    /// All that was typed and chosen, whether or not it makes sense.
    struct Input {
        QString name;
        std::vector<std::string> groups;
        VariationEditor::Input variation;
        bool operator==(const Input&) const = default;
    };
    Input input() const;
    void setInput(const Input& input);

    std::string name() const;
    /// Those it is nested in: it stays there for as long as its name begins with theirs.
    std::vector<std::string> groups() const;
    /// That another row has its name already.
    void setTaken(bool taken);
    const QString& problem() const { return m_problem; }
    /// Whether its name and what it may be hold all these words.
    bool holds(const QStringList& words) const;
    /// Where its problem is, or its values.
    void focusField();

signals:
    void changed();
    void removeRequested();

private:
    sweep::Parameter read() const;  ///< throws `InputError`
    bool isBlank() const;
    void check();
    void showNames();

    std::vector<std::string> m_groups;
    bool m_taken = false;
    QString m_problem;
    QLineEdit* m_name;
    VariationEditor* m_variation;
    QWidget* m_remove;
    QLabel* m_note;
};

}  // namespace dailies::ui
