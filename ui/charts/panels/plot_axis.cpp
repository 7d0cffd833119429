#include "ui/charts/panels/plot_axis.h"

#include "core/series/axis.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace dailies::ui {

namespace {

using analysis::Column;
using analysis::Field;

double timeStep(double span, int count) {
    static constexpr std::array<double, 15> kSteps{
        1e3,        5e3,         15e3,    60e3,        300e3,       900e3,        3600e3,      3 * 3600e3,
        6 * 3600e3, 12 * 3600e3, 86400e3, 2 * 86400e3, 7 * 86400e3, 30 * 86400e3, 90 * 86400e3};
    const double rough = span / std::max(count, 1);
    const auto* step = std::lower_bound(kSteps.begin(), kSteps.end(), rough);
    return step == kSteps.end() ? series::niceStep(rough) : *step;
}

}  // namespace

PlotAxis::PlotAxis(Column column, std::optional<bool> logarithmic)
    : m_column(std::move(column)),
      m_logarithmic(m_column.kind == Column::Kind::Number && logarithmic.value_or(m_column.logarithmic)) {
    findRange();
    m_places.reserve(m_column.values.size());
    for (const double value : m_column.values) {
        m_places.push_back(placeOf(value));
    }
}

void PlotAxis::findRange() {
    if (m_column.kind == Column::Kind::Category) {
        // Half a step beyond the first and the last.
        m_low = -0.5;
        m_high = std::max(0.5, static_cast<double>(m_column.categories.size()) - 0.5);
        return;
    }
    m_low = std::numeric_limits<double>::infinity();
    m_high = -m_low;
    for (const double value : m_column.values) {
        const double at = scaled(value);
        if (std::isfinite(at)) {
            m_low = std::min(m_low, at);
            m_high = std::max(m_high, at);
        }
    }
    if (m_low > m_high) {
        m_low = 0;
        m_high = 1;
    } else if (m_low == m_high) {
        const double pad = m_logarithmic || m_low == 0 ? 1 : std::abs(m_low) * 0.1;
        m_low -= pad;
        m_high += pad;
    }
}

double PlotAxis::scaled(double value) const {
    if (!m_logarithmic) {
        return value;
    }
    return value > 0 ? std::log10(value) : analysis::kMissing;
}

double PlotAxis::placeOf(double value) const {
    const double at = scaled(value);
    // Halves, because the span of two doubles may be no double.
    return std::isfinite(at) ? (at / 2 - m_low / 2) / (m_high / 2 - m_low / 2) : analysis::kMissing;
}

double PlotAxis::valueAt(double place) const {
    const double at = m_low * (1 - place) + m_high * place;
    return m_logarithmic ? std::pow(10.0, at) : at;
}

std::size_t PlotAxis::placedCount() const {
    return static_cast<std::size_t>(
        std::count_if(m_places.begin(), m_places.end(), [](double place) { return !std::isnan(place); }));
}

std::vector<PlotAxis::Tick> PlotAxis::ticks(int atMost) const {
    std::vector<Tick> ticks;
    if (m_column.kind == Column::Kind::Category) {
        const std::size_t count = m_column.categories.size();
        const std::size_t every = (count + static_cast<std::size_t>(std::max(atMost, 1)) - 1) /
                                  static_cast<std::size_t>(std::max(atMost, 1));
        for (std::size_t i = 0; i < count; i += std::max<std::size_t>(every, 1)) {
            ticks.push_back({placeOf(static_cast<double>(i)), textOf(static_cast<double>(i))});
        }
        return ticks;
    }
    if (placedCount() == 0) {
        return ticks;
    }
    const auto add = [&](double value) {
        const double place = placeOf(value);
        if (place >= -1e-9 && place <= 1 + 1e-9) {
            ticks.push_back({place, textOf(value)});
        }
    };
    if (m_logarithmic) {
        const double decades = m_high - m_low;
        const int every = std::max(1, static_cast<int>(std::ceil(decades / std::max(atMost, 1))));
        for (int exponent = static_cast<int>(std::floor(m_low)); exponent <= std::ceil(m_high);
             exponent += every) {
            add(std::pow(10.0, exponent));
            if (decades < 1.5) {
                add(2 * std::pow(10.0, exponent));
                add(5 * std::pow(10.0, exponent));
            }
        }
        if (ticks.size() >= 2) {
            return ticks;
        }
        ticks.clear();
        add(valueAt(0));
        add(valueAt(1));
        return ticks;
    }
    const bool isTime =
        m_column.field.source == Field::Source::Start || m_column.field.source == Field::Source::Duration;
    const double span = m_high - m_low;
    if (!std::isfinite(span)) {
        return {{0, textOf(m_low)}, {1, textOf(m_high)}};
    }
    const double step = isTime ? timeStep(span, atMost) : series::niceStep(span / std::max(atMost, 1));
    const double first = std::ceil(m_low / step - 1e-9);
    for (int i = 0; i <= atMost + 1; ++i) {
        // The product, so that no error adds up; + 0 makes −0 a 0.
        add((first + i) * step + 0.0);
    }
    return ticks;
}

QString PlotAxis::text(std::size_t run) const {
    const double value = m_column.values[run];
    return std::isnan(value) ? QStringLiteral("—") : textOf(value);
}

QString PlotAxis::textOf(double value) const {
    if (m_column.kind == Column::Kind::Category) {
        const auto index = static_cast<std::size_t>(std::max(0.0, value));
        return index < m_column.categories.size() ? sanitized(m_column.categories[index]).simplified()
                                                  : QString();
    }
    switch (m_column.field.source) {
        case Field::Source::Start:
            return timeText(static_cast<std::int64_t>(value));
        case Field::Source::Duration:
            return value <= 0 ? QStringLiteral("0 s") : durationText(static_cast<std::int64_t>(value));
        default:
            return metricText(value);
    }
}

}  // namespace dailies::ui
