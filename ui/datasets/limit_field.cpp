#include "ui/datasets/limit_field.h"

namespace dailies::ui {

LimitField::LimitField(const MeasureText& measure, double begin, QWidget* parent)
    : QDoubleSpinBox(parent), m_off(measure.lowest), m_begin(begin) {
    setDecimals(measure.decimals);
    setRange(measure.lowest, measure.highest);
    setSingleStep(measure.step);
    setSuffix(measure.suffix);
    setSpecialValueText(tr("off"));
    setValue(m_off);
    connect(this, &QDoubleSpinBox::valueChanged, this, [this] { emit limitChanged(limit()); });
}

std::optional<double> LimitField::limit() const {
    return value() == m_off ? std::nullopt : std::optional(value());
}

void LimitField::setLimit(std::optional<double> limit) {
    setValue(limit.value_or(m_off));
}

void LimitField::stepBy(int steps) {
    if (limit() || m_off == m_begin)
        QDoubleSpinBox::stepBy(steps);
    else
        setValue(m_begin);
}

double LimitField::valueFromText(const QString& text) const {
    const auto typed = text.trimmed();
    return typed.isEmpty() || typed == specialValueText() ? m_off : QDoubleSpinBox::valueFromText(text);
}

QValidator::State LimitField::validate(QString& text, int& position) const {
    const auto typed = text.trimmed();
    if (typed.isEmpty()) return QValidator::Acceptable;
    return QDoubleSpinBox::validate(text, position);
}

}  // namespace dailies::ui
