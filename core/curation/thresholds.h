#pragma once

#include "core/curation/verdict.h"

#include <array>
#include <cstddef>
#include <span>
#include <variant>

namespace dailies::curation {

/// The numbers of a clip that thresholds are set on: lengths, the crop box's shorter side, and `ClipScores`.
enum class Measure { Seconds, Frames, Side, Motion, Frozen, Black, White, Luma, Contrast, Sharpness };
inline constexpr std::size_t kMeasures = 10;

double valueOf(const ClipRecord& clip, Measure measure);

/// A rule that compares one number of a clip with a limit.
struct Threshold {
    enum class Side { Least, Most };  ///< what the limit is of the numbers that are kept

    Measure measure;
    Side side;
    std::variant<double VerdictRules::*, int VerdictRules::*> limit;
    Reason reason;         ///< why a clip is dropped that is beyond the limit
    double tolerance = 0;  ///< by which a number may be below the limit, for rounding

    bool drops(double value, double limitNow) const {
        return side == Side::Least ? value < limitNow - tolerance : limitNow > 0 && value > limitNow;
    }
};

/// All of them, in the order of their reasons. Verdicts of one clip and of all are made from this table.
std::span<const Threshold> thresholds();

double limitOf(const VerdictRules& rules, const Threshold& threshold);
void setLimit(VerdictRules& rules, const Threshold& threshold, double limit);  ///< rounded where it is whole

}  // namespace dailies::curation
