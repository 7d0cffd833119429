#pragma once

#include <optional>

class QPainter;
class QRect;

namespace dailies::ui {

struct WallScene;
class ReviewModel;

/// What a tile says of how its clip was judged.
struct TileReview {
    std::optional<double> rating;  ///< everybody's mean, 0 … 5 stars
    bool rejected = false;
    int notes = 0;
    bool unseen = false;
    bool filteredOut = false;  ///< by the filter: shown dimly
};

/// Which clips a person wants to see.
enum class ClipFilter { All, Unseen, Unrated, ThreeStars, FourStars, NotRejected, WithNotes };

/// Writes the book's reviews into the tiles. Runs without a clip that passes the filter lose their column,
/// clips that do not pass are marked as left out. A filter that nothing passes leaves the wall as it is, all
/// dim.
void addReviews(WallScene& scene, const ReviewModel& reviewModel, ClipFilter filter = ClipFilter::All);

/// How much of a tile's upper right corner the mark of a clip that was not seen yet takes.
inline constexpr int kUnseenMark = 14;

/// Stars, rejection and notes over a picture, above its HUD's lower line; "not seen yet" in its upper corner.
void paintReview(QPainter& painter, const QRect& rect, const TileReview& review);

}  // namespace dailies::ui
