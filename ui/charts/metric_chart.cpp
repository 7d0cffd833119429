#include "ui/charts/metric_chart.h"

#include "core/base/error.h"
#include "ui/bridge/run_async.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/curve_view.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLocale>
#include <QMenu>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr double kFrame = 14;  ///< ms a drawing may take for 60 a second, with a little left for the rest
constexpr std::size_t kMaxCurves = 200;  ///< nobody could tell more of them apart

}  // namespace

MetricChart::MetricChart(CurveCache& store, const std::string& metric, QWidget* parent)
    : ChartPanel(parent), m_store(store), m_metric(metric), m_view(new CurveView) {
    setFrameShape(QFrame::NoFrame);
    auto* column = makeColumn(0);
    column->addWidget(m_view);
    setLayout(column);
    setFocusProxy(m_view);
    m_view->setAccessibleName(QStringLiteral("Chart of ") + sanitized(metric));
    m_view->setAccessibleDescription(
        QStringLiteral("Arrow keys move, plus and minus zoom, 0 shows everything."));
    m_view->setEmptyText(QStringLiteral("Reading…"));
    setWhatsThis(QStringLiteral(
        "Drag across the curves to zoom, Shift and drag to move, double click to show everything.\n"
        "The wheel zooms with Ctrl, or alone in a chart that was clicked.\n"
        "A click on a curve shows its clips of that step; with Ctrl it selects the run."));

    m_schedule.setSingleShot(true);
    m_schedule.setInterval(0);
    connect(&m_schedule, &QTimer::timeout, this, &MetricChart::render);
    connect(m_view, &CurveView::rangeChosen, this, &MetricChart::rangeChosen);
    connect(m_view, &CurveView::dragging, this, &MetricChart::dragging);
    connect(m_view, &CurveView::crosshairMoved, this, &MetricChart::crosshairMoved);
    connect(m_view, &CurveView::runHovered, this, &MetricChart::runHovered);
    connect(m_view, &CurveView::stepChosen, this, &MetricChart::stepChosen);
    connect(m_view, &CurveView::runClicked, this,
            [this](const std::string& runId) { emit runsChosen({runId}); });
    connect(&m_store, &CurveCache::changed, this, [this](const std::set<std::string>& keys) {
        if (keys.contains(m_metric) ||
            (m_settings.x.kind == XAxis::Kind::Metric && keys.contains(m_settings.x.metric))) {
            schedule();
        }
    });
    onThemeChange(this, [this] {
        describeRuns();  // colours are the theme's
        schedule();
    });
}

void MetricChart::setRuns(const ChartedRuns& runs) {
    m_runs.clear();
    m_limited.clear();
    // A run without this metric has no curve here, and nothing is to be read of it.
    for (const auto& charted : runs) {
        if (!charted.run->metrics.contains(m_metric)) {
            continue;
        }
        if (m_runs.size() == kMaxCurves) {
            const QLocale locale;
            m_limited = QStringLiteral("%1 of %2 runs")
                            .arg(locale.toString(static_cast<qulonglong>(kMaxCurves)),
                                 locale.toString(static_cast<qulonglong>(runs.size())));
            break;
        }
        m_runs.push_back(charted);
    }
    m_view->setEmptyText(m_runs.empty()
                             ? QStringLiteral("None of these runs has logged %1.").arg(sanitized(m_metric))
                             : QStringLiteral("Reading…"));
    describeRuns();
    schedule();
}

void MetricChart::setSettings(const CurveSettings& settings) {
    if (settings != m_settings) {
        m_settings = settings;
        schedule();
    }
}

CurveSettings MetricChart::settings() const {
    CurveSettings settings = m_settings;
    settings.logY = m_logY.value_or(m_settings.logY);
    settings.showAll = m_settings.showAll || m_showAll;
    return settings;
}

void MetricChart::setRange(const std::optional<Range>& range) {
    if (range != m_range) {
        m_range = range;
        schedule();
    }
}

void MetricChart::setDragging(bool on) {
    m_dragging = on;
    if (!on && m_lastMilliseconds > kFrame) {
        schedule();  // once more, finely
    }
}

void MetricChart::setCrosshair(std::optional<double> x) {
    m_view->setCrosshair(x);
}

void MetricChart::setStepCursor(std::optional<double> step) {
    m_view->setStepCursor(step);
}

void MetricChart::setHovered(const std::string& runId) {
    if (runId == m_hovered) {
        return;
    }
    m_hovered = runId;
    schedule();
}

bool MetricChart::isSettled() const {
    return m_stale || (!m_rendering && !m_schedule.isActive() && m_store.isSettled());
}

void MetricChart::schedule() {
    m_schedule.start();
}

