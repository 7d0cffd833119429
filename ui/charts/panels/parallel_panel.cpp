#include "ui/charts/panels/parallel_panel.h"

#include "core/analysis/correlation.h"
#include "core/base/csv.h"
#include "core/base/error.h"
#include "core/base/text.h"
#include "ui/charts/panels/field_picker.h"

#include <QBoxLayout>
#include <QJsonArray>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

using analysis::Field;

constexpr std::size_t kUsualParams = 6;  ///< more axes than that nobody reads unasked

/// The varied params that go with the target most, in the order of their names, then the target.
std::vector<Field> usualAxes(const PlotRuns& runs, const analysis::Fields& fields) {
    const Field* target = analysis::likelyTarget(fields.metrics);
    const auto values = target ? analysis::columnOf(runs.runs, *target).values : std::vector<double>();
    struct Candidate {
        Field field;
        double strength;
    };
    std::vector<Candidate> candidates;
    for (const auto& field : fields.params) {
        const auto column = analysis::columnOf(runs.runs, field);
        if (column.isUniquePerRun()) {
            continue;
        }
        const bool words = column.kind == analysis::Column::Kind::Category;
        candidates.push_back({field, analysis::dependence(column.values, words, values)});
    }
    std::stable_sort(candidates.begin(), candidates.end(),
                     [](const auto& a, const auto& b) { return a.strength > b.strength; });
    candidates.resize(std::min(candidates.size(), kUsualParams));
    std::sort(candidates.begin(), candidates.end(),
              [](const auto& a, const auto& b) { return a.field.key < b.field.key; });
    std::vector<Field> axes;
    for (const auto& candidate : candidates) {
        axes.push_back(candidate.field);
    }
    if (target) {
        axes.push_back(*target);
    }
    return axes;
}

/// "lr" for "optimizer.lr", unless another axis ends so, too.
std::vector<QString> axisNames(const std::vector<Field>& axes) {
    std::vector<std::string> keys;
    for (const auto& axis : axes) {
        keys.push_back(axis.key);
    }
    keys = shortKeys(keys);
    std::vector<QString> names;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        names.push_back(fieldText({axes[i].source, keys[i]}));
    }
    return names;
}

bool allOffered(const std::vector<Field>& wanted, const analysis::Fields& fields) {
    const auto all = availableFields(fields, true);
    return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [&](const Field& field) {
        return std::find(all.begin(), all.end(), field) != all.end();
    });
}

}  // namespace

ParallelPanel::ParallelPanel(QWidget* parent)
    : PlotPanel(parent),
      m_canvas(new ParallelCanvas),
      m_axes(new FieldPicker(QStringLiteral("Axes"), FieldPicker::Mode::Several)),
      m_color(new FieldPicker(QStringLiteral("Colour"), FieldPicker::Mode::One)) {
    m_color->setNone(QStringLiteral("Run"));
    header()->addWidget(m_axes);
    header()->addWidget(m_color);
    setPlot(m_canvas);

    connect(m_axes, &FieldPicker::chosenChanged, this, [this] {
        m_chosenAxes = m_axes->chosen();
        choose();
    });
    connect(m_color, &FieldPicker::chosenChanged, this, [this] {
        m_chosenColor = m_color->chosen().front();
        choose();
    });
    connect(m_canvas, &ParallelCanvas::hovered, this, &ParallelPanel::runHovered);
    connect(m_canvas, &ParallelCanvas::opened, this, &ParallelPanel::openRunRequested);
    connect(m_canvas, &ParallelCanvas::axisMoved, this, &ParallelPanel::moveAxis);
    connect(m_canvas, &ParallelCanvas::brushesChanged, this, [this] {
        showSummary();
        emit runsChosen(m_canvas->brushed() ? m_canvas->chosen() : std::vector<std::string>());
    });
}

