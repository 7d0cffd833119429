#include "ui/launch/early_stop_form.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QSpinBox>

#include <algorithm>
#include <limits>

namespace dailies::ui {

namespace {

using Rule = sweep::EarlyStop::Rule;

constexpr int kNone = 0, kFromStart = 0, kFromEnd = 1;

}  // namespace

EarlyStopForm::EarlyStopForm(int labelWidth, QWidget* parent)
    : QWidget(parent),
      m_rule(new QComboBox),
      m_from(new QComboBox),
      m_step(new QSpinBox),
      m_count(new QSpinBox),
      m_eta(new QDoubleSpinBox),
      m_strict(new QCheckBox(tr("strict"))),
      m_rungs(new QWidget),
      m_share(new QWidget) {
    m_rule->addItem(tr("None: train every run to the end"));
    m_rule->addItem(tr("ASHA: decide once per rung"), static_cast<int>(Rule::Asha));
    m_rule->addItem(tr("Hyperband: decide repeatedly while running"), static_cast<int>(Rule::Hyperband));
    m_rule->setToolTip(
        tr("Compares runs by the metric at rungs spaced by a fixed factor. Weak runs save a checkpoint and "
           "stop, freeing their slots. Dailies must stay connected."));
    m_from->addItem(tr("from step"));
    m_from->addItem(tr("below step"));
    m_from->setToolTip(tr("Whether the rungs are counted from the first one up, or from a step down."));
    m_step->setRange(1, std::numeric_limits<int>::max());
    m_step->setToolTip(tr("Up: the step of the first rung. Down: the step below which the rungs lie."));
    m_count->setRange(1, 64);
    m_count->setSuffix(tr(" rungs"));
    m_count->setToolTip(tr("How many rungs lie below that step."));
    m_eta->setRange(1.01, 100);
    m_eta->setDecimals(2);
    m_eta->setPrefix(tr("1 in "));
    m_eta->setToolTip(
        tr("Reduction factor: 1 in this many runs continues at each rung, and rungs are this factor apart."));
    m_strict->setToolTip(
        tr("Keep fewer runs when the share isn't a whole number; Hyperband checks at every rung passed."));
    m_rule->setAccessibleName(tr("Early stopping"));
    m_from->setAccessibleName(tr("Rungs counted"));
    m_step->setAccessibleName(tr("Step of the rungs"));
    m_count->setAccessibleName(tr("Number of rungs"));
    m_eta->setAccessibleName(tr("Share that goes on"));
    m_strict->setAccessibleName(tr("Strict early stopping"));

    auto* column = makeColumn(space::k8);
    const auto addRow = [&](const QString& label, QWidget* row, std::initializer_list<QWidget*> fields) {
        auto* layout = makeRow(space::k8);
        auto* name = makeLabel(label, TextStyle::Body, TextTone::Muted);
        name->setFixedWidth(labelWidth);
        name->setBuddy(*fields.begin());
        layout->addWidget(name);
        for (auto* field : fields) {
            layout->addWidget(field, 1);
        }
        row->setLayout(layout);
        column->addWidget(row);
    };
    addRow(tr("Early stopping"), new QWidget, {m_rule});
    addRow(tr("Rungs"), m_rungs, {m_from, m_step, m_count});
    addRow(tr("Keep"), m_share, {m_eta, m_strict});
    setLayout(column);

    setRule(std::nullopt);
    const auto tell = [this] {
        updateVisibleRows();
        emit changed();
    };
    connect(m_rule, &QComboBox::currentIndexChanged, this, tell);
    connect(m_from, &QComboBox::currentIndexChanged, this, tell);
    connect(m_step, &QSpinBox::valueChanged, this, tell);
    connect(m_count, &QSpinBox::valueChanged, this, tell);
    connect(m_eta, &QDoubleSpinBox::valueChanged, this, tell);
    connect(m_strict, &QCheckBox::toggled, this, tell);
}

void EarlyStopForm::updateVisibleRows() {
    const bool any = m_rule->currentIndex() != kNone;
    m_rungs->setVisible(any);
    m_share->setVisible(any);
    m_count->setVisible(m_from->currentIndex() == kFromEnd);
}

std::optional<sweep::EarlyStop> EarlyStopForm::rule() const {
    if (m_rule->currentIndex() == kNone) {
        return std::nullopt;
    }
    sweep::EarlyStop rule;
    rule.rule = static_cast<Rule>(m_rule->currentData().toInt());
    if (m_from->currentIndex() == kFromStart) {
        rule.minIter = m_step->value();
    } else {
        rule.maxIter = m_step->value();
        rule.s = m_count->value();
    }
    rule.eta = m_eta->value();
    rule.strict = m_strict->isChecked();
    return rule;
}

void EarlyStopForm::setRule(const std::optional<sweep::EarlyStop>& rule) {
    const QSignalBlocker quiet(this);
    const auto shown = rule.value_or(sweep::EarlyStop{Rule::Asha, 100, {}, 0, 3, false});
    m_rule->setCurrentIndex(rule ? m_rule->findData(static_cast<int>(shown.rule)) : kNone);
    m_from->setCurrentIndex(shown.maxIter ? kFromEnd : kFromStart);
    const auto step = shown.maxIter.value_or(shown.minIter.value_or(100));
    m_step->setValue(static_cast<int>(std::clamp<std::int64_t>(step, 1, std::numeric_limits<int>::max())));
    m_count->setValue(std::max(1, shown.s));
    m_eta->setValue(shown.eta);
    m_strict->setChecked(shown.strict);
    updateVisibleRows();
}

}  // namespace dailies::ui
