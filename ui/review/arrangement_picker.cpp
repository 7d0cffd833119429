#include "ui/review/arrangement_picker.h"

#include "ui/theme/icons.h"
#include "ui/widgets/widgets.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QSignalBlocker>

#include <algorithm>
#include <utility>

namespace dailies::ui {

namespace {

constexpr int kLongestText = 280;  ///< pixels of the button's text
constexpr int kChoiceWidth = 240;  ///< a prompt can be a paragraph

QString textOf(const std::string& text) {
    return QString::fromStdString(text);
}

}  // namespace

ArrangementPicker::ArrangementPicker(QWidget* parent)
    : QToolButton(parent), m_popup(new QFrame(this, Qt::Popup)) {
    setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    setIcon(ui::icon(QStringLiteral("grid")));
    setIconSize({16, 16});
    setFocusPolicy(Qt::TabFocus);
    setAccessibleName(tr("Arrangement of the wall"));
    m_popup->setProperty("card", true);
    m_popup->setAccessibleName(tr("Arrangement of the wall"));
    auto* grid = new QGridLayout;
    grid->setContentsMargins(space::k16, space::k16, space::k16, space::k16);
    grid->setHorizontalSpacing(space::k16);
    grid->setVerticalSpacing(space::k8);
    m_columns = addChoice(*grid, tr("Columns"), tr("Columns of the wall"));
    m_rows = addChoice(*grid, tr("Rows"), tr("Rows of the wall"));
    m_order = addChoice(*grid, tr("Order"), tr("Order of the columns"));
    m_run = addChoice(*grid, tr("Run"), tr("Run that is shown"));
    m_prompt = addChoice(*grid, tr("Prompt"), tr("Prompt that is shown"));
    m_seed = addChoice(*grid, tr("Seed"), tr("Seed that is shown"));
    m_popup->setLayout(grid);
    connect(this, &QToolButton::clicked, this, &ArrangementPicker::openChoices);
    connect(this, &ArrangementPicker::changed, this, &ArrangementPicker::showText);
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

QComboBox* ArrangementPicker::addChoice(QGridLayout& grid, const QString& caption, const QString& name) {
    auto* label = makeLabel(caption, TextStyle::Body, TextTone::Muted);
    auto* choice = new QComboBox;
    choice->setAccessibleName(name);
    choice->setToolTip(name);
    choice->setFixedWidth(kChoiceWidth);
    label->setBuddy(choice);
    const int row = grid.rowCount();
    grid.addWidget(label, row, 0);
    grid.addWidget(choice, row, 1);
    return choice;
}

void ArrangementPicker::offer(QComboBox* choice, bool offered) {
    choice->setVisible(offered);
    for (QLabel* label : m_popup->findChildren<QLabel*>())
        if (label->buddy() == choice) label->setVisible(offered);
}

void ArrangementPicker::openChoices() {
    m_popup->adjustSize();
    m_popup->move(mapToGlobal(QPoint(0, height() + space::k4)));
    m_popup->show();
    m_columns->setFocus();
}

void ArrangementPicker::showText() {
    QString text = axisName(m_arrangement.columns) + QStringLiteral(" × ") + axisName(m_arrangement.rows);
    for (const QComboBox* held : {m_run, m_prompt, m_seed})
        if (!held->isHidden()) text += QStringLiteral("  ·  ") + held->currentText();
    if (!m_order->isHidden() && !m_arrangement.metric.empty())
        text += QStringLiteral("  ·  ") + m_order->currentText();
    setToolTip(tr("What columns and rows are, and their order: %1").arg(text));
    setAccessibleDescription(text);
    setText(fontMetrics().elidedText(text, Qt::ElideRight, kLongestText));
}

// -- choices

void ArrangementPicker::setData(const ReviewData& shown) {
    m_axes = axisChoices(shown);
    m_metrics = shown.metrics;
    std::set<std::string> all;
    for (const tracking::Run& run : shown.runs) all.insert(run.id);
    m_runs = axisItems(shown, {WallAxis::Run}, {}, all);
    m_prompts = axisItems(shown, {WallAxis::Prompt}, {});
    m_seeds = axisItems(shown, {WallAxis::Seed}, {});
    m_runNames.clear();
    for (const AxisItem& place : m_runs) m_runNames.push_back(sanitized(shown.nameOf(*shown.run(place.id))));
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

void ArrangementPicker::refresh() {
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
        m_order->addItem(tr("Best %1").arg(sanitized(metric)), textOf(metric));
    m_order->setCurrentIndex(std::max(m_order->findData(textOf(m_arrangement.metric)), 0));
    refreshHeld();
}

bool ArrangementPicker::isOnAnAxis(WallAxis a, WallAxis b) const {
    const auto is = [&](WallAxis axis) { return axis == a || axis == b; };
    return is(m_arrangement.columns.axis) || is(m_arrangement.rows.axis);
}

void ArrangementPicker::refreshHeld() {
    const auto fill = [&](QComboBox* choice, const std::vector<AxisItem>& places, bool onAnAxis,
                          const auto& textAt, const auto& isHeld) {
        const QSignalBlocker blocker(choice);
        choice->clear();
        int held = 0;
        for (std::size_t i = 0; i < places.size(); ++i) {
            choice->addItem(textAt(i), textOf(places[i].id));
            if (isHeld(places[i])) held = static_cast<int>(i);
        }
        choice->setCurrentIndex(places.empty() ? -1 : held);
        offer(choice, !onAnAxis && places.size() > 1);
    };
    fill(
        m_run, m_runs, isOnAnAxis(WallAxis::Run, WallAxis::Param),
        [&](std::size_t i) { return m_runNames[i]; },
        [&](const AxisItem& place) { return place.id == m_arrangement.runId; });
    fill(
        m_prompt, m_prompts, isOnAnAxis(WallAxis::Prompt, WallAxis::PromptAndSeed),
        [&](std::size_t i) { return sanitized(m_prompts[i].id); },
        [&](const AxisItem& place) { return place.prompt == m_arrangement.prompt; });
    fill(
        m_seed, m_seeds, isOnAnAxis(WallAxis::Seed, WallAxis::PromptAndSeed),
        [&](std::size_t i) { return textOf(m_seeds[i].id); },
        [&](const AxisItem& place) { return place.seed == m_arrangement.seed; });
    offer(m_order, isOnAnAxis(WallAxis::Run, WallAxis::Param));
    // What the box shows is what is held, also before anyone has chosen.
    if (!m_run->isHidden()) m_arrangement.runId = m_run->currentData().toString().toStdString();
    if (!m_prompt->isHidden()) m_arrangement.prompt = m_prompt->currentData().toString().toStdString();
    if (!m_seed->isHidden()) m_arrangement.seed = m_seed->currentData().toLongLong();
    showText();
}

void ArrangementPicker::hold(const std::string& runId, const ReviewRow& row) {
    m_arrangement.runId = runId;
    m_arrangement.prompt = row.prompt;
    m_arrangement.seed = row.seed;
}

void ArrangementPicker::setExpanded(const std::string& runId, bool expanded) {
    expanded ? void(m_arrangement.expanded.insert(runId)) : void(m_arrangement.expanded.erase(runId));
    emit changed();
}

void ArrangementPicker::chooseAxis(bool columns) {
    const int index = (columns ? m_columns : m_rows)->currentIndex();
    if (index < 0) return;
    const AxisChoice chosen = m_axes[static_cast<std::size_t>(index)];
    const AxisChoice before = columns ? m_arrangement.columns : m_arrangement.rows;
    AxisChoice other = columns ? m_arrangement.rows : m_arrangement.columns;
    if (!canCombine(chosen, other)) {
        // The two change places if they can, else the other one gives way to the first that fits.
        const auto fitting = canCombine(chosen, before)
                                 ? std::find(m_axes.begin(), m_axes.end(), before)
                                 : std::find_if(m_axes.begin(), m_axes.end(), [&](const AxisChoice& axis) {
                                       return canCombine(chosen, axis);
                                   });
        other = *fitting;
    }
    columns ? setAxes(chosen, other) : setAxes(other, chosen);
}

void ArrangementPicker::setAxes(AxisChoice columns, AxisChoice rows) {
    if (columns == m_arrangement.columns && rows == m_arrangement.rows) return;
    if (columns != m_arrangement.columns) m_arrangement.pinned.clear();
    m_arrangement.columns = std::move(columns);
    m_arrangement.rows = std::move(rows);
    refresh();
    emit changed();
}

}  // namespace dailies::ui
