#pragma once

#include "core/sweep/sweep.h"

#include <QStringList>
#include <QWidget>

#include <cstdint>
#include <functional>
#include <vector>

class QBoxLayout;
class QLabel;
class QLineEdit;
class QPushButton;

namespace dailies::ui {

/// The stages that the runs of a sweep go through, a row each: its name, and in one line what is another in
/// it. Without rows the runs are trained in one piece.
class StagesForm : public QWidget {
    Q_OBJECT

public:
    /// `sweep`: as the form holds it otherwise.
    explicit StagesForm(std::function<sweep::Sweep()> sweep, QWidget* parent = nullptr);

    /// Of the rows that can be read.
    std::vector<sweep::Stage> stages(const sweep::Resources& resources) const;
    void setStages(const std::vector<sweep::Stage>& stages);

    /// What was typed, whether or not it makes sense.
    struct Row {
        QString name, changes;
        bool operator==(const Row&) const = default;
    };
    using Input = std::vector<Row>;
    Input input() const;
    void setInput(const Input& input);

    /// Why the first row with a problem cannot be trained; empty: all can.
    QString problem() const;
    void showProblem();

signals:
    void changed();
    void added(QWidget* row);

private:
    struct Fields {
        QWidget* row;
        QLineEdit* name;
        QLineEdit* changes;
    };
    QWidget* addRow(const Row& row);
    void remove(QWidget* row);
    void addNext();
    void tell();

    std::function<sweep::Sweep()> m_sweep;
    std::vector<Fields> m_rows;
    bool m_filling = false;
    QBoxLayout* m_column;
    QLabel* m_none;
    QLabel* m_problem;
    QPushButton* m_add;
};

}  // namespace dailies::ui
