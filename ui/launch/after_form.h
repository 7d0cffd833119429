#pragma once

#include "core/sweep/sweep.h"

#include <QWidget>

#include <optional>

class QComboBox;
class QLineEdit;

namespace dailies::ui {

/// The sweep that this one waits for, as one row of the form.
class AfterForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px.
    explicit AfterForm(int labelWidth, QWidget* parent = nullptr);

    std::optional<sweep::SweepDependency> after() const;
    void setAfter(const std::optional<sweep::SweepDependency>& after);
    /// Shows the fields that mean something beside the others, and hides the rest.
    void updateVisibleFields();

signals:
    void changed();

private:
    QLineEdit* m_sweep;
    QComboBox* m_when;
    QComboBox* m_start;
};

}  // namespace dailies::ui
