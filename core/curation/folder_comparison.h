#pragma once

#include "core/base/json.h"
#include "core/curation/curated_folder.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace dailies::curation {

/// What makes one state of a dataset another: two copies of a folder, or what other rules made of the same
/// films. Clips are the same where their ids are: the same frames of the same film.
struct FolderComparison {
    struct Side {
        std::size_t clips = 0, kept = 0;
        double keptSeconds = 0;
        std::size_t captioned = 0;  ///< of those that are kept
    };
    Side before, after;
    std::vector<std::string> rules = {};   ///< "verdict.min_side: 256 → 360"
    std::vector<std::string> gained = {};  ///< ids of clips that are kept after, and were not before
    std::vector<std::string> lost = {};    ///< the other way round
    /// Why those are dropped; "cut elsewhere" where they are no more.
    std::map<std::string, std::size_t> lostFor = {};
    std::size_t otherCaptions = 0;  ///< clips kept in both, with another caption

    Json toJson() const;
    std::string text() const;  ///< a few lines for a person, made harmless for a terminal
};

FolderComparison compareFolders(const CuratedFolder& before, const CuratedFolder& after);

}  // namespace dailies::curation
