#pragma once

#include "core/curation/verdict.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <variant>

namespace dailies::curation {

/// The numbers of a clip that thresholds are set on: lengths, the crop box's shorter side, and `ClipScores`.
/// Those from `kMeasures` on are scorers' numbers, as a `ClipSet` counts them.
enum class Measure { Seconds, Frames, Side, Motion, Frozen, Black, White, Luma, Contrast, Sharpness };
inline constexpr std::size_t kMeasures = 10;

double valueOf(const ClipRecord& clip, Measure measure);  ///< of the first `kMeasures`

/// A rule that compares one number of a clip with a limit.
struct Threshold {
    enum class Side { Least, Most };  ///< what the limit is of the numbers that are kept

    Measure measure;
    Side side;
    std::variant<double VerdictRules::*, int VerdictRules::*, std::string> limit;  ///< the last: a score's
    Reason reason;         ///< why a clip is dropped that is beyond the limit
    double tolerance = 0;  ///< by which a number may be below the limit, for rounding

    /// NaN, for a number that a clip has not got, is beyond no limit.
    bool drops(double value, double limitNow) const {
        return side == Side::Least ? value < limitNow - tolerance : value > limitNow;
    }
};

/// Those of the first `kMeasures`, in the order of their reasons. Verdicts of one clip and of all are made
/// from this table.
std::span<const Threshold> thresholds();
Threshold scoreThreshold(const std::string& key, std::size_t number, Threshold::Side side);

/// None: it asks for nothing.
std::optional<double> limitOf(const VerdictRules& rules, const Threshold& threshold);
/// Rounded where it is whole.
void setLimit(VerdictRules& rules, const Threshold& threshold, std::optional<double> limit);

}  // namespace dailies::curation
