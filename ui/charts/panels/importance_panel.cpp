#include "ui/charts/panels/importance_panel.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "ui/charts/panels/bar_list.h"
#include "ui/charts/panels/field_picker.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

using analysis::Field;
using analysis::Importance;

constexpr double kHardlyAnything = 0.1;
constexpr int kMinBars = 48;

QString percent(double share) {
    const double value = 100 * share;
    return (std::abs(value) < 9.5 ? QString::number(value, 'f', 1) : QString::number(std::lround(value))) +
           QStringLiteral(" %");
}

/// ↑ or ↓ where the rank correlation is clearly not zero.
QString directionMark(const Importance& param) {
    const auto& direction = param.direction;
    if (std::isnan(direction.rho) || !direction.hasDirection()) {
        return {};
    }
    return direction.rho > 0 ? QStringLiteral(" ↑") : QStringLiteral(" ↓");
}

QString noteOf(const Importance& param, const QString& target) {
    QString note = QStringLiteral("± %1 (one standard error)").arg(percent(param.error));
    if (!param.isSignificant()) {
        note += QStringLiteral("\nNot clearly more than nothing.");
    }
    if (!param.highestWith.empty()) {
        note += QStringLiteral("\n%1 is highest with %2")
                    .arg(target, fieldText({Field::Source::Param, param.highestWith}));
    } else if (!std::isnan(param.direction.rho)) {
        note += QStringLiteral("\nSpearman ρ with %1: %2%3 over %4 runs")
                    .arg(target, QString::number(param.direction.rho, 'f', 2).replace(u'-', QChar(0x2212)),
                         intervalText(param.direction))
                    .arg(param.direction.n);
        if (directionMark(param).isEmpty()) {
            note += QStringLiteral(", no clear direction");
        }
    }
    return note;
}

QString valueText(const Importance& param) {
    if (!param.highestWith.empty() && param.isSignificant()) {
        return percent(param.share) + QStringLiteral(" · ") +
               fieldText({Field::Source::Param, param.highestWith});
    }
    return percent(param.share) + (param.isSignificant() ? directionMark(param) : QString());
}

}  // namespace

QString importanceSummary(const analysis::ImportanceReport& report, const QString& target) {
    const QString differences =
        (report.logarithmicTarget ? QStringLiteral("the differences in log %1 over %2 runs")
                                  : QStringLiteral("the differences in %1 over %2 runs"))
            .arg(target)
            .arg(report.runs);
    QString text;
    if (report.explained <= 0) {
        text = QStringLiteral(
                   "Cannot tell: the params do not explain %1 (out-of-bag R² %2). The bars are noise.")
                   .arg(differences)
                   .arg(report.explained, 0, 'f', 2)
                   .replace(u'-', QChar(0x2212));
        text.replace(QStringLiteral("out−of−bag"), QStringLiteral("out-of-bag"));
    } else if (report.explained < kHardlyAnything) {
        text = QStringLiteral("The params explain hardly any (%1) of %2: the bars may be noise.")
                   .arg(percent(report.explained), differences);
    } else {
        text = QStringLiteral("The params explain %1 of %2.").arg(percent(report.explained), differences);
    }
    if (report.runsLeftOut > 0) {
        text += QStringLiteral(" %1 without a finite value left out.").arg(report.runsLeftOut);
    }
    return text;
}

ImportancePanel::ImportancePanel(QWidget* parent)
    : PlotPanel(parent),
      m_target(new FieldPicker(QStringLiteral("Of"), FieldPicker::Mode::One)),
      m_verdict(makeLabel({}, TextStyle::Body)),
      m_legend(new ElidedLabel(TextStyle::Caption, TextTone::Faint)),
      m_bars(new BarList) {
    header()->addWidget(m_target);
    auto* plot = new QWidget;
    auto* column = new QVBoxLayout;
    column->setContentsMargins(space::k4, 0, space::k4, 0);
    column->setSpacing(space::k4);
    m_verdict->setWordWrap(true);
    column->addWidget(m_verdict);
    m_bars->setMinimumHeight(kMinBars);  // a card of the grid is low, and the bars are what it is for
    column->addWidget(m_bars, 1);
    column->addWidget(m_legend);
    plot->setLayout(column);
    m_bars->setAccessibleName(QStringLiteral("Parameter importance"));
    setPlot(plot);

    connect(m_target, &FieldPicker::chosenChanged, this, [this] {
        m_chosenTarget = m_target->chosen().front();
        choose();
    });
    onThemeChange(this, [this] {
        auto rows = m_bars->rows();
        for (auto& row : rows) {
            row.color = colors().accent;
        }
        m_bars->setRows(std::move(rows));
    });
}