void MetricChart::paintEvent(QPaintEvent* event) {
    ChartPanel::paintEvent(event);
    if (m_stale) {
        schedule();
    }
}

void MetricChart::resizeEvent(QResizeEvent* event) {
    ChartPanel::resizeEvent(event);
    schedule();
}

void MetricChart::hideEvent(QHideEvent* event) {
    ChartPanel::hideEvent(event);
    m_store.requestCurves(this, {});
}

/// Which steps the window shows: in other units through the curves on the screen.
std::optional<tracking::StepRange> MetricChart::visibleSteps() const {
    if (!m_range) {
        return std::nullopt;
    }
    const CurveSettings chosen = settings();
    const auto plain = [&](double x) { return chosen.logX ? std::pow(10, x) : x; };
    if (chosen.x.kind == XAxis::Kind::Step) {
        return tracking::StepRange{static_cast<std::int64_t>(std::floor(plain(m_range->minimum))),
                                   static_cast<std::int64_t>(std::ceil(plain(m_range->maximum)))};
    }
    std::optional<tracking::StepRange> steps;
    for (const auto& curve : m_view->picture().shown) {
        if (!curve.prepared || curve.prepared->raw->empty()) {
            continue;
        }
        const auto& raw = *curve.prepared->raw;
        const auto first = static_cast<std::int64_t>(curve.prepared->stepOf(raw.nearest(m_range->minimum)));
        const auto last = static_cast<std::int64_t>(curve.prepared->stepOf(raw.nearest(m_range->maximum)));
        steps = steps ? tracking::StepRange{std::min(first, steps->first), std::max(last, steps->last)}
                      : tracking::StepRange{first, last};
    }
    return steps;
}

void MetricChart::requestCurves() {
    CurveRequest need;
    need.key = m_metric;
    need.steps = visibleSteps();
    need.columns = static_cast<int>(m_view->plotArea().width() * devicePixelRatioF());
    for (const auto& charted : m_runs) {
        need.runIds.push_back(charted.run->id);
    }
    std::vector<CurveRequest> needs{need};
    if (m_settings.x.kind == XAxis::Kind::Metric) {
        needs.push_back(need);
        needs.back().key = m_settings.x.metric;
    }
    m_store.requestCurves(this, std::move(needs));
}

/// What stays the same from frame to frame.
void MetricChart::describeRuns() {
    m_inputs.clear();
    m_inputs.reserve(m_runs.size());
    for (const auto& [run, group, emphasized] : m_runs) {
        CurveInput input{run->id, sanitized(run->name), runColor(run->id), group};
        input.groupColor = group.empty() ? QColor() : runColor(group);
        input.emphasized = emphasized;
        input.startMs = run->startMs;
        m_inputs.push_back(std::move(input));
    }
}

std::vector<CurveInput> MetricChart::inputs() const {
    std::vector<CurveInput> inputs;
    inputs.reserve(m_inputs.size());
    for (const auto& described : m_inputs) {
        auto values = m_store.get(described.runId, m_metric);
        if (!values.overview) {
            continue;
        }
        CurveInput& input = inputs.emplace_back(described);
        input.values = std::move(values);
        input.events = m_store.events(input.runId);
        if (m_settings.x.kind == XAxis::Kind::Metric) {
            input.x = m_store.get(input.runId, m_settings.x.metric);
        }
    }
    return inputs;
}

void MetricChart::render() {
    const QSize size = m_view->plotArea().size().toSize();
    m_stale = size.isEmpty() || visibleRegion().isEmpty();
    if (m_stale) {
        m_store.requestCurves(this, {});
        return;
    }
    if (m_rendering) {
        m_again = true;
        return;
    }
    requestCurves();
    CurveScene scene;
    scene.curves = inputs();
    scene.settings = settings();
    scene.x = m_range;
    scene.hovered = m_hovered;
    scene.size = size;
    scene.scale = devicePixelRatioF();
    scene.coarser = m_dragging && m_lastMilliseconds > kFrame ? 2 : 1;
    scene.cache = m_cache;
    m_rendering = true;
    runAsync(
        this, [scene = std::move(scene)](std::stop_token stop) { return renderCurves(scene, stop); },
        [this](CurvePicture picture) { display(std::move(picture)); },
        [this](const Error& error) {
            m_rendering = false;
            emit failed(error);
        });
}

void MetricChart::display(CurvePicture picture) {
    m_rendering = false;
    // A coarse frame's time says nothing of a fine one's: keep to coarse ones until the dragging ends.
    m_lastMilliseconds =
        m_dragging ? std::max(m_lastMilliseconds, picture.milliseconds) : picture.milliseconds;
    if (picture.points == 0 && m_range && !m_runs.empty() && m_store.isSettled()) {
        m_view->setEmptyText(QStringLiteral("No points in this range"));
    }
    m_view->setPicture(std::move(picture));
    announce();
    if (std::exchange(m_again, false)) {
        render();
    }
}

