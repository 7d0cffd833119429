#include "ui/wall/wall_scene.h"

#include "core/tracking/run_tags.h"
#include "core/tracking/sampled_run.h"
#include "ui/theme/run_colors.h"
#include "ui/widgets/run_text.h"
#include "ui/widgets/widgets.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace dailies::ui {

namespace {

QString percent(double adherence) {
    return QStringLiteral("%1 %").arg(static_cast<int>(std::lround(100 * adherence)));
}

QString missingNote(const tracking::Run* run) {
    if (!run) return QStringLiteral("No run has these values");
    if (run->status == tracking::RunStatus::Scheduled) return QStringLiteral("Waiting in the queue");
    if (run->status == tracking::RunStatus::Running) return QStringLiteral("No clip yet");
    return QStringLiteral("Not sampled");
}

void describeRun(WallScene::Heading& heading, const ReviewData& data, const tracking::Run& run,
                 const std::string& metric) {
    heading.runId = run.id;
    heading.name = sanitized(data.nameOf(run));
    heading.color = runColor(run.id);
    heading.status = statusText(run);
    heading.statusIcon = statusIcon(run);
    heading.statusColor = statusColor(run);
    if (const auto value = run.metrics.find(metric); value != run.metrics.end())
        // the value first: a narrow column cuts the end, and the name is the same in all columns
        heading.metric = metricText(value->second.value) + QLatin1Char(' ') + sanitized(metric);
    QStringList details{heading.name + QStringLiteral(" — ") + heading.status};
    if (const QString reason = reasonText(run); !reason.isEmpty()) details << reason;
    if (const std::string params = data.differingParams(run); !params.empty()) details << sanitized(params);
    if (data.resamples.contains(run.id)) {
        // It stands beside its run, whose colour it has: there the difference is name enough.
        const std::string source = tracking::tagOf(run, tracking::tag::kSampledRun);
        heading.name = sanitized(data.resampleName(run));
        heading.color = runColor(source);
        if (const tracking::Run* sampled = data.run(source))
            heading.note = QStringLiteral("of ") + sanitized(data.nameOf(*sampled));
    }
    heading.details = details.join(QLatin1Char('\n'));
}

/// What lies under a run's own clips, and how to see it.
void describeStack(WallScene::Heading& heading, const ReviewData& data) {
    QStringList names;
    for (const tracking::Run* resample : data.resamplesOf(heading.runId))
        names << sanitized(data.resampleName(*resample));
    heading.resamples = static_cast<int>(names.size());
    if (names.isEmpty()) return;
    heading.details += QStringLiteral("\nStacked resamples: %1. S shows each in a column of its own.")
                           .arg(names.join(QStringLiteral("; ")));
}

/// Whether an input shows something of each frame of the clip, and not who or what is in it.
bool isDrawing(const std::string& name) {
    return name != "reference" && name != "image" && name != "last_image";
}

/// Makes headings and tiles of one scene.
class SceneMaker {
public:
    SceneMaker(const ReviewData& data, const WallArrangement& arrangement)
        : m_data(data),
          m_arrangement(arrangement),
          m_ranking(arrangement.metric.empty() ? data.sweepMetric : arrangement.metric) {
        for (const tracking::Run& run : data.runs)
            m_runs.emplace(run.id, RunTexts{&run, sanitized(data.resamples.contains(run.id)
                                                                ? data.resampleName(run)
                                                                : data.differingParams(run))});
        for (const ReviewRow& row : data.rows) m_severalSeeds |= row.seed != data.rows.front().seed;
        if (!m_ranking.empty() && data.runs.size() > 1) m_bestRun = leadingRun();
    }

    WallScene make() {
        WallScene scene;
        std::vector<AxisItem> columns = placesOf(m_arrangement.columns);
        const std::vector<AxisItem> rows = placesOf(m_arrangement.rows);
        std::stable_partition(columns.begin(), columns.end(),
                              [&](const AxisItem& place) { return isPinned(place); });
        for (const AxisItem& place : columns) {
            scene.columns.push_back(heading(place, m_arrangement.columns));
            scene.columns.back().pinned = isPinned(place);
        }
        for (const AxisItem& place : rows) scene.rows.push_back(heading(place, m_arrangement.rows));
        bool sized = false;
        for (const AxisItem& row : rows)
            for (const AxisItem& column : columns) {
                const CellClip crossed = resolveCell(m_data, m_arrangement, column, row);
                scene.tiles.push_back(tile(crossed));
                if (!sized && crossed.clip && crossed.clip->width > 0 && crossed.clip->height > 0) {
                    scene.aspect = static_cast<double>(crossed.clip->width) / crossed.clip->height;
                    sized = true;
                }
            }
        return scene;
    }

private:
    struct RunTexts {
        const tracking::Run* run;
        QString params;
    };

