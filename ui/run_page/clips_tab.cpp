#include "ui/run_page/clips_tab.h"

#include "ui/playback/transport_bar.h"
#include "ui/theme/run_colors.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>
#include <QStackedWidget>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

/// The wall of one run: a column a step instead of a column a run.
WallScene makeStepsScene(const ReviewData& data) {
    if (data.runs.empty()) return {};
    WallArrangement steps;
    steps.columns = {WallAxis::Step};
    steps.runId = data.runs.front().id;
    WallScene scene = makeScene(data, steps);
    for (WallScene::Column& column : scene.columns) column.color = runColor(steps.runId);
    return scene;
}

}  // namespace

ClipsTab::ClipsTab(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedWidget),
      m_wall(new WallView(m_player)),
      m_transport(new TransportBar(m_player.playhead())),
      m_empty(new EmptyState(QStringLiteral("review"), tr("No clips yet"),
                             tr("They appear here as soon as the run has sampled some (sampling.every steps) "
                                "and they have been copied from the cluster."))) {
    m_request.storeFile = std::move(storeFile);
    auto* room = new QWidget;
    auto* roomColumn = makeColumn(0);
    roomColumn->addWidget(m_wall, 1);
    roomColumn->addWidget(makeLine());
    roomColumn->addWidget(m_transport);
    room->setLayout(roomColumn);
    m_stack->addWidget(room);
    m_stack->addWidget(m_empty);
    auto* column = makeColumn(0);
    column->addWidget(m_stack);
    setLayout(column);
    connect(m_transport, &TransportBar::stepChosen, this, [this](int index) {
        m_wall->select(index, m_wall->selectedRow());
        emit stepChosen(static_cast<double>(m_data.steps[static_cast<std::size_t>(index)]));
    });
    onThemeChange(this, [this] { refreshScene(); });
}

void ClipsTab::setRun(const std::string& runId) {
    if (m_request.runIds == std::vector{runId}) return reload();
    m_request.runIds = {runId};
    m_data = {};
    refreshScene();
    reload();
}

void ClipsTab::reload() {
    if (m_request.runIds.empty()) return;
    m_task.cancel();
    m_loading = true;
    m_task = runAsync(
        this, [request = m_request](const std::stop_token& stop) { return loadReview(request, stop); },
        [this](ReviewData found) { showLoaded(std::move(found)); },
        [this](const Error& error) {
            m_loading = false;
            emit failed(error);
        });
}

void ClipsTab::showLoaded(ReviewData found) {
    m_loading = false;
    const bool atEnd = m_wall->selectedColumn() + 1 >= static_cast<int>(m_data.steps.size());
    m_data = std::move(found);
    RunColors::instance().assign(m_data.colors);
    refreshScene();
    const int last = static_cast<int>(m_data.steps.size()) - 1;
    const int column = atEnd ? std::max(last, 0) : m_wall->selectedColumn();
    m_wall->select(column, m_wall->selectedRow());
    m_transport->setSteps(m_data.steps, std::min(column, last));
    m_stack->setCurrentIndex(m_data.rows.empty() ? 1 : 0);
}

void ClipsTab::refreshScene() {
    m_wall->setScene(makeStepsScene(m_data));
}

void ClipsTab::showNearest(double step) {
    const auto nearest = m_data.nearestStepIndex(step);
    if (!nearest) return;
    m_wall->select(*nearest, m_wall->selectedRow());
    m_transport->setSteps(m_data.steps, *nearest);
}

bool ClipsTab::isSettled() const {
    return !m_loading &&
           (m_data.rows.empty() || !isVisible() || const_cast<ClipPlayer&>(m_player).isComplete());
}

void ClipsTab::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_player.playhead().pause();
}

}  // namespace dailies::ui
