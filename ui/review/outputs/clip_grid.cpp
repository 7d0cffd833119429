#include "ui/review/outputs/clip_grid.h"

#include "core/base/error.h"
#include "core/video/clip_file.h"
#include "ui/widgets/widgets.h"

#include <QStringList>

#include <algorithm>
#include <cmath>

namespace dailies::ui {

namespace {

ClipGrid::Heading headingOf(const WallScene::Heading& heading) {
    const QString& ofRun = heading.metric.isEmpty() ? heading.status : heading.metric;
    return {heading.name, heading.runId.empty() ? heading.note : ofRun, heading.color, heading.best};
}

/// Rating and tags, then a note a line.
QString remarkOf(const judging::ClipReview& review) {
    QStringList said, lines;
    if (review.isRejected())
        said << QStringLiteral("rejected");
    else if (const auto rating = review.rating())
        said << QStringLiteral("★ %1").arg(*rating, 0, 'g', 2);
    for (const auto& tag : review.tags()) said << sanitized(tag);
    if (!said.isEmpty()) lines << said.join(QStringLiteral(" · "));
    for (const auto& note : review.notes) {
        const QString words = note.text.empty() ? QStringLiteral("drawing") : sanitized(note.text);
        lines << QStringLiteral("frame %1: %2 (%3)")
                     .arg(note.firstFrame + 1)
                     .arg(words, sanitized(note.author));
    }
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

std::size_t ClipGrid::present() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(clips, [](const Clip& clip) { return !clip.file.empty(); }));
}

ClipGrid clipGrid(const WallScene& scene, const QString& title, const judging::Reviews& reviews) {
    ClipGrid grid;
    grid.title = title;
    grid.aspect = scene.aspect;
    for (const auto& column : scene.columns) grid.columns.push_back(headingOf(column));
    for (const auto& row : scene.rows) grid.rows.push_back(headingOf(row));
    for (const auto& tile : scene.tiles) {
        const auto review = reviews.find({tile.runId, tile.path});
        grid.clips.push_back({tile.file, tile.frames, tile.fps, tile.step, tile.adherence, tile.note,
                              review == reviews.end() ? QString() : remarkOf(review->second)});
    }
    return grid;
}

int widestClip(const ClipGrid& grid) {
    int width = 0;
    for (const auto& clip : grid.clips) {
        if (clip.file.empty()) continue;
        try {
            width = std::max(width, video::ClipReader(clip.file).info().width);
        } catch (const Error&) {
            continue;  // its place will say why
        }
    }
    return width;
}

QString captionOf(const ClipGrid::Clip& clip) {
    QStringList parts;
    if (clip.step >= 0) parts << QStringLiteral("step %1").arg(clip.step);
    if (clip.adherence)
        parts << QStringLiteral("%1 %").arg(static_cast<int>(std::lround(100 * *clip.adherence)));
    return parts.join(QStringLiteral(" · "));
}

}  // namespace dailies::ui
