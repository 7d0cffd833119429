#include "ui/datasets/threshold_panel.h"

#include "core/base/counts.h"
#include "ui/datasets/measure_row.h"
#include "ui/widgets/wheel_guard.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QCheckBox>

#include <utility>

namespace dailies::ui {

ThresholdPanel::ThresholdPanel(DatasetModel& model, QWidget* parent)
    : QScrollArea(parent), m_model(model), m_duplicates(new QCheckBox) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setAccessibleName(tr("Rules"));
    auto* body = new QWidget;
    body->setProperty("clear", true);
    auto* column = makeColumn(space::k24, {space::k16, space::k12, space::k16, space::k16});
    m_scorerColumn = makeColumn(space::k24);
    column->addLayout(m_scorerColumn);
    for (std::size_t m = 0; m < curation::kMeasures; ++m)
        m_rows.push_back(addRow(static_cast<curation::Measure>(m), *column));
    column->addWidget(m_duplicates);
    column->addStretch();
    body->setLayout(column);
    setWidget(body);
    ignoreUnfocusedWheel(*body);
    m_duplicates->setToolTip(tr("Of clips that show the same, the one with the most pixels is kept"));
    connect(m_duplicates, &QCheckBox::toggled, this, [this](bool drop) {
        auto rules = m_model.rules();
        rules.drop_duplicates = drop;
        m_model.setRules(rules);
    });
    connect(&m_model, &DatasetModel::opened, this, &ThresholdPanel::readClips);
    connect(&m_model, &DatasetModel::judged, this, &ThresholdPanel::readJudgement);
    readClips();
    readJudgement();
}

MeasureRow* ThresholdPanel::addRow(curation::Measure measure, QBoxLayout& to) {
    auto* row = new MeasureRow(m_model, measure);
    connect(row, &MeasureRow::limitSet, this, &ThresholdPanel::limitSet);
    to.addWidget(row);
    return row;
}

MeasureRow& ThresholdPanel::row(curation::Measure measure) const {
    return *allRows()[static_cast<std::size_t>(measure)];
}

std::vector<MeasureRow*> ThresholdPanel::allRows() const {
    auto rows = m_rows;
    rows.insert(rows.end(), m_scorerRows.begin(), m_scorerRows.end());
    return rows;
}

void ThresholdPanel::readClips() {
    for (auto* row : std::exchange(m_scorerRows, {})) delete row;
    for (std::size_t m = curation::kMeasures; m < m_model.clips().measures(); ++m)
        m_scorerRows.push_back(addRow(static_cast<curation::Measure>(m), *m_scorerColumn));
    for (auto* row : m_scorerRows) ignoreUnfocusedWheel(*row);
    for (auto* row : allRows()) row->readClips();
    long long duplicates = 0;
    for (const auto& clip : m_model.clips().clips()) duplicates += clip.duplicateOf.has_value();
    m_duplicates->setText(tr("Drop duplicates (%1)").arg(QString::fromStdString(grouped(duplicates))));
}

void ThresholdPanel::readJudgement() {
    for (auto* row : allRows()) row->readJudgement();
    const QSignalBlocker quiet(m_duplicates);
    m_duplicates->setChecked(m_model.rules().drop_duplicates);
}

}  // namespace dailies::ui
