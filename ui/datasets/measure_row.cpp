#include "ui/datasets/measure_row.h"

#include "core/base/counts.h"
#include "ui/datasets/measure_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kFieldWidth = 84;
constexpr double kBeyondLimit = 1.25;  ///< the axis goes on behind a limit, so that its line can be moved on

/// To as many decimals as the field shows: rules are what a person reads.
double roundedTo(double value, int decimals) {
    const double factor = std::pow(10, decimals);
    return std::round(value * factor) / factor;
}

}  // namespace

MeasureRow::MeasureRow(DatasetModel& model, curation::Measure measure, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_measure(measure),
      m_histogram(new HistogramView),
      m_dropped(makeLabel({}, TextStyle::Caption, TextTone::Muted)) {
    const auto& text = textOf(measure);
    for (const auto& threshold : curation::thresholds())
        if (threshold.measure == measure) m_thresholds.push_back(&threshold);

    auto* column = makeColumn(space::k4);
    auto* head = makeRow(space::k8);
    head->addWidget(makeLabel(text.name, TextStyle::Strong));
    auto* unit = new ElidedLabel(TextStyle::Caption, TextTone::Faint);
    unit->setFullText(text.unit);
    head->addWidget(unit, 1);
    head->addWidget(m_dropped);
    column->addLayout(head);
    column->addWidget(m_histogram);
    auto* fields = makeRow(space::k8);
    for (std::size_t i = 0; i < m_thresholds.size(); ++i) {
        const bool least = m_thresholds[i]->side == curation::Threshold::Side::Least;
        auto* field = new QDoubleSpinBox;
        field->setDecimals(text.decimals);
        field->setRange(0, text.highest);
        field->setSingleStep(text.step);
        field->setSuffix(text.suffix);
        field->setSpecialValueText(tr("off"));
        field->setFixedWidth(kFieldWidth);
        field->setAccessibleName(thresholdName(*m_thresholds[i]));
        field->setToolTip(thresholdName(*m_thresholds[i]));
        offerField(*field);
        if (!least) fields->addStretch();
        fields->addWidget(makeLabel(least ? tr("Min") : tr("Max"), TextStyle::Caption, TextTone::Muted));
        fields->addWidget(field);
        if (least && m_thresholds.size() == 1) fields->addStretch();
        m_fields.push_back(field);
        connect(field, &QDoubleSpinBox::valueChanged, this, [this, i](double value) { setLimit(i, value); });
    }
    column->addLayout(fields);
    setLayout(column);
    m_histogram->setToolTip(tr("Drag a line: what is beyond it is dropped. Blue clips are kept."));
    connect(m_histogram, &HistogramView::lineMoved, this, [this](std::size_t line, double value) {
        const auto& words = textOf(m_measure);
        double rounded = roundedTo(value, words.decimals);
        const bool most = m_thresholds[line]->side == curation::Threshold::Side::Most;
        // an upper limit that rounds to 0 would ask for nothing
        if (most && value > 0) rounded = std::max(rounded, std::pow(10, -words.decimals));
        setLimit(line, rounded);
    });
}

void MeasureRow::setLimit(std::size_t threshold, double value) {
    auto rules = m_model.rules();
    curation::setLimit(rules, *m_thresholds[threshold], value);
    m_model.setRules(rules);
    emit limitSet(m_measure, value);
}

void MeasureRow::readClips() {
    double leastEnd = 1;
    for (const auto* threshold : m_thresholds)
        leastEnd = std::max(leastEnd, kBeyondLimit * curation::limitOf(m_model.rules(), *threshold));
    const auto& text = textOf(m_measure);
    m_histogram->setHistogram(Histogram(m_model.clips(), m_measure, text.axisEnd, leastEnd, text.root));
}

void MeasureRow::readJudgement() {
    m_histogram->setKept(m_histogram->histogram().countKept(m_model.judgement().reasons));
    std::vector<HistogramView::Line> lines;
    std::vector<double> limits;
    for (std::size_t i = 0; i < m_thresholds.size(); ++i) {
        const double limit = curation::limitOf(m_model.rules(), *m_thresholds[i]);
        limits.push_back(limit);
        lines.push_back({limit, m_thresholds[i]->side == curation::Threshold::Side::Least});
        const QSignalBlocker quiet(m_fields[i]);
        m_fields[i]->setValue(limit);
    }
    m_histogram->setLines(std::move(lines));
    // lengths in seconds and in frames drop for one reason: what a row drops follows from its own numbers
    std::size_t dropped = 0;
    for (const double value : m_model.clips().column(m_measure)) {
        bool drops = false;
        for (std::size_t i = 0; i < m_thresholds.size(); ++i)
            drops |= m_thresholds[i]->drops(value, limits[i]);
        dropped += drops;
    }
    m_dropped->setText(
        dropped == 0 ? QString()
                     : tr("drops %1").arg(QString::fromStdString(grouped(static_cast<long long>(dropped)))));
}

}  // namespace dailies::ui
