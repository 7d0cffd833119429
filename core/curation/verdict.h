#pragma once

#include "core/base/json.h"
#include "core/curation/clip_record.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace dailies::curation {

/// Within which a scorer's number must lie. A clip without that number is beyond none.
struct ScoreLimits {
    std::optional<double> min = {}, max = {};
    bool contains(double value) const { return !(min && value < *min) && !(max && value > *max); }
    bool operator==(const ScoreLimits&) const = default;
};

/// What a clip must be to be kept. A threshold of 0 asks for nothing.
struct VerdictRules {
    double min_seconds = 2;    ///< cosmos-curator's
    int min_frames = 48;       ///< cosmos-curator's
    int min_side = 256;        ///< pixels of the crop box's shorter side
    double min_motion = 0.15;  ///< levels a frame; less is a still or a title
    double max_motion = 0;     ///< levels a frame; shaking cameras and strobes
    double max_frozen = 0.25;  ///< share of frames
    double max_black = 0.1;    ///< share of frames
    double max_white = 0.1;    ///< share of frames
    double min_luma = 8;       ///< mean level
    double max_luma = 245;     ///< mean level
    double min_contrast = 4;   ///< levels
    double min_sharpness = 5;  ///< squared levels; less is out of focus, or enlarged
    bool drop_duplicates = true;
    std::map<std::string, ScoreLimits> scores = {};  ///< by the keys of `ClipRecord::scorerValues`
    bool operator==(const VerdictRules&) const = default;
};

/// What a person decided of a clip, whatever the rules say.
enum class Correction : std::uint8_t { None, Keep, Drop };

/// Why a clip is dropped, in the order in which reasons are named. `ByHand` is none of the rules'. Those from
/// `kReasons` on are scorers' numbers, as a `ClipSet` counts them.
enum class Reason : std::uint8_t {
    Short,
    Small,
    Static,
    Restless,
    Frozen,
    Black,
    White,
    Dark,
    Bright,
    Flat,
    Blurred,
    Duplicate,
    ByHand
};
inline constexpr std::size_t kReasons = 13;

/// "short", …, "by hand", "score/aesthetic". `scoreKeys`: of the `ClipSet`.
std::string nameOf(Reason reason, std::span<const std::string> scoreKeys = {});

/// One bit a `Reason`; none: the clip is kept.
using ReasonSet = std::uint64_t;
inline constexpr std::size_t kMostScoreKeys = 64 - kReasons;
constexpr ReasonSet bitOf(Reason reason) {
    return ReasonSet{1} << static_cast<unsigned>(reason);
}
std::vector<std::string> namesOf(ReasonSet reasons, std::span<const std::string> scoreKeys = {});

/// A clip that is kept by hand has no reasons, one that is dropped by hand one more.
constexpr ReasonSet corrected(ReasonSet reasons, Correction correction) {
    return correction == Correction::Keep   ? ReasonSet{0}
           : correction == Correction::Drop ? reasons | bitOf(Reason::ByHand)
                                            : reasons;
}

struct Verdict {
    bool keep = true;
    std::vector<std::string> reasons;  ///< why not
    bool operator==(const Verdict&) const = default;
};

/// Follows from its arguments alone.
Verdict verdictOf(const ClipRecord& clip, const VerdictRules& rules,
                  Correction correction = Correction::None);

}  // namespace dailies::curation
