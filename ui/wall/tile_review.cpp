#include "ui/wall/tile_review.h"

#include "ui/theme/icons.h"
#include "ui/theme/theme.h"
#include "ui/wall/review_model.h"
#include "ui/wall/wall_scene.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>
#include <numbers>
#include <vector>

namespace dailies::ui {

namespace {

constexpr int kInset = 6, kHeight = 20, kStar = 12;
const QColor kGround(0, 0, 0, 165);

bool passes(const TileReview& review, ClipFilter filter) {
    switch (filter) {
        case ClipFilter::All:
            return true;
        case ClipFilter::Unseen:
            return review.unseen;
        case ClipFilter::Unrated:
            return !review.rating;
        case ClipFilter::ThreeStars:
            return review.rating.value_or(0) >= 3;
        case ClipFilter::FourStars:
            return review.rating.value_or(0) >= 4;
        case ClipFilter::NotRejected:
            return !review.rejected;
        case ClipFilter::WithNotes:
            return review.notes > 0;
    }
    return true;
}

QPainterPath starPath(const QPointF& centre, double radius) {
    QPainterPath path;
    for (int point = 0; point < 10; ++point) {
        const double angle = std::numbers::pi * (point / 5.0 - 0.5),
                     reach = point % 2 ? radius * 0.45 : radius;
        const QPointF place = centre + QPointF(reach * std::cos(angle), reach * std::sin(angle));
        point == 0 ? path.moveTo(place) : path.lineTo(place);
    }
    path.closeSubpath();
    return path;
}

void removeColumnsWithout(WallScene& scene, const std::vector<bool>& kept) {
    std::vector<WallScene::Column> columns;
    std::vector<WallScene::Tile> tiles;
    for (std::size_t column = 0; column < kept.size(); ++column)
        if (kept[column]) columns.push_back(std::move(scene.columns[column]));
    for (std::size_t i = 0; i < scene.tiles.size(); ++i)
        if (kept[i % kept.size()]) tiles.push_back(std::move(scene.tiles[i]));
    scene.columns = std::move(columns);
    scene.tiles = std::move(tiles);
}

}  // namespace

void addReviews(WallScene& scene, const ReviewModel& reviewModel, ClipFilter filter) {
    const std::size_t columns = scene.columns.size();
    std::vector<bool> kept(columns);
    bool any = false;
    for (std::size_t i = 0; i < scene.tiles.size(); ++i) {
        WallScene::Tile& tile = scene.tiles[i];
        if (tile.path.empty()) continue;
        const judging::ClipKey clip{tile.runId, tile.path};
        const judging::ClipReview& review = reviewModel.review(clip);
        tile.review = {review.rating(), review.isRejected(), static_cast<int>(review.notes.size()),
                       !reviewModel.isSeen(clip)};
        scene.hasNotes |= tile.review.notes > 0;
        tile.review.filteredOut = !passes(tile.review, filter);
        if (tile.review.filteredOut) continue;
        kept[i % columns] = true;
        any = true;
    }
    if (filter != ClipFilter::All && any) removeColumnsWithout(scene, kept);
}

void paintReview(QPainter& painter, const QRect& rect, const TileReview& review) {
    const Palette& dark = palette(ThemeMode::Dark);  // its ground is black in any theme
    if (review.filteredOut || review.rejected) {
        painter.setPen(Qt::NoPen);
        QColor veil = colors().window;
        veil.setAlpha(review.filteredOut ? 190 : 120);
        painter.fillRect(rect, veil);
    }
    painter.setPen(Qt::NoPen);
    int left = rect.left() + kInset;
    const auto pill = [&](int width) {
        const QRect place(left, rect.bottom() - 2 * (kInset + kHeight) + 4, width, kHeight);
        painter.setPen(Qt::NoPen);
        painter.setBrush(kGround);
        painter.drawRoundedRect(place, 4, 4);
        left = place.right() + 1 + space::k4;
        return place;
    };
    if (review.rejected) {
        const QRect place = pill(kHeight);
        icon(QStringLiteral("close"), dark.danger).paint(&painter, place.adjusted(4, 4, -4, -4));
    } else if (review.rating) {
        const bool narrow = rect.width() < 120;
        const int stars = narrow ? 1 : static_cast<int>(std::lround(*review.rating));
        const QString number = narrow ? QString::number(*review.rating, 'g', 2) : QString();
        painter.setFont(Theme::font(TextStyle::Caption));
        const int textWidth =
            number.isEmpty() ? 0 : painter.fontMetrics().horizontalAdvance(number) + space::k4;
        const QRect place = pill(stars * kStar + 2 * kInset - 4 + textWidth);
        painter.setBrush(dark.warning);
        for (int star = 0; star < stars; ++star)
            painter.drawPath(
                starPath(QPointF(place.left() + kInset + 4 + star * kStar, place.center().y() + 1), 5));
        painter.setPen(dark.text);
        painter.drawText(place.adjusted(0, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter, number);
    }
    if (review.notes > 0) {
        painter.setFont(Theme::font(TextStyle::Caption));
        const QString count = QString::number(review.notes);
        const QRect place = pill(kHeight + painter.fontMetrics().horizontalAdvance(count) + space::k4);
        icon(QStringLiteral("note"), dark.text)
            .paint(&painter, QRect(place.left() + 4, place.top() + 4, 12, 12));
        painter.setPen(dark.text);
        painter.drawText(place.adjusted(0, 0, -kInset, 0), Qt::AlignRight | Qt::AlignVCenter, count);
    }
    if (review.unseen) {
        painter.setPen(QPen(QColor(0, 0, 0, 165), 2));
        painter.setBrush(dark.accent);
        painter.drawEllipse(QPointF(rect.right() - 10, rect.top() + 11), 5, 5);
    }
}

}  // namespace dailies::ui
