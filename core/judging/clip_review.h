#pragma once

#include "core/judging/judgement.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dailies::judging {

/// What one person thinks of a clip.
struct Opinion {
    int stars = 0;  ///< 0: did not rate it
    bool rejected = false;
    std::set<std::string> tags;

    bool empty() const { return stars == 0 && !rejected && tags.empty(); }
    /// The stars, 0 for a rejected clip; nullopt when it was neither rated nor rejected.
    std::optional<double> rating() const;
};

/// What everybody thinks of a clip, as it stands.
struct ClipReview {
    std::map<std::string, Opinion> opinions;  ///< by author
    std::vector<Note> notes;                  ///< by first frame, then time

    Opinion of(const std::string& author) const;
    std::optional<double> rating() const;  ///< the mean over those who gave one
    bool isRejected() const;               ///< by anybody
    std::set<std::string> tags() const;    ///< anybody's
    bool empty() const { return opinions.empty() && notes.empty(); }

    void apply(const Judgement& judgement);
};

using Reviews = std::map<ClipKey, ClipReview>;

}  // namespace dailies::judging
