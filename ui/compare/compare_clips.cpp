#include "ui/compare/compare_clips.h"

#include "ui/playback/transport_bar.h"
#include "ui/theme/run_colors.h"
#include "ui/wall/wall_view.h"
#include "ui/widgets/widgets.h"

#include <QBoxLayout>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

constexpr int kWallHeight = 440;       ///< tiles are as large as fits into it
constexpr int kHighestWall = 4 * 440;  ///< of many prompts; beyond, the wall scrolls by itself

}  // namespace

CompareClips::CompareClips(std::filesystem::path storeFile, QWidget* parent)
    : QWidget(parent),
      m_wall(new WallView(m_player)),
      m_transport(new TransportBar(m_player.playhead())),
      m_note(makeLabel({}, TextStyle::Body, TextTone::Muted)) {
    m_request.storeFile = std::move(storeFile);
    m_wall->setFixedHeight(kWallHeight);
    m_note->setContentsMargins(space::k16, space::k8, space::k16, space::k16);
    auto* column = makeColumn(0);
    column->addWidget(m_wall);
    column->addWidget(makeLine());
    column->addWidget(m_transport);
    column->addWidget(m_note);
    setLayout(column);
    m_wall->hide();
    m_transport->hide();
    connect(m_transport, &TransportBar::stepChosen, this, &CompareClips::showStep);
    onThemeChange(this, [this] { refreshScene(); });
}

void CompareClips::setRuns(const std::vector<std::string>& runIds) {
    m_request.runIds = runIds;
    load();
}

void CompareClips::load() {
    m_task.cancel();
    m_loading = !m_request.runIds.empty();
    if (!m_loading) return;
    m_task = runAsync(
        this, [request = m_request](const std::stop_token& stop) { return loadReview(request, stop); },
        [this](ReviewData found) { showLoaded(std::move(found)); },
        [this](const Error& error) {
            m_loading = false;
            emit failed(error);
        });
}

void CompareClips::showLoaded(ReviewData found) {
    m_loading = false;
    m_data = std::move(found);
    RunColors::instance().assign(m_data.colors);
    if (m_followNewest && !m_data.steps.empty()) m_step = m_data.steps.back();
    m_wall->setVisible(hasClips());
    m_transport->setVisible(hasClips());
    m_note->setVisible(!hasClips());
    m_note->setText(tr("None of these runs has sampled clips yet (sampling.every steps)."));
    m_transport->setSteps(m_data.steps, stepIndex());
    refreshScene();
    emit loaded();
    if (hasClips()) emit stepChanged(static_cast<double>(m_step));
}

void CompareClips::refreshScene() {
    m_wall->setScene(makeScene(m_data, m_step, {}));
    fitWall();
}

/// As high as its tiles: a wall that scrolls within a sheet that scrolls is a trap for the wheel.
void CompareClips::fitWall() {
    const QSize room(width(), kWallHeight);
    const WallLayout fitting = m_wall->layoutFor(room, 0);
    const int tileWidth = fitting.tiles.empty() ? 0 : fitting.tiles.front().rect.width();
    m_wall->setTileWidth(tileWidth);  // which in the height that follows would be another one
    m_wall->setFixedHeight(
        std::clamp(m_wall->layoutFor(room, tileWidth).size.height(), kWallHeight, kHighestWall));
}

void CompareClips::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fitWall();
}

int CompareClips::stepIndex() const {
    return m_data.stepIndex(m_step);
}

void CompareClips::stepBy(int steps) {
    showStep(stepIndex() + steps);
}

void CompareClips::showStep(int index) {
    if (m_data.steps.empty()) return;
    const int last = static_cast<int>(m_data.steps.size()) - 1;
    const int chosen = std::clamp(index, 0, last);
    m_followNewest = chosen == last;
    m_step = m_data.steps[static_cast<std::size_t>(chosen)];
    m_transport->setSteps(m_data.steps, chosen);
    refreshScene();
    emit stepChanged(static_cast<double>(m_step));
}

void CompareClips::showNearest(double step, const std::string& runId) {
    const auto nearest = m_data.nearestStepIndex(step);
    if (!nearest) return;
    showStep(*nearest);
    for (std::size_t column = 0; column < m_data.runs.size(); ++column)
        if (m_data.runs[column].id == runId) m_wall->select(static_cast<int>(column), m_wall->selectedRow());
}

bool CompareClips::isSettled() const {
    return !m_loading && (!hasClips() || !isVisible() || const_cast<ClipPlayer&>(m_player).isComplete());
}

void CompareClips::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    m_player.playhead().pause();
}

}  // namespace dailies::ui