    std::vector<AxisItem> placesOf(const AxisChoice& axis) const {
        return axisItems(m_data, axis, m_arrangement.metric, m_arrangement.expanded);
    }

    /// The run that is better than all others; "" where several are equally good.
    std::string leadingRun() const {
        const auto order = m_data.order(m_ranking);
        const auto value = [&](std::size_t place) {
            const auto& metrics = m_data.runs[static_cast<std::size_t>(order[place])].metrics;
            const auto found = metrics.find(m_ranking);
            return found == metrics.end() ? std::nan("") : found->second.value;
        };
        const bool leads = !std::isnan(value(0)) && value(0) != value(1);
        return leads ? m_data.runs[static_cast<std::size_t>(order[0])].id : std::string();
    }

    bool isPinned(const AxisItem& place) const {
        return !m_arrangement.pinned.empty() && place.id == m_arrangement.pinned;
    }

    WallScene::Heading heading(const AxisItem& place, const AxisChoice& axis) const {
        WallScene::Heading heading;
        heading.id = place.id;
        switch (axis.axis) {
            case WallAxis::Run: {
                const auto run = m_runs.find(place.id);
                describeRun(heading, m_data, *run->second.run, m_ranking);
                heading.best = place.id == m_bestRun && !heading.metric.isEmpty();
                if (!m_arrangement.expanded.contains(place.id)) describeStack(heading, m_data);
                break;
            }
            case WallAxis::Step:
                heading.name = QStringLiteral("Step %1").arg(*place.step);
                break;
            case WallAxis::PromptAndSeed:
                heading.name = sanitized(*place.prompt);
                if (m_severalSeeds)
                    heading.note =
                        (m_data.showsBatches() ? QStringLiteral("place %1") : QStringLiteral("seed %1"))
                            .arg(*place.seed);
                break;
            case WallAxis::Prompt:
                heading.name = sanitized(*place.prompt);
                break;
            case WallAxis::Seed:
                heading.name = QStringLiteral("Seed %1").arg(*place.seed);
                break;
            case WallAxis::Param:
                heading.name = axisName(axis) + QStringLiteral(" = ") +
                               (place.value.empty() ? QStringLiteral("—") : sanitized(place.value));
                if (const auto runs = std::ranges::count_if(
                        place.runIds,
                        [this](const std::string& id) { return !m_data.resamples.contains(id); });
                    runs > 1)
                    heading.note = QStringLiteral("best of %1 runs").arg(runs);
                break;
        }
        if (heading.details.isEmpty()) heading.details = heading.name;
        return heading;
    }

    WallScene::Tile tile(const CellClip& crossed) const {
        WallScene::Tile tile;
        tile.prompt = crossed.row.prompt;
        tile.seed = crossed.row.seed;
        if (crossed.run) {
            tile.runId = crossed.run->id;
            tile.params = m_runs.find(tile.runId)->second.params;
        }
        const tracking::ClipRecord* clip = crossed.clip;
        if (!clip) {
            tile.note = missingNote(crossed.run);
            return tile;
        }
        tile.file = clip->localPath;
        tile.path = clip->path;
        tile.frames = std::max(clip->frames, 1);
        tile.fps = clip->fps;
        tile.step = clip->step;
        tile.earlier = crossed.earlier;
        tile.adherence = clip->adherence;
        tile.findings = m_data.findings(*clip);
        tile.curves = m_data.curves(*clip);
        for (const tracking::ClipInput& input : m_data.inputs(*clip))
            tile.inputs.push_back({sanitized(input.name), input.localPath, isDrawing(input.name)});
        std::ranges::stable_partition(tile.inputs, [](const auto& input) { return !input.isDrawing; });
        if (tile.file.empty()) tile.note = QStringLiteral("Still on the cluster");
        return tile;
    }

    const ReviewData& m_data;
    const WallArrangement& m_arrangement;
    const std::string m_ranking;
    std::map<std::string, RunTexts> m_runs;
    std::string m_bestRun;
    bool m_severalSeeds = false;
};

}  // namespace

