#pragma once

#include "core/curation/clip_list.h"
#include "core/curation/curated_origin.h"
#include "core/curation/curation_config.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace dailies::curation {

/// A line of clips.jsonl that could not be read. Saving leaves it as it is.
struct UnreadLine {
    std::size_t line = 0;  ///< from 1
    std::string why;
};

/// What `curate` left in a folder.
struct CuratedFolder {
    std::filesystem::path folder;
    std::vector<ClipRecord> clips;  ///< in the list's order
    std::vector<UnreadLine> unread;
    CurationConfig config;
    Corrections corrections;
    /// Clips whose line says another verdict than the folder's rules and corrections give.
    std::size_t otherVerdicts = 0;
    std::set<std::string> files;        ///< names in FOLDER/clips
    std::set<std::string> previews;     ///< names in FOLDER/previews
    std::set<std::string> absentFilms;  ///< sources that are not files here, of clips without a file
    /// Those of them of which some clip has no preview either, in the list's order.
    std::vector<std::string> missingFilms;
    std::optional<CuratedOrigin> origin = {};  ///< where it was copied from
};

/// Blocks for about a second per 100,000 clips. `atMost`: clips that are read; 0: all. Throws `InputError`
/// where the folder has no clips.jsonl, or its config or corrections cannot be read, and `Cancelled`.
CuratedFolder loadCuratedFolder(const std::filesystem::path& folder, std::size_t atMost = 0,
                                const std::stop_token& stop = {});

/// The clips that its rules and corrections keep, in the list's order.
std::vector<ClipRecord> keptClips(const CuratedFolder& curated);

struct SavedFolder {
    ClipListSummary summary;
    Corrections corrections;  ///< of the folder now
};

/// What a person changed in a folder.
struct FolderChanges {
    VerdictRules rules;
    Corrections corrections = {};  ///< new ones, and those taken back (`None`); others stay
    std::map<std::string, std::string> captions = {};  ///< written by hand, by the clips' ids; "": none
};

/// Writes rules, corrections and captions into the folder, and the verdicts that follow from them, as
/// `curate` does, into clips.jsonl as it is on the disk at that moment: what others wrote into it meanwhile,
/// and keys that are not ours, stay. Of a copy it is noted that its origin has not got them. Throws as
/// `loadCuratedFolder`, and `Error`.
SavedFolder saveChanges(const std::filesystem::path& folder, const FolderChanges& changes,
                        const std::stop_token& stop = {});

}  // namespace dailies::curation
