#include "ui/charts/panels/scatter_panel.h"

#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/charts/panels/field_picker.h"
#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QAction>
#include <QBoxLayout>
#include <QMenu>
#include <QToolButton>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

using analysis::Field;

constexpr std::size_t kSurfaceColumns = 160;
constexpr std::size_t kSurfaceRows = 100;

/// The param that these values depend on most, by the share of the runs that have it: the others would have
/// no place. The first when there is none.
Field strongest(const PlotRuns& runs, const std::vector<Field>& params, const std::vector<double>& values) {
    Field best = params.front();
    double most = -1;
    for (const auto& field : params) {
        const auto column = analysis::columnOf(runs.runs, field);
        if (column.isUniquePerRun() || column.kind != analysis::Column::Kind::Number) {
            continue;
        }
        const auto having = std::count_if(column.values.begin(), column.values.end(),
                                          [](double value) { return !std::isnan(value); });
        const double strength = analysis::dependence(column.values, false, values) *
                                static_cast<double>(having) / static_cast<double>(column.values.size());
        if (strength > most) {
            most = strength;
            best = field;
        }
    }
    return best;
}

/// "12 runs without a value of val/fvd", naming the axis where it is one alone that they are missing on.
QString leftOutText(const ScatterScene& scene) {
    if (scene.leftOut == 0) {
        return {};
    }
    const QString text = scene.leftOut == 1
                             ? QStringLiteral("1 run without ")
                             : QStringLiteral("%1 runs without ").arg(countToString(scene.leftOut));
    for (const PlotAxis* axis : {&scene.x, &scene.y}) {
        const auto& values = axis->column().values;
        const auto none = static_cast<std::size_t>(
            std::count_if(values.begin(), values.end(), [](double value) { return std::isnan(value); }));
        if (none == scene.leftOut) {
            return text + QStringLiteral("a value of ") + fieldText(axis->column().field);
        }
    }
    return text + QStringLiteral("a place on these axes");
}

}  // namespace

struct ScatterPanel::Prepared {
    analysis::Fields fields;
    std::shared_ptr<const ScatterScene> scene;
};

ScatterPanel::ScatterPanel(QWidget* parent)
    : PlotPanel(parent),
      m_canvas(new ScatterCanvas),
      m_x(new FieldPicker(QStringLiteral("x"), FieldPicker::Mode::One)),
      m_y(new FieldPicker(QStringLiteral("y"), FieldPicker::Mode::One)),
      m_color(new FieldPicker(QStringLiteral("Colour"), FieldPicker::Mode::One)),
      m_options(makeIconButton(QStringLiteral("sliders"), QStringLiteral("Scales and contour"))) {
    m_color->setNone(QStringLiteral("Run"));
    auto* menu = new QMenu(m_options);
    menu->setToolTipsVisible(true);
    const auto add = [menu](const QString& text) {
        auto* action = menu->addAction(text);
        action->setCheckable(true);
        return action;
    };
    m_logX = add(QStringLiteral("Logarithmic &x"));
    m_logY = add(QStringLiteral("Logarithmic &y"));
    menu->addSeparator();
    m_contour = add(QStringLiteral("&Contour"));
    m_contour->setToolTip(
        QStringLiteral("Smoothed levels of the colour's value under the dots; blank where no run is near"));
    m_options->setMenu(menu);
    m_options->setPopupMode(QToolButton::InstantPopup);
    for (QWidget* control : std::initializer_list<QWidget*>{m_x, m_y, m_color, m_options}) {
        header()->addWidget(control);
    }
    setPlot(m_canvas);

    const auto pick = [this](FieldPicker* picker, std::optional<Field> Choice::*field) {
        connect(picker, &FieldPicker::chosenChanged, this, [this, picker, field] {
            keepShownAxes();
            m_choice.*field = picker->chosen().front();
            choose();
        });
    };
    pick(m_x, &Choice::x);
    pick(m_y, &Choice::y);
    pick(m_color, &Choice::color);
    connect(m_logX, &QAction::triggered, this, [this](bool on) {
        keepShownAxes();
        m_choice.logX = on;
        choose();
    });
    connect(m_logY, &QAction::triggered, this, [this](bool on) {
        keepShownAxes();
        m_choice.logY = on;
        choose();
    });
    connect(m_contour, &QAction::triggered, this, [this](bool on) {
        m_choice.contour = on;
        choose();
    });
    connect(m_canvas, &ScatterCanvas::hovered, this, &ScatterPanel::runHovered);
    connect(m_canvas, &ScatterCanvas::chosen, this, &ScatterPanel::runsChosen);
    connect(m_canvas, &ScatterCanvas::opened, this, &ScatterPanel::openRunRequested);
}

/// Whoever chooses one axis has seen the other and left it: both are chosen, and runs that come later, or a
/// restart, change neither.
void ScatterPanel::keepShownAxes() {
    if (const auto* scene = m_canvas->scene()) {
        m_choice.x = scene->x.column().field;
        m_choice.y = scene->y.column().field;
    }
}

PlotPanel::Preparation ScatterPanel::preparation() {
    Choice choice = m_choice;
    if (!choice.x && m_usualX) {
        choice.x = m_usualX;
    }
    return [this, runs = this->runs(), choice](std::stop_token stop) -> Apply {
        auto result = prepared(runs, choice, stop);
        return [this, result = std::move(result)] { apply(result); };
    };
}

