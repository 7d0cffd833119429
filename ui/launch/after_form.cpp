#include "ui/launch/after_form.h"

#include "ui/widgets/form_row.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLineEdit>

namespace dailies::ui {

namespace {
constexpr int kCheckpoint = 1, kBest = 2;  ///< entries of what the runs begin with
}

AfterForm::AfterForm(int labelWidth, QWidget* parent)
    : QWidget(parent), m_sweep(new QLineEdit), m_when(new QComboBox), m_start(new QComboBox) {
    auto* fields = new QWidget;
    auto* row = makeRow(space::k8);
    m_sweep->setPlaceholderText(tr("nothing; or a sweep's name or id"));
    m_when->addItems({tr("has finished"), tr("has ended")});
    m_when->setAccessibleName(tr("Until it has finished or ended"));
    m_when->setToolTip(
        tr("Finished: start only if every run succeeds, otherwise cancel this sweep. Ended: start regardless "
           "of the outcome."));
    m_start->addItems({tr("as configured"), tr("from its checkpoints"), tr("with its best weights")});
    m_start->setAccessibleName(tr("What the runs begin with"));
    m_start->setToolTip(
        tr("From its checkpoints: each run resumes the latest checkpoint of that sweep's run. With its best "
           "weights: each run starts at step 0 with the weights of that sweep's best run (model.init)."));
    row->addWidget(m_sweep, 1);
    row->addWidget(m_when);
    row->addWidget(m_start);
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
    connect(m_start, &QComboBox::currentIndexChanged, this, tell);
    updateVisibleFields();
}

void AfterForm::updateVisibleFields() {
    const bool waits = !m_sweep->text().trimmed().isEmpty();
    m_when->setVisible(waits);
    m_start->setVisible(waits);
}

std::optional<sweep::SweepDependency> AfterForm::after() const {
    const auto sweep = m_sweep->text().trimmed().toStdString();
    if (sweep.empty()) return std::nullopt;
    return sweep::SweepDependency{sweep, m_when->currentIndex() == 1, m_start->currentIndex() == kCheckpoint,
                                  m_start->currentIndex() == kBest};
}

void AfterForm::setAfter(const std::optional<sweep::SweepDependency>& after) {
    const auto shown = after.value_or(sweep::SweepDependency());
    m_sweep->setText(QString::fromStdString(shown.sweep));
    m_when->setCurrentIndex(shown.afterAny ? 1 : 0);
    m_start->setCurrentIndex(shown.fromCheckpoint ? kCheckpoint : shown.initFromBest ? kBest : 0);
    updateVisibleFields();
}

}  // namespace dailies::ui
