#pragma once

#include "ui/launch/argument_row.h"

#include <QWidget>

#include <vector>

class QBoxLayout;
class QPushButton;

namespace dailies::ui {

/// The parameters of a program of the user's own, one row each, in the order in which a strategy draws them.
class ArgumentList : public QWidget {
    Q_OBJECT

public:
    explicit ArgumentList(QWidget* parent = nullptr);

    /// Of the rows that can be used as they stand.
    std::vector<sweep::Parameter> parameters() const;
    void setParameters(const std::vector<sweep::Parameter>& parameters);
    using Input = std::vector<ArgumentRow::Input>;
    Input input() const;
    void setInput(const Input& input);

    QStringList problems() const;
    ArgumentRow* firstProblem() const;  ///< null: none
    bool hasGroups() const;
    /// Whether one of its rows holds all these words.
    bool holds(const QStringList& words) const;
    const std::vector<ArgumentRow*>& rows() const { return m_rows; }

signals:
    void changed();
    /// A row came, to be typed into next.
    void added(dailies::ui::ArgumentRow* row);

private:
    ArgumentRow* addRow();
    void remove(ArgumentRow* row);
    void resize(std::size_t count);
    void tell();

    bool m_filling = false;
    std::vector<ArgumentRow*> m_rows;
    QBoxLayout* m_column;
    QWidget* m_none;
    QPushButton* m_add;
};

}  // namespace dailies::ui