ScatterPanel::Prepared ScatterPanel::prepared(const PlotRunsPtr& runs, const Choice& choice,
                                              std::stop_token stop) {
    Prepared result;
    result.fields = analysis::fieldsOf(runs->runs);
    const auto& [params, metrics] = result.fields;
    const Field* target = analysis::likelyTarget(metrics);
    const Field y = choice.y ? *choice.y : target ? *target : Field{Field::Source::Duration};
    const auto column = [&](const Field& field) {
        return analysis::columnOf(runs->runs, field, runs->nowMs);
    };

    auto scene = std::make_shared<ScatterScene>();
    scene->runs = runs;
    scene->anyEmphasized = runs->emphasizedCount > 0;
    scene->y = PlotAxis(column(y), choice.logY);
    const Field x = choice.x         ? *choice.x
                    : params.empty() ? Field{Field::Source::Start}
                                     : strongest(*runs, params, scene->y.column().values);
    scene->x = PlotAxis(column(x), choice.logX);
    // A contour needs a value to show: the metric, unless that is an axis already.
    Field color = choice.color.value_or(Field{});
    if (!choice.color && choice.contour && target) {
        color = *target;
    }
    if (!isNone(color)) {
        scene->color.emplace(column(color));
    }
    for (std::size_t run = 0; run < runs->size(); ++run) {
        if (std::isnan(scene->x.place(run)) || std::isnan(scene->y.place(run))) {
            ++scene->leftOut;
        }
    }
    if (scene->leftOut == runs->size()) {
        throw Error("No run here has both '" + sanitizedText(analysis::toText(x)) + "' and '" +
                        sanitizedText(analysis::toText(y)) + "'.",
                    "Choose other axes, or wait for the first logged values.");
    }
    scene->correlation = analysis::spearman(scene->x.column().values, scene->y.column().values);
    if (scene->x.column().kind == analysis::Column::Kind::Category ||
        scene->y.column().kind == analysis::Column::Kind::Category) {
        scene->correlation.rho = analysis::kMissing;  // categories have no order to rise in
    }
    if (choice.contour && scene->color && scene->color->column().kind == analysis::Column::Kind::Number) {
        std::vector<analysis::SurfacePoint> points;
        for (std::size_t run = 0; run < runs->size(); ++run) {
            points.push_back({scene->x.place(run), scene->y.place(run), scene->color->place(run)});
        }
        scene->surface = analysis::smoothedSurface(points, kSurfaceColumns, kSurfaceRows, stop);
    }
    result.scene = std::move(scene);
    return result;
}

void ScatterPanel::apply(const Prepared& result) {
    const ScatterScene& scene = *result.scene;
    if (!m_choice.x) {
        m_usualX = scene.x.column().field;
    }
    const auto all = availableFields(result.fields, true);
    for (auto* picker : {m_x, m_y, m_color}) {
        picker->setFields(all);
    }
    m_x->setChosen({scene.x.column().field});
    m_y->setChosen({scene.y.column().field});
    m_color->setChosen({scene.color ? scene.color->column().field : Field{}});
    for (const auto& [toggle, axis] : {std::pair{m_logX, &scene.x}, std::pair{m_logY, &scene.y}}) {
        toggle->setChecked(axis->logarithmic());
        toggle->setEnabled(axis->column().kind == analysis::Column::Kind::Number);
    }
    m_contour->setChecked(m_choice.contour);
    m_canvas->setScene(result.scene);
    setSummary(countText(*scene.runs, scene.runs->size() - scene.leftOut));
    // The choosers leave the summary little room, and this must not be cut off.
    emit noticeChanged(leftOutText(scene), {});
}

QJsonObject ScatterPanel::panelState() const {
    QJsonObject object;
    const auto put = [&](const char* key, const std::optional<Field>& field) {
        if (field) {
            object[QLatin1String(key)] = fieldToJson(*field);
        }
    };
    put("x", m_choice.x);
    put("y", m_choice.y);
    put("color", m_choice.color);
    if (m_choice.logX) {
        object[QStringLiteral("logX")] = *m_choice.logX;
    }
    if (m_choice.logY) {
        object[QStringLiteral("logY")] = *m_choice.logY;
    }
    if (m_choice.contour) {
        object[QStringLiteral("contour")] = true;
    }
    return object;
}

void ScatterPanel::restore(const QJsonObject& panelState) {
    const auto flag = [&](const char* key) -> std::optional<bool> {
        const QJsonValue value = panelState.value(QLatin1String(key));
        return value.isBool() ? std::optional(value.toBool()) : std::nullopt;
    };
    m_choice = {fieldFromJson(panelState, QStringLiteral("x")),
                fieldFromJson(panelState, QStringLiteral("y")),
                fieldFromJson(panelState, QStringLiteral("color")),
                flag("logX"),
                flag("logY"),
                flag("contour").value_or(false)};
    prepare();
}

std::string ScatterPanel::toCsv() const {
    const auto* scene = m_canvas->scene();
    std::vector<std::string> record{"run_id", "name"};
    if (!scene) {
        return csvRecord(record);
    }
    std::vector<const analysis::Column*> columns{&scene->x.column(), &scene->y.column()};
    if (scene->color) {
        columns.push_back(&scene->color->column());
    }
    for (const auto* column : columns) {
        record.push_back(analysis::toText(column->field));
    }
    std::string csv = csvRecord(record);
    for (std::size_t run = 0; run < scene->runs->size(); ++run) {
        record = {scene->runs->id(run), scene->runs->runs[run]->name};
        for (const auto* column : columns) {
            record.push_back(csvValue(*column, run));
        }
        csv += csvRecord(record);
    }
    return csv;
}

bool ScatterPanel::isSettled() const {
    return PlotPanel::isSettled() && m_canvas->isSettled();
}

}  // namespace dailies::ui
