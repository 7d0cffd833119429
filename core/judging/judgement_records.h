#pragma once

#include "core/judging/clip_review.h"
#include "core/tracking/store.h"

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace dailies::judging {

/// What MLflow sees of judgements, renewed in the transaction that stores one.
namespace mirror {
/// A metric of the run with a point at each step of which a clip was judged: the mean of the clips' ratings
/// (1 … 5 stars, 0 for a rejected clip). A sweep may name it as its metric.
inline constexpr const char* kRating = "review/rating";
inline constexpr const char* kRatingTag = "dailies.review.rating";      ///< "4.25 of 5 (4 clips)"
inline constexpr const char* kRejectedTag = "dailies.review.rejected";  ///< "2 of 6 clips"
inline constexpr const char* kTagsTag = "dailies.review.tags";          ///< "flicker, hands melt"
inline constexpr const char* kNotesTag =
    "dailies.review.notes";  ///< a line each: step, prompt, seed, frame, text
inline constexpr const char* kAuthorsTag = "dailies.review.authors";  ///< "ana, bo"
}  // namespace mirror

/// Stores a judgement of a clip of a run that is in the store; the number by which it can be taken back.
/// Throws `InputError` as `validate`, and as the store does.
std::int64_t record(tracking::Store& store, const Judgement& judgement);

/// Takes a judgement back as if it had never been made, or brings it back. It keeps its place among the
/// author's others: an earlier rating that it replaced counts again.
void setRetracted(tracking::Store& store, std::int64_t judgementId, bool retracted);

/// What was said about the clips of these runs. Clips that nobody judged are not in it.
Reviews readReviews(const tracking::Store& store, const std::vector<std::string>& runIds);

/// Every clip that anybody rated, rejected, tagged or noted something of and did not take back, and every one
/// that was compared with another in an arena.
std::set<ClipKey> judgedClips(const tracking::Store& store);

}  // namespace dailies::judging
