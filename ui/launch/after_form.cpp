#include "ui/launch/after_form.h"

#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>

namespace dailies::ui {

AfterForm::AfterForm(int labelWidth, QWidget* parent)
    : QWidget(parent),
      m_sweep(new QLineEdit),
      m_when(new QComboBox),
      m_checkpoint(new QCheckBox(tr("from its checkpoints"))) {
    auto* fields = new QWidget;
    auto* row = makeRow(space::k8);
    m_sweep->setPlaceholderText(tr("nothing; or a sweep's name or id"));
    m_when->addItems({tr("has finished"), tr("has ended")});
    m_when->setAccessibleName(tr("Until it has finished or ended"));
    m_when->setToolTip(
        tr("Finished: start only if every run succeeds, otherwise cancel this sweep. Ended: start regardless "
           "of the outcome."));
    m_checkpoint->setToolTip(tr("Resume each run from that sweep's latest checkpoint."));
    row->addWidget(m_sweep, 1);
    row->addWidget(m_when);
    row->addWidget(m_checkpoint);
    fields->setLayout(row);
    auto* column = makeColumn(0);
    column->addWidget(makeFormRow(tr("Start after"), fields,
                                  tr("A sweep that was launched before, on the same cluster."), labelWidth));
    setLayout(column);
    m_sweep->setAccessibleName(tr("Start after"));
    const auto tell = [this] {
        updateVisibleFields();
        emit changed();
    };
    connect(m_sweep, &QLineEdit::textChanged, this, tell);
    connect(m_when, &QComboBox::currentIndexChanged, this, tell);
    connect(m_checkpoint, &QCheckBox::toggled, this, tell);
    updateVisibleFields();
}

void AfterForm::updateVisibleFields() {
    const bool waits = !m_sweep->text().trimmed().isEmpty();
    m_when->setVisible(waits);
    m_checkpoint->setVisible(waits);
}

std::optional<sweep::SweepDependency> AfterForm::after() const {
    const auto sweep = m_sweep->text().trimmed().toStdString();
    if (sweep.empty()) return std::nullopt;
    return sweep::SweepDependency{sweep, m_when->currentIndex() == 1, m_checkpoint->isChecked()};
}

void AfterForm::setAfter(const std::optional<sweep::SweepDependency>& after) {
    const auto shown = after.value_or(sweep::SweepDependency());
    m_sweep->setText(QString::fromStdString(shown.sweep));
    m_when->setCurrentIndex(shown.afterAny ? 1 : 0);
    m_checkpoint->setChecked(shown.fromCheckpoint);
    updateVisibleFields();
}

}  // namespace dailies::ui
