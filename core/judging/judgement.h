#pragma once

#include "core/base/json.h"
#include "core/judging/clip_key.h"
#include "core/judging/note.h"

#include <cstdint>
#include <set>
#include <string>
#include <variant>

namespace dailies::judging {

inline constexpr int kMaxStars = 5;

struct Stars {
    int count = 0;  ///< 1 … 5; 0 takes the author's rating away
};
struct Rejection {
    bool rejected = true;
};
struct Tags {
    std::set<std::string> tags;  ///< all that the author gives the clip; replaces the earlier ones
};
struct WrittenNote {
    Note note;  ///< new, or in the place of the one of the same id
};
struct RemovedNote {
    std::string id;
};
using ReviewAction = std::variant<Stars, Rejection, Tags, WrittenNote, RemovedNote>;

/// One act of judging: who said what of which clip, and when.
struct Judgement {
    ClipKey clip;
    std::string author;
    std::int64_t timeMs = 0;
    ReviewAction action;
};

/// Throws `InputError` for more than five stars, a note without text or drawing, or one that ends before it
/// begins. Text comes back harmless and trimmed.
Judgement validate(Judgement judgement);

Json toJson(const ReviewAction& action);
/// Throws `InputError` for what `toJson` does not write.
ReviewAction reviewActionFromJson(const Json& json);

}  // namespace dailies::judging
