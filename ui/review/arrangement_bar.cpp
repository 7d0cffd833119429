#include "ui/review/arrangement_bar.h"

#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QComboBox>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kLongestHeld = 160;  ///< pixels; a prompt can be a paragraph

QString textOf(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

ArrangementBar::ArrangementBar(QWidget* parent) : QWidget(parent) {
    setLayout(makeRow(space::k8));
    m_columns = addChoice(tr("Columns"), tr("Columns of the wall"));
    m_rows = addChoice(tr("Rows"), tr("Rows of the wall"));
    m_order = addChoice(tr("Order"), tr("Order of the columns"));
    m_run = addChoice(tr("Run"), tr("Run that is shown"));
    m_prompt = addChoice(tr("Prompt"), tr("Prompt that is shown"));
    m_seed = addChoice(tr("Seed"), tr("Seed that is shown"));
    connect(m_columns, &QComboBox::activated, this, [this] { chooseAxis(true); });
    connect(m_rows, &QComboBox::activated, this, [this] { chooseAxis(false); });
    connect(m_order, &QComboBox::activated, this, [this] {
        m_arrangement.metric = m_order->currentData().toString().toStdString();
        emit changed();
    });
    connect(m_run, &QComboBox::activated, this, [this] {
        m_arrangement.runId = m_run->currentData().toString().toStdString();
        emit changed();
    });
    connect(m_prompt, &QComboBox::activated, this, [this] {
        m_arrangement.prompt = m_prompt->currentData().toString().toStdString();
        emit changed();
    });
    connect(m_seed, &QComboBox::activated, this, [this] {
        m_arrangement.seed = m_seed->currentData().toLongLong();
        emit changed();
    });
}

QComboBox* ArrangementBar::addChoice(const QString& caption, const QString& name) {
    auto* row = static_cast<QBoxLayout*>(layout());
    auto* label = makeLabel(caption, TextStyle::Body, TextTone::Muted);
    auto* choice = new QComboBox;
    choice->setAccessibleName(name);
    choice->setToolTip(name);
    choice->setFocusPolicy(Qt::TabFocus);
    choice->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    label->setBuddy(choice);
    row->addWidget(label);
    row->addWidget(choice);
    return choice;
}

void ArrangementBar::show(QComboBox* choice, bool shown) {
    choice->setVisible(shown);
    for (QLabel* label : findChildren<QLabel*>())
        if (label->buddy() == choice) label->setVisible(shown);
}

// -- choices

void ArrangementBar::setData(const ReviewData& shown) {
    m_axes = axisChoices(shown);
    m_metrics = shown.metrics;
    m_runs = placesOf(shown, {WallAxis::Run}, {});
    m_prompts = placesOf(shown, {WallAxis::Prompt}, {});
    m_seeds = placesOf(shown, {WallAxis::Seed}, {});
    m_runNames.clear();
    for (const tracking::Run& run : shown.runs)
        m_runNames.push_back(inert(run.name.empty() ? run.id.substr(0, 8) : run.name));
    const auto exists = [&](const AxisChoice& axis) {
        return std::find(m_axes.begin(), m_axes.end(), axis) != m_axes.end();
    };
    if (!shown.runs.empty() && !(exists(m_arrangement.columns) && exists(m_arrangement.rows))) {
        m_arrangement.columns = {WallAxis::Run};
        m_arrangement.rows = {WallAxis::PromptAndSeed};
    }
    if (!shown.runs.empty() &&
        std::find(m_metrics.begin(), m_metrics.end(), m_arrangement.metric) == m_metrics.end())
        m_arrangement.metric.clear();
    refresh();
}

void ArrangementBar::refresh() {
    const auto fillAxis = [&](QComboBox* choice, const AxisChoice& chosen) {
        const QSignalBlocker blocker(choice);
        choice->clear();
        for (const AxisChoice& axis : m_axes) choice->addItem(axisName(axis));
        const auto found = std::find(m_axes.begin(), m_axes.end(), chosen);
        choice->setCurrentIndex(found == m_axes.end() ? -1 : static_cast<int>(found - m_axes.begin()));
    };
    fillAxis(m_columns, m_arrangement.columns);
    fillAxis(m_rows, m_arrangement.rows);

    const QSignalBlocker blocker(m_order);
    m_order->clear();
    m_order->addItem(tr("As launched"), QString());
    for (const std::string& metric : m_metrics)
        m_order->addItem(tr("Best %1").arg(inert(metric)), textOf(metric));
    m_order->setCurrentIndex(std::max(m_order->findData(textOf(m_arrangement.metric)), 0));
    refreshHeld();
}

bool ArrangementBar::isOnAnAxis(WallAxis a, WallAxis b) const {
    const auto is = [&](WallAxis axis) { return axis == a || axis == b; };
    return is(m_arrangement.columns.axis) || is(m_arrangement.rows.axis);
}

void ArrangementBar::refreshHeld() {
    const auto fill = [&](QComboBox* choice, const std::vector<AxisPlace>& places, bool onAnAxis,
                          const auto& textAt, const auto& isHeld) {
        const QSignalBlocker blocker(choice);
        choice->clear();
        int held = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            choice->addItem(textAt(i), textOf(places[i].id));
            if (isHeld(places[i])) held = static_cast<int>(i);
        }
        choice->setMaximumWidth(kLongestHeld);
        choice->setCurrentIndex(places.empty() ? -1 : held);
        show(choice, !onAnAxis && places.size() > 1);
    };
    fill(
        m_run, m_runs, isOnAnAxis(WallAxis::Run, WallAxis::Param),
        [&](std::size_t i) { return m_runNames[i]; },
        [&](const AxisPlace& place) { return place.id == m_arrangement.runId; });
    fill(
        m_prompt, m_prompts, isOnAnAxis(WallAxis::Prompt, WallAxis::PromptAndSeed),
        [&](std::size_t i) { return inert(m_prompts[i].id); },
        [&](const AxisPlace& place) { return place.prompt == m_arrangement.prompt; });
    fill(
        m_seed, m_seeds, isOnAnAxis(WallAxis::Seed, WallAxis::PromptAndSeed),
        [&](std::size_t i) { return textOf(m_seeds[i].id); },
        [&](const AxisPlace& place) { return place.seed == m_arrangement.seed; });
    show(m_order, isOnAnAxis(WallAxis::Run, WallAxis::Param));
    // What the box shows is what is held, also before anyone has chosen.
    if (m_run->isVisibleTo(this)) m_arrangement.runId = m_run->currentData().toString().toStdString();
    if (m_prompt->isVisibleTo(this)) m_arrangement.prompt = m_prompt->currentData().toString().toStdString();
    if (m_seed->isVisibleTo(this)) m_arrangement.seed = m_seed->currentData().toLongLong();
}