PlotPanel::Preparation ImportancePanel::preparation() {
    setSummary(QStringLiteral("Learning…"));
    return [this, runs = this->runs(), chosen = m_chosenTarget](std::stop_token stop) -> Apply {
        const auto training = analysis::mainRuns(runs->runs);
        const auto fields = analysis::fieldsOf(training);
        const Field* likely = analysis::likelyTarget(fields.metrics);
        if (!chosen && !likely) {
            throw Error("No run has a metric yet.",
                        "Importance needs a value to explain: wait for the first steps.");
        }
        const Field target = chosen ? *chosen : *likely;
        std::vector<analysis::Column> params;
        for (const auto& field : fields.params) {
            params.push_back(analysis::columnOf(training, field));
        }
        const auto values = analysis::columnOf(training, target, runs->nowMs);
        if (values.kind != analysis::Column::Kind::Number) {
            throw InputError("'" + analysis::toText(target) + "' holds words, which have no size to explain.",
                             "Choose a metric, a number or the duration.");
        }
        std::erase_if(params, [&](const auto& param) { return param.field == target; });
        auto report = analysis::importanceOf(params, values, {}, stop);
        return [this, fields, target, report = std::move(report)] { apply(fields, target, report); };
    };
}

void ImportancePanel::apply(const analysis::Fields& fields, const Field& target,
                            analysis::ImportanceReport report) {
    m_report = std::move(report);
    auto targets = fields.metrics;
    targets.push_back({Field::Source::Duration});
    m_target->setFields(std::move(targets));
    m_target->setChosen({target});
    const QString name = fieldText(target);
    m_verdict->setText(importanceSummary(m_report, name));

    const bool worthless = m_report.explained < kHardlyAnything;
    std::vector<BarRow> rows;
    for (const auto& param : m_report.params) {
        BarRow row;
        row.id = param.field.key;
        row.label = fieldText(param.field);
        row.value = param.share;
        row.error = 2 * param.error;
        row.valueText = valueText(param);
        row.note = noteOf(param, name);
        row.color = colors().accent;
        row.dot = false;
        row.faint = worthless || !param.isSignificant();
        rows.push_back(std::move(row));
    }
    m_bars->setRows(std::move(rows));
    // One line: the rest is read once, in its tooltip.
    m_legend->setFullText(
        QStringLiteral(
            "Whiskers: ±2 standard errors · Faint: not significant · ↑ correlates with higher %1 · Bars: "
            "share of variance explained by each param; shares overlap when params interact")
            .arg(name));
    setSummary(
        m_report.setAside.empty()
            ? QStringLiteral("random forest, shuffled params")
            : QStringLiteral("%1 params differ in every run and are left out").arg(m_report.setAside.size()));
}

QString ImportancePanel::summary() const {
    return m_verdict->text();
}

QJsonObject ImportancePanel::panelState() const {
    QJsonObject object;
    if (m_chosenTarget) {
        object[QStringLiteral("target")] = fieldToJson(*m_chosenTarget);
    }
    return object;
}

void ImportancePanel::restore(const QJsonObject& panelState) {
    m_chosenTarget = fieldFromJson(panelState, QStringLiteral("target"));
    prepare();
}

std::string ImportancePanel::toCsv() const {
    std::string csv = csvRecord({"param", "share", "standard_error", "spearman_rho", "highest_with"});
    const auto number = [](double value) { return std::isnan(value) ? std::string() : csvNumber(value); };
    for (const auto& param : m_report.params) {
        csv += csvRecord({param.field.key, number(param.share), number(param.error),
                          number(param.direction.rho), param.highestWith});
    }
    return csv;
}

}  // namespace dailies::ui