PlotPanel::Preparation ParallelPanel::preparation() {
    return [this, runs = this->runs(), chosen = m_chosenAxes, usual = m_usualAxes,
            color = m_chosenColor](std::stop_token stop) -> Apply {
        const auto fields = analysis::fieldsOf(runs->runs);
        auto axes = !chosen.empty() ? chosen : allOffered(usual, fields) ? usual : usualAxes(*runs, fields);
        if (axes.empty()) {
            throw Error("No param differs between these runs, and none has a metric yet.",
                        "Show the runs of a sweep, or wait for the first logged values.");
        }
        auto scene = std::make_shared<ParallelScene>();
        scene->runs = runs;
        for (const auto& field : axes) {
            if (stop.stop_requested()) {
                throw Cancelled();
            }
            scene->axes.emplace_back(analysis::columnOf(runs->runs, field, runs->nowMs));
        }
        scene->names = axisNames(axes);
        const Field by = color ? *color : axes.back().source == Field::Source::Metric ? axes.back() : Field{};
        if (!isNone(by)) {
            scene->color.emplace(analysis::columnOf(runs->runs, by, runs->nowMs));
        }
        return [this, fields, scene] { apply(fields, scene); };
    };
}

void ParallelPanel::apply(const analysis::Fields& fields, std::shared_ptr<const ParallelScene> scene) {
    std::vector<Field> axes;
    for (const auto& axis : scene->axes) {
        axes.push_back(axis.column().field);
    }
    if (m_chosenAxes.empty()) {
        m_usualAxes = axes;
    }
    m_axes->setFields(availableFields(fields, true));
    m_axes->setChosen(axes);
    m_color->setFields(availableFields(fields, true));
    m_color->setChosen({scene->color ? scene->color->column().field : Field{}});
    m_canvas->setScene(std::move(scene));
    showSummary();
}

void ParallelPanel::showSummary() {
    const ParallelScene& scene = *m_canvas->scene();
    const std::size_t all = scene.runs->size();
    if (m_canvas->brushed()) {
        setSummary(QStringLiteral("%1 of %2 runs brushed (Esc clears)")
                       .arg(countToString(m_canvas->chosen().size()), countToString(all)));
        return;
    }
    std::size_t without = 0;
    for (std::size_t run = 0; run < all; ++run) {
        without += std::any_of(scene.axes.begin(), scene.axes.end(),
                               [run](const PlotAxis& axis) { return std::isnan(axis.place(run)); })
                       ? 1
                       : 0;
    }
    setSummary(countText(*scene.runs, all) +
               (without > 0 ? QStringLiteral("; %1 without a value on some axis").arg(countToString(without))
                            : QString()));
}

void ParallelPanel::moveAxis(std::size_t from, std::size_t to) {
    m_chosenAxes = m_axes->chosen();
    const Field moved = m_chosenAxes[from];
    m_chosenAxes.erase(m_chosenAxes.begin() + static_cast<std::ptrdiff_t>(from));
    m_chosenAxes.insert(m_chosenAxes.begin() + static_cast<std::ptrdiff_t>(to), moved);
    m_axes->setChosen(m_chosenAxes);
    choose();
}

QJsonObject ParallelPanel::panelState() const {
    QJsonObject object;
    if (!m_chosenAxes.empty()) {
        QJsonArray axes;
        for (const auto& field : m_chosenAxes) {
            axes.append(fieldToJson(field));
        }
        object[QStringLiteral("axes")] = axes;
    }
    if (m_chosenColor) {
        object[QStringLiteral("color")] = fieldToJson(*m_chosenColor);
    }
    return object;
}

void ParallelPanel::restore(const QJsonObject& panelState) {
    m_chosenAxes.clear();
    for (const auto& value : panelState.value(QStringLiteral("axes")).toArray()) {
        if (value.isString()) {
            m_chosenAxes.push_back(analysis::fieldFromText(value.toString().toStdString()));
        }
    }
    m_chosenColor = fieldFromJson(panelState, QStringLiteral("color"));
    prepare();
}

std::string ParallelPanel::toCsv() const {
    const auto* scene = m_canvas->scene();
    std::vector<std::string> record{"run_id", "name"};
    if (!scene) {
        return csvRecord(record);
    }
    for (const auto& axis : scene->axes) {
        record.push_back(analysis::toText(axis.column().field));
    }
    std::string csv = csvRecord(record);
    for (std::size_t run = 0; run < scene->runs->size(); ++run) {
        record = {scene->runs->id(run), scene->runs->runs[run]->name};
        for (const auto& axis : scene->axes) {
            record.push_back(csvValue(axis.column(), run));
        }
        csv += csvRecord(record);
    }
    return csv;
}

bool ParallelPanel::isSettled() const {
    return PlotPanel::isSettled() && m_canvas->isSettled();
}

}  // namespace dailies::ui
