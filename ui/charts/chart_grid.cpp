#include "ui/charts/chart_grid.h"

#include "ui/theme/icons.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QMenu>
#include <QScrollArea>
#include <QSlider>
#include <QToolButton>

#include <algorithm>
#include <set>

namespace dailies::ui {

namespace {

constexpr int kChartWidth = 320;  ///< the least at which axis labels and curves can be read
constexpr int kChartHeight = 216;
constexpr int kSmoothingSteps = 99;

}  // namespace

ChartGrid::ChartGrid(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_cache(std::move(storeFile)),
      m_caption(makeLabel({}, TextStyle::Body, TextTone::Muted)),
      m_smoothingValue(makeLabel(QStringLiteral("0.00"), TextStyle::Mono, TextTone::Muted)),
      m_smoothing(new QSlider(Qt::Horizontal)),
      m_logarithmic(new QToolButton),
      m_metricsButton(new QToolButton),
      m_metricsMenu(new QMenu(this)),
      m_scroll(new QScrollArea),
      m_empty(makeLabel(QStringLiteral("Curves appear here with the first logged step."), TextStyle::Body,
                        TextTone::Faint)),
      m_grid(new QGridLayout) {
    auto* bar = makeRow(space::k8, {space::k16, space::k8, space::k16, space::k8});
    bar->addWidget(makeLabel(QStringLiteral("Charts"), TextStyle::Strong));
    bar->addWidget(m_caption);
    bar->addStretch();
    auto* smoothingLabel = makeLabel(QStringLiteral("Smoothing"), TextStyle::Body, TextTone::Muted);
    smoothingLabel->setBuddy(m_smoothing);
    bar->addWidget(smoothingLabel);
    m_smoothing->setRange(0, kSmoothingSteps);
    m_smoothing->setFixedWidth(120);
    m_smoothing->setAccessibleName(QStringLiteral("Smoothing"));
    m_smoothing->setToolTip(
        QStringLiteral("Weight of the exponential moving average; the raw values stay behind it"));
    bar->addWidget(m_smoothing);
    m_smoothingValue->setFixedWidth(36);
    bar->addWidget(m_smoothingValue);
    m_logarithmic->setText(QStringLiteral("Log y"));
    m_logarithmic->setCheckable(true);
    m_logarithmic->setToolTip(QStringLiteral("Logarithmic value axis"));
    m_logarithmic->setFixedHeight(kControlHeight);
    bar->addWidget(m_logarithmic);
    m_metricsButton->setText(QStringLiteral("Metrics"));
    m_metricsButton->setIcon(icon(QStringLiteral("chart")));
    m_metricsButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_metricsButton->setPopupMode(QToolButton::InstantPopup);
    m_metricsButton->setMenu(m_metricsMenu);
    m_metricsButton->setFixedHeight(kControlHeight);
    bar->addWidget(m_metricsButton);

    auto* content = new QWidget;
    content->setProperty("clear", true);
    content->setObjectName(QStringLiteral("page"));
    m_grid->setSpacing(space::k12);
    m_grid->setContentsMargins(space::k16, 0, space::k16, space::k16);
    content->setLayout(m_grid);
    m_scroll->setWidget(content);
    m_scroll->setWidgetResizable(true);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);

    auto* column = makeColumn(0);
    column->addLayout(bar);
    column->addWidget(m_scroll, 1);
    column->addWidget(m_empty, 1, Qt::AlignCenter);
    setLayout(column);

    connect(m_smoothing, &QSlider::valueChanged, this, [this](int value) {
        m_smoothingValue->setText(QString::number(value / 100.0, 'f', 2));
        for (auto* chart : m_charts) {
            chart->setSmoothing(value / 100.0);
        }
    });
    connect(m_logarithmic, &QToolButton::toggled, this, [this](bool on) {
        for (auto* chart : m_charts) {
            chart->setLogarithmic(on);
        }
    });
    connect(&m_cache, &SeriesCache::changed, this, &ChartGrid::refreshCurves);
    connect(&m_cache, &SeriesCache::failed, this, &ChartGrid::failed);
    connect(&Theme::instance(), &Theme::changed, this, &ChartGrid::refreshCurves);
}

void ChartGrid::setRuns(const ChartedRuns& runs, const QString& caption) {
    std::set<std::string> keys;
    for (const auto& [run, group, emphasised] : runs) {
        for (const auto& [key, latest] : run->metrics) {
            keys.insert(key);
        }
    }
    std::vector<std::string> metricKeys(keys.begin(), keys.end());
    m_runs = runs;
    m_caption->setText(caption);
    if (metricKeys != m_metricKeys) {
        m_metricKeys = metricKeys;
        rebuildMenu();
        showMetrics();
    }
    requestSeries();
    refreshCurves();
}

void ChartGrid::setExperiment(const std::string&) {}
void ChartGrid::setStepCursor(std::optional<double>) {}
void ChartGrid::setHovered(const std::string&) {}

void ChartGrid::runsChanged(const std::vector<std::string>& runIds) {
    if (runIds.empty()) {
        m_cache.invalidateAll();
    } else {
        m_cache.invalidate(runIds);
    }
    requestSeries();
}

bool ChartGrid::settled() const {
    return m_cache.settled() &&
           std::all_of(m_charts.begin(), m_charts.end(), [](auto* c) { return c->settled(); });
}

void ChartGrid::requestSeries() {
    std::vector<std::string> ids;
    for (const auto& charted : m_runs) {
        ids.push_back(charted.run->id);
    }
    m_cache.request(ids, shownMetrics());
}

std::vector<std::string> ChartGrid::shownMetrics() const {
    std::vector<std::string> keys;
    for (const auto& key : m_metricKeys) {
        if (std::find(m_hidden.begin(), m_hidden.end(), key) == m_hidden.end()) {
            keys.push_back(key);
        }
    }
    return keys;
}

void ChartGrid::rebuildMenu() {
    m_metricsMenu->clear();
    for (const auto& key : m_metricKeys) {
        auto* action = m_metricsMenu->addAction(inert(key));
        action->setCheckable(true);
        action->setChecked(std::find(m_hidden.begin(), m_hidden.end(), key) == m_hidden.end());
        connect(action, &QAction::toggled, this, [this, key](bool on) {
            std::erase(m_hidden, key);
            if (!on) {
                m_hidden.push_back(key);
            }
            showMetrics();
            requestSeries();
            refreshCurves();
        });
    }
}

void ChartGrid::showMetrics() {
    const auto keys = shownMetrics();
    std::vector<MetricChart*> charts;
    for (const auto& key : keys) {
        const auto old =
            std::find_if(m_charts.begin(), m_charts.end(), [&](auto* c) { return c && c->metric() == key; });
        if (old != m_charts.end()) {
            charts.push_back(*old);
            *old = nullptr;
            continue;
        }
        auto* chart = new MetricChart(key);
        chart->setMinimumSize(kChartWidth, kChartHeight);
        chart->setSmoothing(m_smoothing->value() / 100.0);
        chart->setLogarithmic(m_logarithmic->isChecked());
        connect(chart, &MetricChart::crosshairMoved, this, [this, chart](std::optional<double> step) {
            for (auto* other : m_charts) {
                if (other != chart) {
                    other->setCrosshair(step);
                }
            }
        });
        charts.push_back(chart);
    }
    for (auto* gone : m_charts) {
        delete gone;
    }
    m_charts = std::move(charts);
    m_columns = 0;
    arrange();
    m_scroll->setVisible(!m_charts.empty());
    m_empty->setVisible(m_charts.empty());
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    arrange();
}

void ChartGrid::arrange() {
    const int available = width() - 2 * space::k16;
    const int fitting = std::max(1, (available + space::k12) / (kChartWidth + space::k12));
    const int columns = std::max(1, std::min(fitting, static_cast<int>(m_charts.size())));
    if (columns == m_columns) {
        return;
    }
    m_columns = columns;
    for (std::size_t i = 0; i < m_charts.size(); ++i) {
        const int at = static_cast<int>(i);
        m_grid->addWidget(m_charts[i], at / columns, at % columns);
    }
    for (int column = 0; column < std::max(columns, m_grid->columnCount()); ++column) {
        m_grid->setColumnStretch(column, column < columns ? 1 : 0);
    }
}

void ChartGrid::refreshCurves() {
    for (auto* chart : m_charts) {
        std::vector<Curve> curves;
        for (const auto& [run, group, emphasised] : m_runs) {
            if (auto series = m_cache.get(run->id, chart->metric()); series && !series->empty()) {
                curves.push_back({run->id, inert(run->name), runColor(run->id), std::move(series), emphasised});
            }
        }
        chart->setCurves(std::move(curves));
    }
}

}  // namespace dailies::ui
