#pragma once

#include "core/judging/clip_review.h"
#include "core/judging/seen_clips.h"
#include "core/tracking/store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::judging {

/// Why a clip is in the playlist, the most pressing first.
enum class Reason { FailedCheck, Regression, New };

struct MorningClip {
    tracking::ClipRecord clip;
    tracking::Run run;
    std::optional<tracking::ClipRecord>
        before;  ///< the run's clip of the same prompt and seed one sampling earlier
    Reason reason = Reason::New;
    double severity = 0;  ///< 0 … 1, within the reason
    std::string why;      ///< for a person: "Adherence fell from 91 % to 62 %."; "" for what is merely new
    int frame = 0;        ///< where to begin to look
};

struct MorningPlaylist {
    std::vector<MorningClip> playlist;
    std::int64_t unseen = 0;  ///< clips that have arrived and were not seen, also those left out
};

/// What is new to this person: of each run, prompt and seed the newest clip, unless it was seen. Clips of a
/// run stand together: those that failed a check first, then those that became worse, then the others, within
/// that the worst first. Runs follow in the order of their first clips, and then the newest first.
///
/// Worse is: adherence lower than one sampling before; people's rating lower. Each is told as a part of what
/// there is to lose (adherence 1, rating five stars); the larger counts, from a tenth on. With one clip of
/// the run stands, too, when the metric that its sweep optimises became worse by more than the run's own ups
/// and downs so far, and by a tenth of the range that it had (of adherence, which is a share, of 1).
MorningPlaylist buildMorningPlaylist(const tracking::Store& store, const std::string& author,
                                     const std::stop_token& stop = {});

}  // namespace dailies::judging
