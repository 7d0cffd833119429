#pragma once

#include "ui/datasets/measure_text.h"

#include <QDoubleSpinBox>

#include <optional>

namespace dailies::ui {

/// A number field of a limit, which is "off" where it asks for nothing: at 0, or where 0 is a number like
/// others, when it is empty. GUI thread only.
class LimitField : public QDoubleSpinBox {
    Q_OBJECT

public:
    /// `begin`: where steps from "off" begin.
    LimitField(const MeasureText& measure, double begin, QWidget* parent = nullptr);

    std::optional<double> limit() const;
    void setLimit(std::optional<double> limit);

    void stepBy(int steps) override;

signals:
    void limitChanged(std::optional<double> limit);

protected:
    StepEnabled stepEnabled() const override { return StepUpEnabled | StepDownEnabled; }
    double valueFromText(const QString& text) const override;
    QValidator::State validate(QString& text, int& position) const override;

private:
    double m_off;  ///< the number that stands for none
    double m_begin;
};

}  // namespace dailies::ui
