#include "ui/datasets/measure_row.h"

#include "core/base/counts.h"
#include "ui/datasets/limit_field.h"
#include "ui/datasets/measure_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/palette_hints.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
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

QString countText(std::size_t count) {
    return QString::fromStdString(grouped(static_cast<long long>(count)));
}

}  // namespace

MeasureRow::MeasureRow(DatasetModel& model, curation::Measure measure, QWidget* parent)
    : QWidget(parent),
      m_model(model),
      m_measure(measure),
      m_histogram(new HistogramView),
      m_dropped(makeLabel({}, TextStyle::Caption, TextTone::Muted)) {
    const auto text = textOf(model.clips(), measure);
    std::ranges::copy_if(model.clips().thresholds(), std::back_inserter(m_thresholds),
                         [&](const auto& threshold) { return threshold.measure == measure; });

    auto* column = makeColumn(space::k4);
    auto* head = makeRow(space::k8);
    if (text.isScorers) {
        auto* name = new ElidedLabel(TextStyle::Strong);  // as long as a person named it
        name->setFullText(text.name);
        head->addWidget(name, 1);
    } else {
        head->addWidget(makeLabel(text.name, TextStyle::Strong));
        auto* unit = new ElidedLabel(TextStyle::Caption, TextTone::Faint);
        unit->setFullText(text.unit);
        head->addWidget(unit, 1);
    }
    head->addWidget(m_dropped);
    column->addLayout(head);
    column->addWidget(m_histogram);
    const auto [low, high] =
        text.isScorers ? model.clips().scoreRange(scoreKey()) : std::pair{text.lowest, text.lowest};
    auto* fields = makeRow(space::k8);
    for (std::size_t i = 0; i < m_thresholds.size(); ++i) {
        const bool least = m_thresholds[i].side == curation::Threshold::Side::Least;
        auto* field = new LimitField(text, least ? low : high);
        field->setFixedWidth(kFieldWidth);
        field->setAccessibleName(thresholdName(text, m_thresholds[i]));
        field->setToolTip(thresholdName(text, m_thresholds[i]));
        offerField(*field);
        if (!least) fields->addStretch();
        fields->addWidget(makeLabel(least ? tr("Min") : tr("Max"), TextStyle::Caption, TextTone::Muted));
        fields->addWidget(field);
        if (least && m_thresholds.size() == 1) fields->addStretch();
        m_fields.push_back(field);
        connect(field, &LimitField::limitChanged, this,
                [this, i](std::optional<double> limit) { setLimit(i, limit); });
    }
    column->addLayout(fields);
    setLayout(column);
    m_histogram->setToolTip(tr("Drag a line: what is beyond it is dropped. Blue clips are kept."));
    connect(m_histogram, &HistogramView::lineMoved, this, &MeasureRow::setLine);
}

void MeasureRow::setLine(std::size_t line, std::optional<double> value) {
    const auto text = textOf(m_model.clips(), m_measure);
    if (value) *value = roundedTo(*value, text.decimals);
    const bool most = m_thresholds[line].side == curation::Threshold::Side::Most;
    // an upper limit that rounds to 0 would ask for nothing
    if (value && most && !text.isScorers) *value = std::max(*value, std::pow(10, -text.decimals));
    setLimit(line, value);
}

void MeasureRow::setLimit(std::size_t threshold, std::optional<double> limit) {
    auto rules = m_model.rules();
    curation::setLimit(rules, m_thresholds[threshold], limit);
    m_model.setRules(rules);
    emit limitSet(m_measure, limit);
}

HistogramAxis MeasureRow::axis() const {
    const auto& clips = m_model.clips();
    const auto text = textOf(clips, m_measure);
    if (text.axisEnd > 0) return {0, text.axisEnd, text.root};
    std::vector<double> limits;
    for (const auto& threshold : m_thresholds)
        if (const auto limit = curation::limitOf(m_model.rules(), threshold)) limits.push_back(*limit);
    if (!text.isScorers) {
        double leastEnd = 1;
        for (const double limit : limits) leastEnd = std::max(leastEnd, kBeyondLimit * limit);
        return axisFromZero(clips.column(m_measure), leastEnd, text.root);
    }
    constexpr double kRoomBeside = 0.04;
    auto [low, high] = clips.scoreRange(scoreKey());
    for (const double limit : limits) {
        low = std::min(low, limit);
        high = std::max(high, limit);
    }
    const double room = high > low ? kRoomBeside * (high - low) : std::max(1.0, std::abs(high));
    return {low - room, high + room, false};
}

void MeasureRow::readClips() {
    m_histogram->setHistogram(Histogram(m_model.clips().column(m_measure), axis()));
}

void MeasureRow::readJudgement() {
    m_histogram->setKept(m_histogram->histogram().countKept(m_model.judgement().reasons));
    std::vector<HistogramView::Line> lines;
    for (std::size_t i = 0; i < m_thresholds.size(); ++i) {
        const auto limit = curation::limitOf(m_model.rules(), m_thresholds[i]);
        lines.push_back({limit, m_thresholds[i].side == curation::Threshold::Side::Least});
        if (m_fields[i]->limit() == limit) continue;  // it may be being typed
        const QSignalBlocker quiet(m_fields[i]);
        m_fields[i]->setLimit(limit);
    }
    // lengths in seconds and in frames drop for one reason: what a row drops follows from its own numbers
    std::size_t dropped = 0, unknown = 0;
    for (const double value : m_model.clips().column(m_measure)) {
        bool drops = false;
        for (std::size_t i = 0; i < m_thresholds.size(); ++i)
            drops |= lines[i].value && m_thresholds[i].drops(value, *lines[i].value);
        dropped += drops;
        unknown += std::isnan(value);
    }
    m_histogram->setLines(std::move(lines));
    QStringList counts;
    if (unknown > 0) counts << tr("%1 not scored").arg(countText(unknown));
    if (dropped > 0) counts << tr("drops %1").arg(countText(dropped));
    m_dropped->setText(counts.join(QStringLiteral(" · ")));
}

}  // namespace dailies::ui
