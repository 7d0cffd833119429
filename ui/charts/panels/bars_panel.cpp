#include "ui/charts/panels/bars_panel.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/charts/panels/field_picker.h"
#include "ui/charts/panels/plot_axis.h"
#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace dailies::ui {

namespace {
using analysis::Field;
constexpr std::size_t kOverviewFrom = 40;  ///< bars; of fewer the list itself gives the picture
}  // namespace

struct BarsPanel::Prepared {
    analysis::Fields fields;
    PlotRunsPtr runs;
    PlotAxis axis;
    bool grouped = false;
    std::vector<Bar> bars;
    std::size_t without = 0;  ///< runs that have no value at all
};

BarsPanel::BarsPanel(QWidget* parent)
    : PlotPanel(parent),
      m_metric(new FieldPicker(QStringLiteral("Last"), FieldPicker::Mode::One)),
      m_order(new QToolButton),
      m_bars(new BarList),
      m_overview(new BarOverview(*m_bars)) {
    m_order->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_order->setIcon(icon(QStringLiteral("sort")));
    m_order->setIconSize({14, 14});
    m_order->setFont(Theme::font(TextStyle::Caption));
    m_order->setCursor(Qt::PointingHandCursor);
    m_order->setText(QStringLiteral("Highest first"));
    m_order->setToolTip(QStringLiteral("Turn the order around"));
    m_order->setAccessibleName(QStringLiteral("Order of the bars"));
    header()->addWidget(m_metric);
    header()->addWidget(m_order);
    auto* plot = new QWidget;
    auto* column = makeColumn(space::k4, {space::k4, 0, space::k4, 0});
    column->addWidget(m_overview);
    column->addWidget(m_bars, 1);
    plot->setLayout(column);
    m_overview->hide();
    setPlot(plot);

    connect(m_metric, &FieldPicker::chosenChanged, this, [this] {
        m_chosenMetric = m_metric->chosen().front();
        choose();
    });
    connect(m_order, &QToolButton::clicked, this, [this] {
        m_lowestFirst = !m_lowestFirst;
        choose();
    });
    connect(m_bars, &BarList::hovered, this,
            [this](const std::string& id) { emit runHovered(m_grouped ? std::string() : id); });
    connect(m_bars, &BarList::chosen, this, &BarsPanel::choseRow);
    connect(m_bars, &BarList::opened, this,
            [this](const std::string& id) { m_grouped ? choseRow(id) : emit openRunRequested(id); });
    onThemeChange(this, [this] { prepare(); });
}

PlotPanel::Preparation BarsPanel::preparation() {
    return [this, runs = this->runs(), metric = m_chosenMetric,
            lowest = m_lowestFirst](std::stop_token) -> Apply {
        auto result = prepared(runs, metric, lowest);
        return [this, result = std::move(result)] { apply(result); };
    };
}

BarsPanel::Prepared BarsPanel::prepared(const PlotRunsPtr& runs, const std::optional<Field>& metric,
                                        bool lowestFirst) {
    Prepared result;
    result.runs = runs;
    result.fields = analysis::fieldsOf(runs->runs);
    const Field* likely = analysis::likelyTarget(result.fields.metrics);
    const Field shown = metric ? *metric : likely ? *likely : Field{Field::Source::Duration};
    result.axis = PlotAxis(analysis::columnOf(runs->runs, shown, runs->nowMs));
    const auto& column = result.axis.column();
    if (column.kind != analysis::Column::Kind::Number) {
        throw InputError(
            "'" + sanitizedText(analysis::toText(shown)) + "' holds words, which have no length.",
            "Choose a metric, a number or the duration.");
    }
    result.grouped = std::any_of(runs->charted.begin(), runs->charted.end(),
                                 [](const ChartedRun& run) { return !run.group.empty(); });
    std::unordered_map<std::string, std::size_t> barOfGroup;
    for (std::size_t run = 0; run < runs->size(); ++run) {
        const double value = column.values[run];
        if (std::isnan(value) && !runs->runs[run]->metrics.contains(shown.key)) {
            ++result.without;
            continue;
        }
        if (!result.grouped) {
            const auto& one = *runs->runs[run];
            result.bars.push_back({one.id, runs->name(run), result.axis.textOf(value), run, value});
            continue;
        }
        const std::string& group = runs->charted[run].group;
        const auto [found, isNew] = barOfGroup.try_emplace(group, result.bars.size());
        if (isNew) {
            result.bars.push_back(
                {group, group.empty() ? QStringLiteral("(no group)") : sanitized(group), {}, run, 0, 0, 0});
        }
        if (std::isfinite(value)) {
            // Welford's update: the sum of squares is kept in `deviation` until all are in.
            Bar& bar = result.bars[found->second];
            const double before = value - bar.value;
            bar.value += before / static_cast<double>(++bar.count);
            bar.deviation += before * (value - bar.value);
        }
    }
    for (Bar& bar : result.bars) {
        if (result.grouped) {
            bar.deviation = bar.count > 1 ? std::sqrt(bar.deviation / static_cast<double>(bar.count - 1)) : 0;
            bar.value = bar.count > 0 ? bar.value : analysis::kMissing;
            bar.valueText = result.axis.textOf(bar.value);
            if (bar.count > 1) {
                bar.valueText += QStringLiteral(" ± ") + result.axis.textOf(bar.deviation);
            }
        }
    }
    if (result.bars.empty()) {
        throw Error("No run here has '" + sanitizedText(analysis::toText(shown)) + "'.",
                    "Choose another metric, or wait for the first logged values.");
    }
    std::stable_sort(result.bars.begin(), result.bars.end(), [&](const Bar& a, const Bar& b) {
        if (std::isnan(a.value) || std::isnan(b.value)) {
            return std::isnan(b.value) && !std::isnan(a.value);
        }
        return lowestFirst ? a.value < b.value : a.value > b.value;
    });
    return result;
}