QString WallScene::describe(int column, int row) const {
    const Tile& shown = tile(column, row);
    QStringList parts{columns[static_cast<std::size_t>(column)].name,
                      rows[static_cast<std::size_t>(row)].name};
    if (shown.step >= 0) parts << QStringLiteral("step %1").arg(shown.step);
    if (shown.earlier) parts << QStringLiteral("an earlier step than the wall's");
    if (shown.adherence) parts << QStringLiteral("adherence %1").arg(percent(*shown.adherence));
    if (shown.review.rejected) parts << QStringLiteral("rejected");
    if (shown.review.rating && !shown.review.rejected)
        parts << QStringLiteral("%1 of 5 stars").arg(*shown.review.rating, 0, 'g', 2);
    if (shown.review.notes > 0)
        parts << (shown.review.notes == 1 ? QStringLiteral("1 note")
                                          : QStringLiteral("%1 notes").arg(shown.review.notes));
    if (shown.review.unseen) parts << QStringLiteral("not seen yet");
    if (!shown.note.isEmpty()) parts << shown.note;
    for (const tracking::ClipFinding& finding : shown.findings) parts << sanitized(finding.text);
    return parts.join(QStringLiteral(", "));
}

QString WallScene::explain(int column, int row) const {
    const Tile& shown = tile(column, row);
    const Heading& heading = rows[static_cast<std::size_t>(row)];
    QStringList lines{columns[static_cast<std::size_t>(column)].name, heading.name};
    if (!heading.note.isEmpty()) lines.back() += QStringLiteral(", ") + heading.note;
    if (shown.step >= 0)
        lines << QStringLiteral("Step %1").arg(shown.step) +
                     (shown.earlier ? QStringLiteral(": the run has no later clip up to the wall's step")
                                    : QString());
    if (shown.adherence)
        lines << QStringLiteral("%1 adherence: how much of its prompt the clip shows")
                     .arg(percent(*shown.adherence));
    if (shown.review.rejected) lines << QStringLiteral("Rejected");
    if (shown.review.rating && !shown.review.rejected)
        lines << QStringLiteral("%1 of 5 stars").arg(*shown.review.rating, 0, 'g', 2);
    if (shown.review.notes > 0)
        lines << (shown.review.notes == 1 ? QStringLiteral("1 note")
                                          : QStringLiteral("%1 notes").arg(shown.review.notes));
    if (shown.review.unseen) lines << QStringLiteral("Blue dot: not seen yet");
    if (!shown.inputs.empty()) {
        QStringList names;
        for (const Input& input : shown.inputs) names << input.name;
        lines << QStringLiteral("Made from: ") + names.join(QStringLiteral(", "));
    }
    if (!shown.note.isEmpty()) lines << shown.note;
    for (const tracking::ClipFinding& finding : shown.findings) lines << sanitized(finding.text);
    return lines.join(QLatin1Char('\n'));
}

bool WallScene::hasInputs() const {
    return std::ranges::any_of(tiles, [](const Tile& tile) { return !tile.inputs.empty(); });
}

std::vector<FrameCurves> WallScene::frameCurves(int column, int row) const {
    std::vector<FrameCurves> found;
    if (tiles.empty()) return found;
    for (const tracking::ClipCurve& own : tile(column, row).curves) {
        FrameCurves& curves = found.emplace_back();
        curves.name = sanitized(own.name).replace(QLatin1Char('_'), QLatin1Char(' '));
        const auto add = [&](int from) {
            const auto& others = tile(from, row).curves;
            const auto same = std::ranges::find(others, own.name, &tracking::ClipCurve::name);
            if (same == others.end()) return;
            const Heading& heading = columns[static_cast<std::size_t>(from)];
            curves.curves.push_back({heading.name, heading.color, same->values});
        };
        for (int other = 0; other < static_cast<int>(columns.size()); ++other)
            if (other != column) add(other);
        add(column);
    }
    // what a model of characters is judged by comes first
    std::ranges::stable_partition(
        found, [](const FrameCurves& curves) { return curves.name.startsWith(QStringLiteral("pose")); });
    return found;
}

WallScene makeScene(const ReviewData& data, const WallArrangement& arrangement) {
    return SceneMaker(data, arrangement).make();
}

WallScene makeScene(const ReviewData& data, std::int64_t step, const std::string& metric) {
    WallArrangement usual;
    usual.step = step;
    usual.metric = metric;
    return makeScene(data, usual);
}

}  // namespace dailies::ui
