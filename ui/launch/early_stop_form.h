#pragma once

#include "core/sweep/early_stop.h"

#include <QWidget>

#include <optional>

class QCheckBox;
class QComboBox;
class QDoubleSpinBox;
class QSpinBox;

namespace dailies::ui {

/// Whether and when weak runs of a sweep are stopped early, as two rows of the form: the rule, and its
/// rungs where there is one.
class EarlyStopForm : public QWidget {
    Q_OBJECT

public:
    /// `labelWidth`: of the form's other rows, px.
    explicit EarlyStopForm(int labelWidth, QWidget* parent = nullptr);

    std::optional<sweep::EarlyStop> rule() const;
    void setRule(const std::optional<sweep::EarlyStop>& rule);

signals:
    void changed();

private:
    void updateVisibleRows();

    QComboBox* m_rule;
    QComboBox* m_from;  ///< rungs counted from the first step up, or from the last down
    QSpinBox* m_step;
    QSpinBox* m_count;
    QDoubleSpinBox* m_eta;
    QCheckBox* m_strict;
    QWidget* m_rungs;
    QWidget* m_share;
};

}  // namespace dailies::ui
