#include "ui/review/wall_scene.h"

#include "ui/runs/run_text.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/widgets.h"

#include <cmath>

namespace dailies::ui {

namespace {

QString percent(double adherence) {
    return QStringLiteral("%1 %").arg(static_cast<int>(std::lround(100 * adherence)));
}

QString missingNote(const tracking::Run& run) {
    if (run.status == tracking::RunStatus::Scheduled) return QStringLiteral("Waiting in the queue");
    if (run.status == tracking::RunStatus::Running) return QStringLiteral("No clip yet");
    return QStringLiteral("No clip was made");
}

WallScene::Column makeColumn(const ReviewData& data, const tracking::Run& run, const std::string& metric) {
    WallScene::Column column;
    column.runId = run.id;
    column.name = inert(run.name.empty() ? run.id.substr(0, 8) : run.name);
    column.color = runColor(run.id);
    column.status = statusText(run);
    column.statusIcon = statusIcon(run);
    column.statusColor = statusColor(run);
    if (const auto value = run.metrics.find(metric); value != run.metrics.end())
        // the value first: a narrow column cuts the end, and the name is the same in all columns
        column.metric = metricText(value->second.value) + QLatin1Char(' ') + inert(metric);
    QStringList details{column.name + QStringLiteral(" — ") + column.status};
    if (const QString reason = reasonText(run); !reason.isEmpty()) details << reason;
    if (const std::string params = data.differingParams(run); !params.empty()) details << inert(params);
    column.details = details.join(QLatin1Char('\n'));
    return column;
}

WallScene::Tile makeTile(const ReviewData& data, const tracking::Run& run, const ReviewRow& row,
                         std::int64_t step) {
    WallScene::Tile tile;
    const tracking::ClipRecord* clip = data.clip(run.id, row, step);
    if (!clip) {
        tile.note = missingNote(run);
        return tile;
    }
    tile.file = clip->localPath;
    tile.frames = std::max(clip->frames, 1);
    tile.fps = clip->fps;
    tile.step = clip->step;
    tile.earlier = clip->step != step;
    tile.adherence = clip->adherence;
    if (tile.file.empty()) tile.note = QStringLiteral("Still on the cluster");
    return tile;
}

}  // namespace

QString WallScene::describe(int column, int row) const {
    const Tile& shown = tile(column, row);
    QStringList parts{columns[static_cast<std::size_t>(column)].name,
                      inert(rows[static_cast<std::size_t>(row)].prompt)};
    if (shown.step >= 0) parts << QStringLiteral("step %1").arg(shown.step);
    if (shown.earlier) parts << QStringLiteral("an earlier step than the wall's");
    if (shown.adherence) parts << QStringLiteral("adherence %1").arg(percent(*shown.adherence));
    if (!shown.note.isEmpty()) parts << shown.note;
    return parts.join(QStringLiteral(", "));
}

WallScene makeScene(const ReviewData& data, std::int64_t step, const std::string& metric) {
    WallScene scene;
    scene.rows = data.rows;
    for (const ReviewRow& row : data.rows) scene.severalSeeds |= row.seed != data.rows.front().seed;

    const std::string ranking = metric.empty() ? data.sweepMetric : metric;
    const std::vector<int> order = data.order(metric);
    for (const int i : order)
        scene.columns.push_back(makeColumn(data, data.runs[static_cast<std::size_t>(i)], ranking));
    if (!ranking.empty() && order.size() > 1) {
        const std::string& best = data.runs[static_cast<std::size_t>(data.order(ranking).front())].id;
        for (WallScene::Column& column : scene.columns)
            column.best = column.runId == best && !column.metric.isEmpty();
    }

    bool sized = false;
    for (const ReviewRow& row : data.rows) {
        for (const int i : order) {
            const tracking::Run& run = data.runs[static_cast<std::size_t>(i)];
            scene.tiles.push_back(makeTile(data, run, row, step));
            const tracking::ClipRecord* clip = data.clip(run.id, row, step);
            if (clip && !sized && clip->width > 0 && clip->height > 0) {
                scene.aspect = static_cast<double>(clip->width) / clip->height;
                sized = true;
            }
        }
    }
    return scene;
}

}  // namespace dailies::ui