void BarsPanel::apply(const Prepared& result) {
    m_grouped = result.grouped;
    m_shown = result.axis.column().field;
    m_shownBars = result.bars;
    auto metrics = result.fields.metrics;
    metrics.push_back({Field::Source::Duration});
    m_metric->setFields(std::move(metrics));
    m_metric->setChosen({m_shown});
    m_order->setText(m_lowestFirst ? QStringLiteral("Lowest first") : QStringLiteral("Highest first"));

    std::vector<BarRow> rows;
    rows.reserve(m_shownBars.size());
    for (const Bar& bar : m_shownBars) {
        BarRow row;
        row.id = bar.id;
        row.label = bar.label;
        row.value = bar.value;
        row.valueText = bar.valueText;
        if (m_grouped) {
            row.error = bar.deviation;
            row.color = runColor(bar.id);
            row.note = bar.count == 1 ? QStringLiteral("of 1 run")
                                      : QStringLiteral("mean ± standard deviation of %1 runs").arg(bar.count);
        } else {
            row.color = result.runs->colors[bar.run];
            row.emphasized = result.runs->emphasized(bar.run);
        }
        rows.push_back(std::move(row));
    }
    const bool logarithmic = result.axis.logarithmic();
    m_overview->setVisible(rows.size() >= kOverviewFrom);
    m_bars->setRows(std::move(rows), logarithmic);
    QString summary =
        m_grouped
            ? QStringLiteral("%1 groups, mean ± standard deviation").arg(countToString(m_shownBars.size()))
            : countText(*result.runs, m_shownBars.size());
    if (logarithmic) {
        summary += QStringLiteral(", logarithmic");
    }
    if (result.without > 0) {
        summary += QStringLiteral("; %1 without a value").arg(countToString(result.without));
    }
    setSummary(summary);
}

void BarsPanel::choseRow(const std::string& id) {
    if (!m_grouped) {
        emit runsChosen({id});
        return;
    }
    std::vector<std::string> ids;
    for (const auto& charted : runs()->charted) {
        if (charted.group == id) {
            ids.push_back(charted.run->id);
        }
    }
    emit runsChosen(ids);
}

QJsonObject BarsPanel::panelState() const {
    QJsonObject object;
    if (m_chosenMetric) {
        object[QStringLiteral("metric")] = fieldToJson(*m_chosenMetric);
    }
    if (m_lowestFirst) {
        object[QStringLiteral("lowestFirst")] = true;
    }
    return object;
}

void BarsPanel::restore(const QJsonObject& panelState) {
    m_chosenMetric = fieldFromJson(panelState, QStringLiteral("metric"));
    m_lowestFirst = panelState.value(QStringLiteral("lowestFirst")).toBool();
    prepare();
}

std::string BarsPanel::toCsv() const {
    const auto number = [](double value) { return std::isnan(value) ? std::string() : csvNumber(value); };
    const std::string value = analysis::toText(m_shown);
    std::string csv = m_grouped ? csvRecord({"group", "mean " + value, "standard_deviation", "runs"})
                                : csvRecord({"run_id", "name", value});
    for (const Bar& bar : m_shownBars) {
        csv += m_grouped
                   ? csvRecord({bar.id, number(bar.value), number(bar.deviation), std::to_string(bar.count)})
                   : csvRecord({bar.id, runs()->runs[bar.run]->name, number(bar.value)});
    }
    return csv;
}

}  // namespace dailies::ui
