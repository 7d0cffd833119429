#include "core/curation/thresholds.h"

#include <algorithm>
#include <cmath>

namespace dailies::curation {

namespace {

constexpr double kSecondsRounding = 1e-6;  ///< of a clip of exactly so many frames

constexpr auto kLeast = Threshold::Side::Least, kMost = Threshold::Side::Most;

const std::array kThresholds{
    Threshold{Measure::Seconds, kLeast, &VerdictRules::min_seconds, Reason::Short, kSecondsRounding},
    Threshold{Measure::Frames, kLeast, &VerdictRules::min_frames, Reason::Short},
    Threshold{Measure::Side, kLeast, &VerdictRules::min_side, Reason::Small},
    Threshold{Measure::Motion, kLeast, &VerdictRules::min_motion, Reason::Static},
    Threshold{Measure::Motion, kMost, &VerdictRules::max_motion, Reason::Restless},
    Threshold{Measure::Frozen, kMost, &VerdictRules::max_frozen, Reason::Frozen},
    Threshold{Measure::Black, kMost, &VerdictRules::max_black, Reason::Black},
    Threshold{Measure::White, kMost, &VerdictRules::max_white, Reason::White},
    Threshold{Measure::Luma, kLeast, &VerdictRules::min_luma, Reason::Dark},
    Threshold{Measure::Luma, kMost, &VerdictRules::max_luma, Reason::Bright},
    Threshold{Measure::Contrast, kLeast, &VerdictRules::min_contrast, Reason::Flat},
    Threshold{Measure::Sharpness, kLeast, &VerdictRules::min_sharpness, Reason::Blurred},
};

}  // namespace

double valueOf(const ClipRecord& clip, Measure measure) {
    switch (measure) {
        case Measure::Seconds:
            return clip.duration();
        case Measure::Frames:
            return clip.frames();
        case Measure::Side:
            return std::min(clip.crop.width, clip.crop.height);
        case Measure::Motion:
            return clip.scores.motion;
        case Measure::Frozen:
            return clip.scores.frozen;
        case Measure::Black:
            return clip.scores.black;
        case Measure::White:
            return clip.scores.white;
        case Measure::Luma:
            return clip.scores.luma;
        case Measure::Contrast:
            return clip.scores.contrast;
        case Measure::Sharpness:
            return clip.scores.sharpness;
    }
    return 0;
}

std::span<const Threshold> thresholds() {
    return kThresholds;
}

Threshold scoreThreshold(const std::string& key, std::size_t number, Threshold::Side side) {
    return {static_cast<Measure>(kMeasures + number), side, key, static_cast<Reason>(kReasons + number)};
}

std::optional<double> limitOf(const VerdictRules& rules, const Threshold& threshold) {
    if (const auto* key = std::get_if<std::string>(&threshold.limit)) {
        const auto found = rules.scores.find(*key);
        if (found == rules.scores.end()) return std::nullopt;
        return threshold.side == Threshold::Side::Least ? found->second.min : found->second.max;
    }
    const auto* whole = std::get_if<int VerdictRules::*>(&threshold.limit);
    const double limit =
        whole ? rules.**whole : rules.**std::get_if<double VerdictRules::*>(&threshold.limit);
    return limit == 0 ? std::nullopt : std::optional(limit);
}

void setLimit(VerdictRules& rules, const Threshold& threshold, std::optional<double> limit) {
    if (const auto* key = std::get_if<std::string>(&threshold.limit)) {
        auto& limits = rules.scores[*key];
        (threshold.side == Threshold::Side::Least ? limits.min : limits.max) = limit;
        if (limits == ScoreLimits()) rules.scores.erase(*key);
    } else if (const auto* whole = std::get_if<int VerdictRules::*>(&threshold.limit)) {
        rules.** whole = static_cast<int>(std::lround(limit.value_or(0)));
    } else {
        rules.**std::get_if<double VerdictRules::*>(&threshold.limit) = limit.value_or(0);
    }
}

}  // namespace dailies::curation
