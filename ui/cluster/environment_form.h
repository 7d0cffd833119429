#pragma once

#include "core/sweep/environment.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPlainTextEdit;

namespace dailies::ui {

/// What programs run in on a cluster, as rows of a form: modules, Python environment, container, what joins
/// the nodes, variables. What a fabric's settings are and why is said below its row.
class EnvironmentForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px. `absent`: what an empty row means, as its hint.
    EnvironmentForm(int labelWidth, const QString& absent, QWidget* parent = nullptr);

    /// What the rows hold; an empty one, and what `problem` says, where that cannot be.
    sweep::Environment environment() const;
    void setEnvironment(const sweep::Environment& environment);
    QString problem() const;
    /// Shows the rows that mean something beside the others, and hides the rest.
    void updateVisibleRows();

signals:
    void changed();

private:
    sweep::Environment read() const;  ///< throws `InputError`
    void add(const QString& label, QWidget* field, const QString& help);
    QLineEdit* addLine(const QString& label, const QString& hint, const QString& help);

    const int m_labelWidth;
    QLineEdit* m_modules;
    QLineEdit* m_venv;
    QLineEdit* m_conda;
    QLineEdit* m_image;
    QComboBox* m_runtime;
    QLineEdit* m_mounts;
    QWidget* m_mountsRow;
    QComboBox* m_fabric;
    QLabel* m_fabricWhy;
    QPlainTextEdit* m_variables;
    QLabel* m_warnings;
};

}  // namespace dailies::ui