void ArrangementBar::hold(const std::string& runId, const ReviewRow& row) {
    m_arrangement.runId = runId;
    m_arrangement.prompt = row.prompt;
    m_arrangement.seed = row.seed;
}

void ArrangementBar::chooseAxis(bool columns) {
    const int index = (columns ? m_columns : m_rows)->currentIndex();
    if (index < 0) return;
    const AxisChoice chosen = m_axes[static_cast<std::size_t>(index)];
    const AxisChoice before = columns ? m_arrangement.columns : m_arrangement.rows;
    AxisChoice other = columns ? m_arrangement.rows : m_arrangement.columns;
    if (!canCross(chosen, other)) {
        // The two change places if they can, else the other one gives way to the first that fits.
        const auto fitting = canCross(chosen, before)
                                 ? std::find(m_axes.begin(), m_axes.end(), before)
                                 : std::find_if(m_axes.begin(), m_axes.end(), [&](const AxisChoice& axis) {
                                       return canCross(chosen, axis);
                                   });
        other = *fitting;
    }
    columns ? setAxes(chosen, other) : setAxes(other, chosen);
}

void ArrangementBar::setAxes(AxisChoice columns, AxisChoice rows) {
    if (columns == m_arrangement.columns && rows == m_arrangement.rows) return;
    if (columns != m_arrangement.columns) m_arrangement.pinned.clear();
    m_arrangement.columns = std::move(columns);
    m_arrangement.rows = std::move(rows);
    refresh();
    emit changed();
}

}  // namespace dailies::ui
