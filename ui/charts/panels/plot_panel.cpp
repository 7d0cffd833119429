#include "ui/charts/panels/plot_panel.h"

#include "ui/theme/theme.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QLabel>
#include <QStackedLayout>

#include <algorithm>

namespace dailies::ui {

namespace {
constexpr int kLongestRestMs = 15'000;
}

PlotPanel::PlotPanel(QWidget* parent)
    : ChartPanel(parent),
      m_header(makeRow(space::k4)),
      m_summary(new ElidedLabel(TextStyle::Caption, TextTone::Faint)),
      m_body(new QStackedLayout),
      m_message(new QWidget),
      m_messageTitle(makeLabel({}, TextStyle::Strong, TextTone::Muted)),
      m_messageText(makeLabel({}, TextStyle::Body, TextTone::Faint)) {
    auto* column = makeColumn(space::k4, {space::k8, 0, space::k8, space::k4});
    auto* top = makeRow(space::k4);
    m_summary->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    m_summary->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);  // what the choosers leave
    top->addLayout(m_header);
    top->addWidget(m_summary, 1);
    column->addLayout(top);

    auto* message = makeColumn(space::k4, {space::k16, space::k16, space::k16, space::k16});
    for (auto* label : {m_messageTitle, m_messageText}) {
        label->setAlignment(Qt::AlignCenter);
        label->setWordWrap(true);
    }
    message->addStretch();
    message->addWidget(m_messageTitle);
    message->addWidget(m_messageText);
    message->addStretch();
    m_message->setLayout(message);
    m_body->addWidget(m_message);
    column->addLayout(m_body, 1);
    setLayout(column);
    showMessage(QStringLiteral("No runs yet"), QStringLiteral("Runs appear here as the table shows them."));

    m_schedule.setSingleShot(true);
    connect(&m_schedule, &QTimer::timeout, this, &PlotPanel::start);
}

void PlotPanel::setPlot(QWidget* plot) {
    m_plot = plot;
    m_body->addWidget(plot);
}

void PlotPanel::setSummary(const QString& text) {
    m_summary->setFullText(text);
}

void PlotPanel::showMessage(const QString& title, const QString& text) {
    m_messageTitle->setText(title);
    m_messageText->setText(text);
    m_message->setAccessibleName(title + QStringLiteral(". ") + text);
    setSummary({});
    m_body->setCurrentWidget(m_message);
}

void PlotPanel::setRuns(const ChartedRuns& charted) {
    if (m_runs && charted.size() == m_runs->size()) {
        const auto all = [&](auto same) {
            return std::equal(charted.begin(), charted.end(), m_runs->charted.begin(), same);
        };
        if (all([](const ChartedRun& a, const ChartedRun& b) { return a.run == b.run; })) {
            if (!all([](const ChartedRun& a, const ChartedRun& b) {
                    return a.emphasized == b.emphasized && a.group == b.group;
                })) {
                m_runs = std::make_shared<const PlotRuns>(charted);
                emphasisChanged();
            }
            return;
        }
    }
    // The rest is for runs that go on; other runs are a person's wish, and what is shown is of the wrong
    // ones.
    const bool others =
        !m_runs || charted.size() != m_runs->size() ||
        !std::equal(charted.begin(), charted.end(), m_runs->charted.begin(),
                    [](const ChartedRun& a, const ChartedRun& b) { return a.run->id == b.run->id; });
    m_runs = std::make_shared<const PlotRuns>(charted);
    if (others) {
        prepare();
    } else if (!m_schedule.isActive()) {
        const qint64 rest = m_clock.isValid() && m_runs->size() > 0 ? 9 * m_tookMs - m_clock.elapsed() : 0;
        m_schedule.start(static_cast<int>(std::clamp<qint64>(rest, 0, kLongestRestMs)));
    }
}

void PlotPanel::choose() {
    prepare();
    emit panelStateChanged();
}

void PlotPanel::prepare() {
    if (m_runs) {
        m_schedule.start(0);
    }
}

bool PlotPanel::isSettled() const {
    return !m_preparing && !m_schedule.isActive();
}

void PlotPanel::paintEvent(QPaintEvent* event) {
    ChartPanel::paintEvent(event);
    if (m_stale) {
        prepare();
    }
}

void PlotPanel::start() {
    m_stale = visibleRegion().isEmpty();
    if (m_stale) {
        return;
    }
    m_task.cancel();
    if (m_runs->size() == 0) {
        m_preparing = false;
        showMessage(QStringLiteral("No runs to show"),
                    QStringLiteral("Widen the filter, or launch a sweep: each run becomes a mark here."));
        return;
    }
    m_preparing = true;
    m_clock.start();
    m_task = runAsync(
        this, preparation(),
        [this](Apply apply) {
            m_preparing = false;
            m_tookMs = m_clock.restart();
            m_body->setCurrentWidget(m_plot);
            apply();
        },
        // What a preparation throws is about these runs, not a failure of the program: the panel says it.
        [this](const Error& error) {
            m_preparing = false;
            showMessage(QString::fromUtf8(error.what()), QString::fromStdString(error.remedy()));
        });
}

std::vector<analysis::Field> availableFields(const analysis::Fields& fields, bool times) {
    auto all = fields.params;
    all.insert(all.end(), fields.metrics.begin(), fields.metrics.end());
    if (times) {
        all.push_back({analysis::Field::Source::Start});
        all.push_back({analysis::Field::Source::Duration});
    }
    return all;
}

std::optional<analysis::Field> fieldFromJson(const QJsonObject& panelState, const QString& key) {
    const QJsonValue value = panelState.value(key);
    if (!value.isString()) {
        return std::nullopt;
    }
    return analysis::fieldFromText(value.toString().toStdString());
}

QJsonValue fieldToJson(const analysis::Field& field) {
    return QString::fromStdString(analysis::toText(field));
}

}  // namespace dailies::ui