void MetricChart::announce() {
    const CurvePicture& picture = m_view->picture();
    const auto count = [](std::size_t n, bool exact) {
        return (exact ? QString() : QStringLiteral("at least ")) +
               (n == 1 ? QStringLiteral("1 value") : QStringLiteral("%1 values").arg(n));
    };
    const auto value = [&](double y) { return metricText(picture.settings.logY ? std::pow(10, y) : y); };
    QStringList parts;
    const auto& out = picture.leftOut;
    if (out.above > 0) {
        parts << count(out.above, out.exact) + QStringLiteral(" above ") + value(picture.y.range.maximum);
    }
    if (out.below > 0) {
        parts << count(out.below, out.exact) + QStringLiteral(" below ") + value(picture.y.range.minimum);
    }
    QString action;
    if (!parts.isEmpty()) {
        action = QStringLiteral("Show all values");
    } else if (m_showAll) {
        parts << QStringLiteral("all values shown");
        action = QStringLiteral("Leave outliers out again");
    }
    if (picture.withoutPlace > 0) {
        parts << count(picture.withoutPlace, true) + QStringLiteral(" ≤ 0");
    }
    QString notice = parts.join(QStringLiteral(", "));
    if (!notice.isEmpty() && !(m_showAll && out.above + out.below == 0 && picture.withoutPlace == 0)) {
        notice += QStringLiteral(" not shown");
    }
    if (!m_limited.isEmpty()) {
        // A card's header has room for little more than forty letters.
        parts.prepend(m_limited);
        notice = parts.join(QStringLiteral(" · "));
    }
    if (notice != m_notice) {
        m_notice = notice;
        emit noticeChanged(notice, action);
    }
}

void MetricChart::noticeClicked() {
    m_showAll = !m_showAll;
    m_notice.clear();
    schedule();
    emit panelStateChanged();
}

QJsonObject MetricChart::panelState() const {
    QJsonObject json;
    if (m_logY) {
        json.insert(QStringLiteral("log_y"), *m_logY);
    }
    if (m_showAll) {
        json.insert(QStringLiteral("show_all"), true);
    }
    return json;
}

void MetricChart::restore(const QJsonObject& panelState) {
    const auto logY = panelState.value(QStringLiteral("log_y"));
    m_logY = logY.isBool() ? std::optional(logY.toBool()) : std::nullopt;
    m_showAll = panelState.value(QStringLiteral("show_all")).toBool();
    schedule();
}

void MetricChart::fillMenu(QMenu& menu) {
    const auto add = [&](const QString& text, bool on, auto toggled) {
        auto* action = menu.addAction(text);
        action->setCheckable(true);
        action->setChecked(on);
        connect(action, &QAction::toggled, this, [this, toggled](bool checked) {
            toggled(checked);
            schedule();
            emit panelStateChanged();
        });
    };
    add(QStringLiteral("&Logarithmic y"), settings().logY, [this](bool on) { m_logY = on; });
    add(QStringLiteral("Show &outliers"), settings().showAll, [this](bool on) { m_showAll = on; });
    auto* all =
        menu.addAction(QStringLiteral("Reset &zoom"), this, [this] { emit rangeChosen(std::nullopt); });
    all->setShortcut(QKeySequence(Qt::Key_0));
    all->setEnabled(m_range.has_value());
}

std::string MetricChart::toCsv() const {
    return shownCsv(m_view->picture());
}

ChartPanel::Exporter MetricChart::exporter(const FileOptions& options) const {
    if (options.format == Format::Csv) {
        if (!options.allPoints) return {};  // the card writes what is drawn
        std::vector<RunPtr> runs;
        for (const auto& charted : m_runs) {
            runs.push_back(charted.run);
        }
        return [file = m_store.file(), metric = m_metric, runs](const std::filesystem::path& target,
                                                                std::stop_token stop) {
            writeCurvesCsv(file, runs, metric, target, stop);
        };
    }
    CurveScene scene;
    scene.curves = inputs();
    scene.settings = settings();
    scene.x = m_view->picture().x.range;
    scene.size = m_view->plotArea().size().toSize();
    ChartExportPage page =
        makeExportPage(sanitized(m_metric), m_view->picture(), m_view->size(), std::move(scene));
    page.labels = options.labels;
    return [page = std::move(page), format = options.format](const std::filesystem::path& target,
                                                             std::stop_token stop) {
        format == Format::Svg   ? writeSvg(page, target)
        : format == Format::Pdf ? writePdf(page, target)
                                : writePng(page, target, stop);
    };
}

}  // namespace dailies::ui
