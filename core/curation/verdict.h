#pragma once

#include "core/base/json.h"
#include "core/curation/clip_record.h"

#include <string>
#include <vector>

namespace dailies::curation {

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
};

struct Verdict {
    bool keep = true;
    /// Why not, in a fixed order: short, small, static, restless, frozen, black, white, dark, bright, flat,
    /// blurred, duplicate.
    std::vector<std::string> reasons;
    bool operator==(const Verdict&) const = default;
};

/// Follows from its arguments alone.
Verdict verdictOf(const ClipRecord& clip, const VerdictRules& rules);

/// A line of clips.jsonl, without its end. `file`: where the clip was written, as a path from the list;
/// empty: nowhere.
std::string clipLine(const ClipRecord& clip, const Verdict& verdict, const std::string& file = {});

}  // namespace dailies::curation
